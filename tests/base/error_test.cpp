#include "isochor/base/error.h"

#include <gtest/gtest.h>

namespace isochor {
namespace {

// An error keeps its kind, its sentence and the element that caused it.
TEST(Error, CarriesKindSentenceAndElement) {
  try {
    throw_bad_input("vertex 7 is broken", 7);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_STREQ(error.what(), "vertex 7 is broken");
    EXPECT_EQ(error.element(), 7);
  }
}

// The short ways to throw choose the kind that their name says.
TEST(Error, ShortWaysChooseTheirKind) {
  const auto kind_of = [](auto&& thrower) {
    try {
      thrower();
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::cancelled;
  };
  EXPECT_EQ(kind_of([] { throw_unsupported("no"); }), ErrorKind::unsupported);
  EXPECT_EQ(kind_of([] { throw_io("no"); }), ErrorKind::io);
}

}  // namespace
}  // namespace isochor

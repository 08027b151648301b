#include "isochor/base/words.h"

#include <gtest/gtest.h>

namespace isochor {
namespace {

// As a person reads them.
TEST(Words, NumbersAndCounts) {
  EXPECT_EQ(short_number(0.123456), "0.1235");
  EXPECT_EQ(short_number(2), "2");
  EXPECT_EQ(short_number(1234567, 3), "1.23e+06");
  EXPECT_EQ(count_of(1, "joint"), "1 joint");
  EXPECT_EQ(count_of(0, "joint"), "0 joints");
  EXPECT_EQ(count_of(2, "vertex"), "2 vertices");
}

TEST(Words, FirstNames) {
  EXPECT_EQ(first_names({}), "");
  EXPECT_EQ(first_names({"a", "b"}, 2), "a, b");
  EXPECT_EQ(first_names({"a", "b", "c", "d"}, 2), "a, b and 2 more");
}

}  // namespace
}  // namespace isochor

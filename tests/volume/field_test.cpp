#include "isochor/volume/field.h"

#include <gtest/gtest.h>

namespace isochor {
namespace {

// What a field is where nothing was said: no support, along normals; and, once along axes, shares of one volume over
// orthonormal axes.
TEST(CorrectionField, Defaults) {
  const CorrectionField field;
  EXPECT_TRUE(field.vertices.empty());
  EXPECT_TRUE(field.gamma.empty());
  EXPECT_EQ(field.direction, CorrectionDirection::normal);
  EXPECT_NEAR(field.shares.sum(), 1, 1e-15);
  EXPECT_TRUE(field.axes.isUnitary(1e-15));
}

// Settings files know the directions by these names.
TEST(CorrectionField, Names) {
  EXPECT_EQ(enum_name(CorrectionDirection::normal), "normal");
  EXPECT_EQ(enum_name(CorrectionDirection::axes), "axes");
}

}  // namespace
}  // namespace isochor

#include "isochor/base/types.h"

#include <gtest/gtest.h>

namespace isochor {
namespace {

// A per-vertex map has the linear part in its first three columns and the translation in the last.
TEST(Types, MapIsLinearPartThenTranslation) {
  Affine affine = Affine::Identity();
  affine.translate(Vec3(1, 2, 3)).rotate(Eigen::AngleAxisd(0.5, Vec3::UnitZ()));
  const Mat34 map = affine.matrix().topRows<3>();
  const Vec3 x(0.3, -2, 5);
  EXPECT_TRUE((map.leftCols<3>() * x + map.col(3)).isApprox(affine * x));
}

}  // namespace
}  // namespace isochor

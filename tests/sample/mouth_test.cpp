#include "isochor/sample/mouth.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sample/checks.h"

namespace isochor {
namespace {

// One closed surface with good weights, of which the tongue has a material of its own.
TEST(Mouth, IsWellFormed) {
  const Character mouth = make_mouth({}, Context(0));
  test::expect_no_errors(mouth);
  ASSERT_EQ(mouth.parts.size(), 1u);
  test::expect_one_closed_surface(mouth.parts[0].surface);
  test::expect_good_weights(mouth.parts[0], 4);
  ASSERT_EQ(mouth.materials.size(), 2u);
  EXPECT_GT(std::count(mouth.parts[0].face_material.begin(), mouth.parts[0].face_material.end(), 1), 50);
  EXPECT_EQ(mouth.clips.size(), 2u);
}

// Above the jaw and below the palate there is air around the tongue: it does not touch them.
TEST(Mouth, TongueLiesFree) {
  const Character mouth = make_mouth({}, Context(0));
  const Part& part = mouth.parts[0];
  std::vector<char> tongue(part.surface.vertex_count(), 0);
  for (std::size_t f = 0; f < part.surface.face_count(); ++f) {
    if (part.face_material[f] != 1) continue;
    for (const Index v : part.surface.face(f)) tongue[v] = 1;
  }
  double gap = 1e9;
  for (std::size_t a = 0; a < tongue.size(); ++a) {
    const Vec3& p = part.surface.positions[a];
    if (tongue[a] == 0 || p.z() < 0.2) continue;
    for (std::size_t b = 0; b < tongue.size(); ++b) {
      if (tongue[b] == 0) gap = std::min(gap, (p - part.surface.positions[b]).norm());
    }
  }
  EXPECT_GT(gap, 0.05);
}

}  // namespace
}  // namespace isochor

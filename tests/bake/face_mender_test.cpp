#include "bake/face_mender.h"

#include <gtest/gtest.h>

#include "isochor/base/math.h"
#include "isochor/sample/sample.h"

namespace isochor {
namespace {

/// Three keys of a bending cylinder whose vertices have small offsets along their normals, by key and vertex.
struct BentCylinder : testing::Test {
  Character character = make_sample("cylinder");
  WeldedCharacter welded{character};
  const Clip& clip = *character.find_clip("bend");
  std::vector<std::vector<Vec3>> offsets{3, outward(0.01)};
  FaceMender::Keys keys{clip, {0.2, 0.25, 0.3}, [this](std::size_t k, Index v) { return offsets[k][v]; }};
  FaceMender mender{welded, Deformer::lbs};

  std::vector<Vec3> outward(double far) const {
    std::vector<Vec3> out;
    for (const Vec3& p : welded.surface().positions) out.push_back(far * Vec3(p.x(), 0, p.z()).normalized());
    return out;
  }
  /// A vertex in the middle, well inside the mesh.
  Index middle() const {
    const auto& positions = welded.surface().positions;
    const Vec3 center = bounding_box(positions).center();
    Index best = 0;
    for (std::size_t v = 0; v < positions.size(); ++v) {
      if (std::abs(positions[v].y() - center.y()) < std::abs(positions[best].y() - center.y())) {
        best = static_cast<Index>(v);
      }
    }
    return best;
  }
  /// Moves it at a key along the limb, beyond its neighbours: faces around it turn over.
  void fold(std::size_t key) { offsets[key][middle()] += Vec3(0, 0.5, 0); }
  std::size_t turned() const { return mender.turned_between(keys, 0).size() + mender.turned_between(keys, 1).size(); }
  void apply(std::span<const FaceMender::Change> changes) {
    for (const FaceMender::Change& change : changes) offsets[change.key][change.vertex] += change.offset;
  }
};

// Faces that are turned over half-way are turned back by their own corners, at the keys around and at no other.
TEST_F(BentCylinder, TurnsFacesBack) {
  ASSERT_EQ(turned(), 0u);
  fold(1);
  const auto faces = mender.turned_between(keys, 0);
  ASSERT_FALSE(faces.empty());
  const auto changes = mender.mend(keys, {0, 2}, faces);
  ASSERT_FALSE(changes.empty());
  apply(changes);
  EXPECT_EQ(turned(), 0u);
  for (const FaceMender::Change& change : changes) {
    EXPECT_LT(change.key, 2u);
    EXPECT_LT((welded.surface().positions[change.vertex] - welded.surface().positions[middle()]).norm(), 0.5);
  }
}

// What has no offset at a key stays where the deformer puts it: if that cannot help, nothing is changed.
TEST_F(BentCylinder, MovesWhatMayMove) {
  fold(1);
  const auto faces = mender.turned_between(keys, 0);
  const auto changes = mender.mend(keys, {0, 1}, faces);
  for (const FaceMender::Change& change : changes) EXPECT_EQ(change.key, 0u);
  offsets[0].assign(offsets[0].size(), Vec3::Zero());
  EXPECT_TRUE(mender.mend(keys, {0, 1}, mender.turned_between(keys, 0)).empty());
}

// A key that may not move, and in which a vertex is far away: no offset at the others makes up for that. What is
// changed there is never for the worse, and it comes to an end.
TEST_F(BentCylinder, NothingForTheWorse) {
  for (const double far : {1.0, 5.0, 50.0}) {
    offsets.assign(3, outward(0.01));
    offsets[1][middle()] += Vec3(0, far, 0);
    const auto all_turned = [&] {
      std::size_t count = turned();
      for (std::size_t k : {0u, 2u}) {
        PosedSkin posed;
        pose_skin(welded, sample(clip, character.skeleton, keys.times[k]), Deformer::lbs, posed, Context(1));
        const OffsetView view = offset_view(welded, posed);
        std::vector<Vec3> shown = view.skinned;
        for (std::size_t v = 0; v < shown.size(); ++v) shown[v] += view.linear[v] * offsets[k][v];
        count += mender.turned(posed, shown).size();
      }
      return count;
    };
    const std::size_t before = all_turned();
    ASSERT_GT(before, 0u);
    apply(mender.mend(keys, {0, 1}, mender.turned_between(keys, 0)));
    EXPECT_LE(all_turned(), before) << far;
    for (const auto& at_key : offsets) {
      for (const Vec3& offset : at_key) ASSERT_TRUE(offset.allFinite());
    }
  }
}

}  // namespace
}  // namespace isochor

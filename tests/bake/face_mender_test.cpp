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

// Where a twist of 180 degrees flattens the skin no offset turns a face back: what is changed is never for the worse.
TEST(FaceMender, NothingForTheWorse) {
  const Character character = make_sample("cylinder");
  const WeldedCharacter welded(character);
  const Clip& clip = *character.find_clip("twist");
  const FaceMender mender(welded, Deformer::dqs);
  constexpr double kStep = 0.02;
  std::size_t most = 0;
  for (double time = clip.start(); time + 2 * kStep <= clip.end(); time += kStep) {
    std::vector<std::vector<Vec3>> offsets(3, std::vector<Vec3>(welded.surface().vertex_count(), Vec3(1e-3, 0, 0)));
    const FaceMender::Keys keys{
        clip, {time, time + kStep, time + 2 * kStep}, [&](std::size_t k, Index v) { return offsets[k][v]; }};
    const auto turned = [&] { return mender.turned_between(keys, 0).size() + mender.turned_between(keys, 1).size(); };
    const std::size_t before = turned();
    most = std::max(most, before);
    for (const FaceMender::Change& change : mender.mend(keys, {0, 3}, mender.turned_between(keys, 0))) {
      ASSERT_TRUE(change.offset.allFinite());
      offsets[change.key][change.vertex] += change.offset;
    }
    EXPECT_LE(turned(), before) << time;
  }
  EXPECT_GT(most, 0u);
}

}  // namespace
}  // namespace isochor

// Meshes and skeletons that break other methods: every vertex gets valid weights all the same, by every method of ours.

#include "bind/bind_cases.h"
#include "isochor/bind/prepare_medial.h"
#include "isochor/deform/posed_skin.h"

namespace isochor {
namespace {

using test::bare_giraffe;
using test::expect_all_bound;

/// By guides of the medial, every vertex has its place in the rest pose.
void expect_at_rest(const Character& bound, const BindOptions& options) {
  Context context(2);
  const WeldedCharacter welded(bound);
  const PreparedMedial medial = prepare_medial(welded, options, context);
  PosedSkin posed;
  pose_skin(welded, rest_pose(bound.skeleton), {Deformer::medial, &medial.rig}, posed, context);
  const double size = 1 + bounding_box(posed.rest).diagonal().norm();
  for (std::size_t v = 0; v < posed.rest.size(); ++v) {
    ASSERT_LT((posed.positions[v] - posed.rest[v]).norm(), 1e-9 * size) << v;
  }
}

BindResult bind_at_64(const Character& character, BindMethod method) {
  Context context(2);
  BindOptions options;
  options.gvb.resolution = 64;
  options.method = method;
  BindResult result = bind(character, options, context);
  expect_all_bound(result, character);
  if (method == BindMethod::medial) {
    Character bound = character;
    apply(result, bound);
    expect_at_rest(bound, options);
  }
  return result;
}

constexpr BindMethod kMethods[] = {BindMethod::automatic, BindMethod::geodesic_heat, BindMethod::heat,
                                   BindMethod::distance,  BindMethod::medial,        BindMethod::gvb};

/// By every method; what the last one gives.
BindResult bind_at_64(const Character& character) {
  BindResult result;
  for (const BindMethod method : kMethods) {
    SCOPED_TRACE(enum_name(method));
    result = bind_at_64(character, method);
  }
  return result;
}

/// The mean difference between the weights of two characters, by every method.
void expect_same_weights(const Character& a, const Character& b, double within) {
  for (const BindMethod method : kMethods) {
    SCOPED_TRACE(enum_name(method));
    const BindResult one = bind_at_64(a, method), two = bind_at_64(b, method);
    EXPECT_LT(test::weights_difference(one.parts[0].weights, two.parts[0].weights).mean, within);
  }
}

Character with_surface(Surface surface) {
  Character character = bare_giraffe();
  character.parts[0].surface = std::move(surface);
  return character;
}

/// Each face with corners of its own, moved a little so that no weld can bring them together.
Surface soup(const Surface& surface, double jitter) {
  Surface result;
  test::Sequence sequence;
  for (std::size_t f = 0; f < surface.face_count(); ++f) {
    std::vector<Index> face;
    for (const Index v : surface.face(f)) {
      face.push_back(static_cast<Index>(result.vertex_count()));
      result.positions.push_back(surface.positions[v] +
                                 jitter * Vec3(sequence.next(), sequence.next(), sequence.next()));
    }
    result.add_face(face);
  }
  return result;
}

// A triangle soup.
TEST(Nightmares, TriangleSoup) {
  bind_at_64(with_surface(soup(bare_giraffe().parts[0].surface, 0)));
  bind_at_64(with_surface(soup(bare_giraffe().parts[0].surface, 0.01)));
}

// Two faces of a hundred are missing: the weights are nearly those of the whole mesh.
TEST(Nightmares, FacesRemoved) {
  const Surface& whole = bare_giraffe().parts[0].surface;
  Surface holes;
  holes.positions = whole.positions;
  test::Sequence sequence;
  for (std::size_t f = 0; f < whole.face_count(); ++f) {
    if (sequence.next() >= 0.02) holes.add_face(whole.face(f));
  }
  expect_same_weights(bare_giraffe(), with_surface(holes), 0.03);
}

// Every second face looks inward, or all do: the weights stay as they are.
TEST(Nightmares, FacesFlipped) {
  for (const std::size_t every : {std::size_t{1}, std::size_t{2}}) {
    Surface flipped;
    flipped.positions = bare_giraffe().parts[0].surface.positions;
    for (std::size_t f = 0; f < bare_giraffe().parts[0].surface.face_count(); ++f) {
      const auto face = bare_giraffe().parts[0].surface.face(f);
      std::vector<Index> corners(face.begin(), face.end());
      if (f % every == 0) std::reverse(corners.begin(), corners.end());
      flipped.add_face(corners);
    }
    expect_same_weights(bare_giraffe(), with_surface(flipped), 0.02);
  }
}

// Cut into parts that come in any order: the weights are those of the whole.
TEST(Nightmares, PartsShuffled) {
  const Surface& whole = bare_giraffe().parts[0].surface;
  Character pieces = bare_giraffe();
  const Part part_of_all = pieces.parts[0];
  pieces.parts.assign(5, part_of_all);
  for (std::size_t p = 0; p < 5; ++p) {
    pieces.parts[p].surface.corners.clear();
    pieces.parts[p].surface.face_begin = {0};
    for (std::size_t f = 4 - p; f < whole.face_count(); f += 5) pieces.parts[p].surface.add_face(whole.face(f));
  }
  const BindResult plain = bind_at_64(bare_giraffe()), result = bind_at_64(pieces);
  EXPECT_EQ(result.volumes.size(), 1u);
  for (const BoundPart& part : result.parts) EXPECT_EQ(part.weights, plain.parts[0].weights);
}

// A millionth and a million times the size, and a million lengths away.
TEST(Nightmares, ScaleAndPlace) {
  for (const double scale : {1e-6, 1e6}) {
    Character scaled = bare_giraffe();
    for (Vec3& p : scaled.parts[0].surface.positions) p *= scale;
    for (Joint& joint : scaled.skeleton.joints) joint.rest.translation *= scale;
    bind_at_64(scaled);
  }
  Character far = bare_giraffe();
  for (Vec3& p : far.parts[0].surface.positions) p += Vec3(1e6, 1e6, -1e6);
  for (Joint& joint : far.skeleton.joints) {
    if (joint.parent == kNone) joint.rest.translation += Vec3(1e6, 1e6, -1e6);
  }
  bind_at_64(far);
}

// The mesh three times in the same place.
TEST(Nightmares, DuplicatedTwiceOver) {
  Surface thrice = bare_giraffe().parts[0].surface;
  const Surface once = thrice;
  append(thrice, once);
  append(thrice, once);
  const BindResult plain = bind_at_64(bare_giraffe()), result = bind_at_64(with_surface(thrice));
  EXPECT_LT(test::weights_difference(plain.parts[0].weights, result.parts[0].weights).mean, 0.02);
}

// A single triangle, a planar sheet, a point, faces without area.
TEST(Nightmares, HardlyAMesh) {
  Surface triangle;
  triangle.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
  triangle.add_face({0, 1, 2});
  bind_at_64(with_surface(triangle));

  Surface sheet;
  sheet.positions = {Vec3(0, 0, 0), Vec3(2, 0, 0), Vec3(2, 2, 0), Vec3(0, 2, 0)};
  sheet.add_face({0, 1, 2, 3});
  EXPECT_TRUE(test::has_problem(bind_at_64(with_surface(sheet)).problems, "nothing-inside"));

  Surface loose;
  loose.positions = {Vec3(1, 1, 1)};
  EXPECT_TRUE(test::has_problem(bind_at_64(with_surface(loose)).problems, "vertices-without-faces"));

  Surface line;
  line.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(2, 0, 0)};
  line.add_face({0, 1, 2});
  bind_at_64(with_surface(line));
}

// The skeleton lies far outside the mesh.
TEST(Nightmares, SkeletonOutside) {
  Character outside = bare_giraffe();
  for (Joint& joint : outside.skeleton.joints) {
    if (joint.parent == kNone) joint.rest.translation += Vec3(30, 20, 10);
  }
  EXPECT_TRUE(test::has_problem(bind_at_64(outside).problems, "bone-outside"));
}

// One joint takes all; joints on one spot, and bones without length, still give valid weights.
TEST(Nightmares, PoorSkeletons) {
  Character one = bare_giraffe();
  one.skeleton.joints = {test::joint_at("only", kNone, Vec3(0, 1, 0))};
  for (const BoundPart& part : bind_at_64(one).parts) {
    for (const Influence& i : part.weights.influences) EXPECT_EQ(i, (Influence{0, 1}));
  }
  Character spot = bare_giraffe();
  spot.skeleton.joints.clear();
  for (int j = 0; j < 9; ++j) spot.skeleton.joints.push_back(test::joint_at(std::to_string(j), j - 1, Vec3(0, 0, 0)));
  bind_at_64(spot);
}

// No joints, no mesh: one sentence.
TEST(Nightmares, NothingToBind) {
  Context context;
  Character none = bare_giraffe();
  none.skeleton.joints.clear();
  none.parts[0].node = kNone;
  try {
    bind(none, {}, context);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "there is no joint to bind to");
  }
  Character bare = bare_giraffe();
  bare.parts.clear();
  EXPECT_THROW(bind(bare, {}, context), Error);
  bare = with_surface(Surface{});
  EXPECT_THROW(bind(bare, {}, context), Error);
  bare = bare_giraffe();
  bare.parts[0].surface.positions[5].z() = std::nan("");
  EXPECT_THROW(bind(bare, {}, context), Error);
}

}  // namespace
}  // namespace isochor

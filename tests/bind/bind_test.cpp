#include "isochor/bind/bind.h"

#include <algorithm>

#include "bind/bind_cases.h"
#include "isochor/bind/weight_metrics.h"

namespace isochor {
namespace {

using test::expect_all_bound;
using test::weight_of;

BindOptions quick() {
  BindOptions options;
  options.method = BindMethod::gvb;
  options.gvb.resolution = 64;
  return options;
}

BindResult bind_quickly(const Character& character, const BindOptions& options = quick()) {
  Context context(2);
  BindResult result = bind(character, options, context);
  expect_all_bound(result, character);
  return result;
}

/// Where the skin puts a vertex with the joints at rest.
Vec3 skinned(const Character& character, std::size_t part, std::size_t v) {
  const Part& p = character.parts[part];
  const auto matrices = skin_matrices(p.skin, global_transforms(character.skeleton, rest_pose(character.skeleton)));
  Vec3 sum = Vec3::Zero();
  for (const Influence& i : p.weights.row(v)) sum += i.weight * (matrices[i.joint] * p.surface.positions[v]);
  return sum;
}

// A mesh without a skin stays where its node has put it, at any scale and turn.
TEST(Bind, StaysInPlaceAtRest) {
  Character character = test::trousers(0.1, 600);
  Joint node = test::joint_at("node", kNone, Vec3(0, 0, 0));
  node.deforms = false;
  node.rest.scale = Vec3::Constant(0.01);
  node.rest.rotation = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized());
  const Affine back = to_matrix(node.rest).inverse();
  for (Vec3& p : character.parts[0].surface.positions) p = back * p;
  character.skeleton.joints.push_back(node);
  character.parts[0].node = 5;
  const Character before = character;
  apply(bind_quickly(character), character);
  for (std::size_t v = 0; v < before.parts[0].surface.vertex_count(); v += 13) {
    EXPECT_LT((skinned(character, 0, v) - to_matrix(node.rest) * before.parts[0].surface.positions[v]).norm(), 1e-9);
  }
  EXPECT_TRUE(validate(character).empty());
  EXPECT_EQ(character.parts[0].skin.joints.size(), 5u);
}

// Bones whose distance is no number in units of the mesh, as a broken file may have them, leave no vertex without
// weights: those follow the nearest bone, and that is said.
TEST(Bind, MeshOfAnotherOrderOfMagnitude) {
  Character character = test::trousers(0.1, 600);
  for (Vec3& p : character.parts[0].surface.positions) p *= 1e-200;
  bool said = false;
  for (const BindMethod method : {BindMethod::automatic, BindMethod::gvb, BindMethod::geodesic_heat, BindMethod::heat,
                                  BindMethod::distance, BindMethod::medial}) {
    BindOptions options = quick();
    options.method = method;
    const BindResult result = bind_quickly(character, options);
    said = said || std::any_of(result.problems.begin(), result.problems.end(),
                               [](const Problem& problem) { return problem.code == "vertices-nearest"; });
  }
  EXPECT_TRUE(said);
}

// Where there is a skin, its bind pose counts and not the rest pose; its joints and matrices stay as they are.
TEST(Bind, BindPoseNotRestPose) {
  Character character = test::trousers(0.1, 600);
  apply(bind_quickly(character), character);
  const Character bound = character;
  character.skeleton.joints[1].rest.rotation = Eigen::AngleAxisd(1.2, Vec3::UnitX());
  character.skeleton.joints[0].rest.translation += Vec3(5, 5, 5);
  const BindResult again = bind_quickly(character);
  EXPECT_EQ(again.parts[0].weights, bound.parts[0].weights);
  EXPECT_EQ(again.parts[0].skin.joints, bound.parts[0].skin.joints);
  for (std::size_t j = 0; j < 5; ++j) {
    EXPECT_EQ(again.parts[0].skin.inverse_bind[j].matrix(), bound.parts[0].skin.inverse_bind[j].matrix());
  }
}

/// The faces of a part that are chosen, with the vertices that they need; `source` tells where those were.
template <class Chosen>
Part piece_of(const Part& part, const Chosen& chosen, std::vector<Index>& source) {
  Part piece = part;
  piece.surface = {};
  source.clear();
  std::vector<Index> to(part.surface.vertex_count(), kNone);
  for (std::size_t f = 0; f < part.surface.face_count(); ++f) {
    if (!chosen(f)) continue;
    std::vector<Index> face;
    for (const Index v : part.surface.face(f)) {
      if (to[v] == kNone) {
        to[v] = static_cast<Index>(source.size());
        source.push_back(v);
        piece.surface.positions.push_back(part.surface.positions[v]);
      }
      face.push_back(to[v]);
    }
    piece.surface.add_face(face);
  }
  return piece;
}

/// The trousers cut below the hips into two parts, with a seam of vertices that both have.
Character cut_trousers(std::array<std::vector<Index>, 2>* source = nullptr) {
  const Character whole = test::trousers(0.1, 800);
  const Surface& surface = whole.parts[0].surface;
  std::array<std::vector<Index>, 2> from;
  const auto is_top = [&](std::size_t f) { return surface.positions[surface.face(f)[0]].y() > 0.9; };
  Character cut = whole;
  cut.parts = {piece_of(whole.parts[0], is_top, from[0]),
               piece_of(
                   whole.parts[0], [&](std::size_t f) { return !is_top(f); }, from[1])};
  cut.parts[0].name = "top";
  cut.parts[1].name = "legs";
  if (source != nullptr) *source = from;
  return cut;
}

// Several parts are one volume: the same weights as the mesh in one piece, and vertices that lie on each other agree.
TEST(Bind, PartsAreOneVolume) {
  std::array<std::vector<Index>, 2> source;
  const BindResult whole = bind_quickly(test::trousers(0.1, 800));
  const BindResult cut = bind_quickly(cut_trousers(&source));
  ASSERT_EQ(cut.volumes.size(), 1u);
  for (std::size_t p = 0; p < 2; ++p) {
    for (std::size_t v = 0; v < source[p].size(); ++v) {
      EXPECT_TRUE(test::same_row(cut.parts[p].weights.row(v), whole.parts[0].weights.row(source[p][v])));
    }
  }
  EXPECT_EQ(cut.parts[0].skin.joints, cut.parts[1].skin.joints);
}

// A part whose mesh space differs is laid beside the others by the joints that they share.
TEST(Bind, PartsInSpacesOfTheirOwn) {
  Character cut = cut_trousers();
  apply(bind_quickly(cut), cut);
  const BindResult before = bind_quickly(cut);
  const Affine move = Eigen::Translation3d(1, 2, 3) * Eigen::AngleAxisd(0.4, Vec3::UnitY()) * Eigen::Scaling(100.0);
  for (Vec3& p : cut.parts[1].surface.positions) p = move * p;
  for (Affine& m : cut.parts[1].skin.inverse_bind) m = m * move.inverse();
  const BindResult after = bind_quickly(cut);
  EXPECT_LT(test::weights_difference(before.parts[1].weights, after.parts[1].weights).mean, 1e-3);
  EXPECT_EQ(after.volumes.size(), 1u);
  EXPECT_FALSE(test::has_problem(after.problems, "bind-poses-differ"));
}

// Parts that share no joint are brought together by the rest pose; where that is not their bind pose, they are bound
// each by itself.
TEST(Bind, PartsWithoutCommonJoints) {
  Character two = test::trousers(0.1, 600);
  apply(bind_quickly(two), two);
  const Character other = two;
  two.parts.push_back(two.parts[0]);
  two.parts[1].name = "other";
  for (Joint joint : other.skeleton.joints) {
    joint.name += " too";
    joint.parent = joint.parent == kNone ? kNone : joint.parent + 5;
    if (joint.parent == kNone) joint.rest.translation += Vec3(3, 0, 0);
    two.skeleton.joints.push_back(joint);
  }
  for (Index& j : two.parts[1].skin.joints) j += 5;
  const BindResult together = bind_quickly(two);
  EXPECT_EQ(together.volumes.size(), 1u);
  EXPECT_EQ(together.joints, 10u);
  two.skeleton.joints[6].rest.rotation = Eigen::AngleAxisd(0.5, Vec3::UnitX());
  const BindResult apart = bind_quickly(two);
  EXPECT_EQ(apart.volumes.size(), 2u);
  for (const Influence& i : apart.parts[1].weights.influences) {
    EXPECT_GE(apart.parts[1].skin.joints[i.joint], 5);
  }
}

// Parts to bind can be chosen by name; a name that matches nothing is an error.
TEST(Bind, ChosenParts) {
  BindOptions options = quick();
  options.parts = {"le*"};
  const BindResult result = bind_quickly(cut_trousers(), options);
  ASSERT_EQ(result.parts.size(), 1u);
  EXPECT_EQ(result.parts[0].part, 1);
  options.parts = {"nose"};
  Context context;
  EXPECT_THROW(bind(cut_trousers(), options, context), Error);
}

// Joints that no vertex follows at present take no weight, unless asked for, or where hardly any joint is in use.
// Problems name vertices of the whole character, whatever comes before the parts that are bound.
TEST(Bind, ProblemsNameVerticesOfTheCharacter) {
  Character character = test::trousers(0.1, 600);
  apply(bind_quickly(character), character);
  Part sign;
  sign.name = "sign";
  sign.surface.positions = {Vec3(5, 0, 0), Vec3(6, 0, 0), Vec3(5, 1, 0)};
  sign.surface.add_face({0, 1, 2});
  character.parts.insert(character.parts.begin(), sign);
  Part& body = character.parts[1];
  const auto loose = static_cast<Index>(body.surface.vertex_count());
  body.surface.positions.push_back(body.surface.positions[0] + Vec3(0.3, 0, 0));
  body.weights = {};
  for (Index v = 0; v <= loose; ++v) body.weights.add_row(std::vector<Influence>{{0, 1.0}});
  const BindResult result = bind_quickly(character);
  const auto found = std::find_if(result.problems.begin(), result.problems.end(),
                                  [](const Problem& problem) { return problem.code == "vertices-without-faces"; });
  ASSERT_NE(found, result.problems.end());
  EXPECT_EQ(found->elements, std::vector<Index>{3 + loose});
}

TEST(Bind, UnusedJoints) {
  Character character = test::trousers(0.1, 600);
  character.skeleton.joints.push_back(test::joint_at("spare", 2, Vec3(0, 0.2, 0)));
  apply(bind_quickly(character), character);
  for (std::size_t v = 0; v < character.parts[0].weights.vertex_count(); ++v) {
    for (Influence& i : character.parts[0].weights.row(v)) i.joint = i.joint == 5 ? 2 : i.joint;
  }
  repair(character.parts[0].weights, 6);
  const BindResult skipped = bind_quickly(character);
  EXPECT_EQ(skipped.joints, 5u);
  EXPECT_TRUE(test::has_problem(skipped.problems, "joints-unused"));
  EXPECT_FALSE(test::has_problem(skipped.problems, "joints-excluded"));
  BindOptions options = quick();
  options.unused = UnusedJoints::bind;
  EXPECT_EQ(bind_quickly(character, options).joints, 6u);
  for (Influence& i : character.parts[0].weights.influences) i.joint = 0;
  repair(character.parts[0].weights, 6);
  EXPECT_EQ(bind_quickly(character).joints, 6u);
}

// Excluded joints take no weight; a pattern that fits nothing is said, a name that no joint has is refused.
TEST(Bind, ExcludedJoints) {
  BindOptions options = quick();
  options.handles.exclude = {"*foot", "weapon*"};
  const BindResult result = bind_quickly(test::trousers(0.1, 600), options);
  EXPECT_EQ(result.joints, 3u);
  EXPECT_TRUE(test::has_problem(result.problems, "exclude-unknown"));
  options.handles.exclude = {"foot"};
  EXPECT_THROW(bind_quickly(test::trousers(0.1, 600), options), Error);
}

// Rigid regions by part, by material and by joint.
TEST(Bind, RigidRegions) {
  Character cut = cut_trousers();
  cut.materials.resize(2);
  cut.materials[1].name = "steel";
  cut.parts[1].face_material.assign(cut.parts[1].surface.face_count(), 0);
  cut.parts[1].face_material[0] = 1;
  BindOptions options = quick();
  options.rigid = {{"top", "left foot"}, {"steel", "right"}};
  const BindResult result = bind_quickly(cut, options);
  const Skin& skin = result.parts[0].skin;
  const auto follows = [&](std::size_t part, Index v, const char* joint) {
    const auto row = result.parts[part].weights.row(static_cast<std::size_t>(v));
    return row.size() == 1 && cut.skeleton.joints[skin.joints[row[0].joint]].name == joint;
  };
  for (const Index v : cut.parts[1].surface.face(0)) EXPECT_TRUE(follows(1, v, "right"));
  std::size_t top = 0;
  for (const Index v : cut.parts[0].surface.corners) top += follows(0, v, "left foot") ? 1 : 0;
  EXPECT_GT(top, 0.9 * static_cast<double>(cut.parts[0].surface.corners.size()));

  options.rigid = {{"left*", "hips"}};
  const BindResult stiff = bind_quickly(test::trousers(0.1, 600), options);
  for (const Influence& i : stiff.parts[0].weights.influences) {
    EXPECT_TRUE(i.joint != 1 || i.weight < 0.5);
  }
  Context context;
  options.rigid = {{"nothing", "hips"}};
  EXPECT_THROW(bind(cut, options, context), Error);
  options.rigid = {{"top", "nobody"}};
  EXPECT_THROW(bind(cut, options, context), Error);
}

// Painted weights of a joint stay, and the others fill up; those of a part stay whole.
TEST(Bind, KeepsPaintedWeights) {
  Character cut = cut_trousers();
  apply(bind_quickly(cut), cut);
  for (Part& part : cut.parts) {
    SkinWeights painted;
    for (std::size_t v = 0; v < part.weights.vertex_count(); ++v) {
      painted.add_row(std::vector<Influence>{{0, v % 3 == 0 ? 0.25 : 0.0}, {2, v % 3 == 0 ? 0.75 : 1.0}});
    }
    part.weights = painted;
    repair(part.weights, 5);
  }
  BindOptions options = quick();
  options.unused = UnusedJoints::bind;
  options.keep = {"hips"};
  const BindResult by_joint = bind_quickly(cut, options);
  for (std::size_t v = 0; v < by_joint.parts[0].weights.vertex_count(); ++v) {
    EXPECT_NEAR(weight_of(by_joint.parts[0].weights.row(v), 0), v % 3 == 0 ? 0.25 : 0.0, 1e-12);
    EXPECT_LE(by_joint.parts[0].weights.row(v).size(), 4u);
  }
  options.keep = {"top"};
  const BindResult by_part = bind_quickly(cut, options);
  EXPECT_EQ(by_part.parts[0].weights, cut.parts[0].weights);
  EXPECT_NE(by_part.parts[1].weights, cut.parts[1].weights);
  options.keep = {"nothing"};
  Context context;
  EXPECT_THROW(bind(cut, options, context), Error);

  // Where all joints near a vertex stay and have none of it, its painted weights are all there is.
  options.keep.clear();
  for (std::size_t j = 0; j < cut.skeleton.size(); ++j) {
    if (static_cast<Index>(j) != cut.parts[0].skin.joints[2]) options.keep.push_back(cut.skeleton.joints[j].name);
  }
  options.limits.influences = 1;
  const BindResult by_rest = bind_quickly(cut, options);
  EXPECT_EQ(by_rest.bound, by_rest.vertices);
}

// Symmetric weights on both sides when asked for; a sentence where there is no symmetry.
TEST(Bind, Symmetric) {
  BindOptions options = quick();
  options.symmetric = true;
  Character character = test::trousers(0.1, 800);
  const BindResult result = bind_quickly(character, options);
  ASSERT_EQ(result.volumes.size(), 1u);
  EXPECT_TRUE(result.volumes[0].symmetric) << result.volumes[0].symmetry;
  const auto& positions = character.parts[0].surface.positions;
  const auto mirror = find_mirror_pairs(positions, std::vector<Vec3>{});
  ASSERT_TRUE(mirror);
  const std::array<Index, 5> joint = {0, 3, 4, 1, 2};
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const auto image = result.parts[0].weights.row(static_cast<std::size_t>(mirror->vertices[v]));
    for (const Influence& i : result.parts[0].weights.row(v)) {
      EXPECT_NEAR(weight_of(image, joint[i.joint]), i.weight, 1e-12);
    }
  }
  character.skeleton.joints[1].rest.translation.y() -= 0.3;
  const BindResult lopsided = bind_quickly(character, options);
  EXPECT_FALSE(lopsided.volumes[0].symmetric);
  EXPECT_TRUE(test::has_problem(lopsided.problems, "not-symmetric"));
}

// The distance method goes the same way; α by joint is for gvb, and a name that matches nothing is an error.
TEST(Bind, MethodsAndFalloffs) {
  BindOptions options = quick();
  options.method = BindMethod::distance;
  EXPECT_EQ(bind_quickly(test::trousers(0.1, 600), options).resolution, 0);
  options = quick();
  options.joint_falloff = {{"left*", 0.9}};
  EXPECT_NE(bind_quickly(test::trousers(0.1, 600), options).parts[0].weights,
            bind_quickly(test::trousers(0.1, 600)).parts[0].weights);
  options.joint_falloff = {{"tail", 0.9}};
  Context context;
  EXPECT_THROW(bind(test::trousers(0.1, 600), options, context), Error);
}

// Distances that are kept give the very weights that a new bind with those falloffs gives.
TEST(Bind, FalloffsWithoutNewDistances) {
  const Character character = test::trousers(0.1, 600);
  Context context(2);
  const CharacterBinding binding(character, quick(), context);
  BindOptions options = quick();
  options.falloff = 0.7;
  options.joint_falloff = {{character.skeleton.joints[1].name, 0.2}};
  const BindResult afresh = bind(character, options, context);
  const BindResult kept = binding.weigh({options.falloff, options.joint_falloff}, context);
  ASSERT_EQ(kept.parts.size(), afresh.parts.size());
  for (std::size_t p = 0; p < kept.parts.size(); ++p) EXPECT_EQ(kept.parts[p].weights, afresh.parts[p].weights);
  EXPECT_EQ(kept.problems.size(), afresh.problems.size());
  EXPECT_NE(binding.weigh({}, context).parts[0].weights, afresh.parts[0].weights);
  EXPECT_THROW(binding.weigh({.falloff = 2}, context), Error);
  EXPECT_THROW(binding.weigh({.joints = {{"nobody", 0.5}}}, context), Error);
}

// The knight, of many shells and flaws: all vertices of its skinned parts are bound; the sword stays with its node.
TEST(Bind, Knight) {
  Character knight = make_sample("knight");
  const std::size_t problems = validate(knight).size();
  const BindResult result = bind_quickly(knight);
  EXPECT_EQ(result.parts.size(), knight.parts.size() - 1);
  apply(result, knight);
  EXPECT_EQ(validate(knight).size(), problems);
  for (Part& part : knight.parts) {
    part.skin = {};
    part.weights = {};
  }
  EXPECT_EQ(bind_quickly(knight).parts.size(), knight.parts.size());
}

// Auto resolution is a power of two with its reason, and stages leave their times.
TEST(Bind, Report) {
  Context context;
  const BindResult result = bind(test::trousers(0.05, 1500), {.method = BindMethod::gvb}, context);
  EXPECT_GE(result.resolution, 64);
  EXPECT_FALSE(result.resolution_reason.empty());
  EXPECT_GT(result.uniform_voxels, result.sparse_voxels);
  for (const char* stage : {"voxelize", "sparsify", "distance", "weights"})
    EXPECT_GT(context.seconds(stage), 0) << stage;
}

}  // namespace
}  // namespace isochor

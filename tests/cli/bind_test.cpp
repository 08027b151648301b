/// isochor bind on the procedural characters and on the real ones.

#include <algorithm>
#include <array>
#include <sstream>

#include "isochor/io/load.h"
#include "program.h"
#include "support/sanitizers.h"

namespace isochor {
namespace {

using test::expect_refused;
using test::quoted;
using test::read_json;
using test::run_isochor;
using test::TempFolder;
namespace fs = std::filesystem;

struct Bind : testing::Test {
  TempFolder here;

  void sample(const std::string& name) {
    ASSERT_EQ(run_isochor(here, "sample " + name + " -o in.glb").code, 0);
    ASSERT_EQ(run_isochor(here, "sample " + name + " -o in.obj").code, 0);
    strip_weights();
  }
  /// bare.txt: the rig without its weights.
  void strip_weights() {
    std::istringstream rig(test::read_text(here / "in_rig.txt"));
    std::string bare, line;
    while (std::getline(rig, line)) {
      if (line.rfind("skin", 0) != 0) bare += line + "\n";
    }
    test::write_text(here / "bare.txt", bare);
  }
  nlohmann::json bind(const std::string& arguments) {
    const auto ran = run_isochor(here, "bind " + arguments + " --report r.json");
    EXPECT_EQ(ran.code, 0) << arguments << "\n" << ran.err;
    return ran.code == 0 ? read_json(here / "r.json") : nlohmann::json::object();
  }
  nlohmann::json compare(const std::string& arguments) {
    const auto ran = run_isochor(here, "compare " + arguments + " --moments 3 --json");
    EXPECT_EQ(ran.code, 0) << arguments << "\n" << ran.err;
    return ran.code == 0 ? nlohmann::json::parse(ran.out) : nlohmann::json::object();
  }
  Character load(const std::string& file) {
    Context context;
    return load_character(here / file, {}, context).character;
  }
};

/// Every vertex of every skinned part has a valid row.
void expect_valid_weights(const Character& character, const std::string& what) {
  bool skinned = false;
  for (const Part& part : character.parts) {
    if (!part.skinned()) continue;
    skinned = true;
    EXPECT_EQ(part.weights.vertex_count(), part.surface.vertex_count()) << what;
    const auto problems = validate(part.weights, static_cast<Index>(part.skin.joints.size()), 1e-5);
    EXPECT_TRUE(problems.empty()) << what << ": " << problems[0].sentence;
  }
  EXPECT_TRUE(skinned) << what;
}

// The report has the fields that other tools rely on, and they make sense.
TEST_F(Bind, ReportFields) {
  sample("elephant");
  const auto report = bind("in.glb -o out.glb --resolution 64");
  EXPECT_GT(report["vertices"], 1000);
  EXPECT_EQ(report["bound"], report["vertices"]);
  EXPECT_EQ(report["joints"], 32);
  EXPECT_EQ(report["resolution"], 64);
  for (const char* stage : {"voxelize", "sparsify", "distance", "weights", "total"})
    EXPECT_TRUE(report["seconds"].contains(stage)) << stage;
  EXPECT_GT(report["voxels"]["sparse"], 1000);
  EXPECT_GT(report["voxels"]["uniform"], report["voxels"]["sparse"]);
  EXPECT_TRUE(report["warnings"].is_array());
  EXPECT_EQ(report["options"]["method"], "gvb");
  EXPECT_EQ(report["fallbacks"]["across_gap"], 0);
}

// Every sample binds to its own skeleton, all vertices, and the file is otherwise as it was: shape, clips, names.
TEST_F(Bind, EverySampleBindsAgain) {
  for (const char* name : {"cylinder", "giraffe", "elephant", "knight"}) {
    sample(name);
    const auto report = bind("in.glb -o out.glb --resolution 64");
    EXPECT_EQ(report["bound"], report["vertices"]) << name;
    const Character before = load("in.glb"), after = load("out.glb");
    expect_valid_weights(after, name);
    EXPECT_EQ(before.clips.size(), after.clips.size());
    EXPECT_EQ(before.skeleton.size(), after.skeleton.size());
    const auto compared = compare("out.glb in.glb");
    EXPECT_EQ(compared["shape"]["max_distance"], 0.0) << name;
    EXPECT_LT(compared["weights"]["l1_mean"], 0.8) << name;
    EXPECT_GT(compared["weights"]["l1_mean"], 0.0) << name << ": the weights are new";
  }
}

// A mesh and a rig without weights become a bound GLB, and a rig with the same weights as text.
TEST_F(Bind, MeshAndSkeletonBecomeACharacter) {
  sample("giraffe");
  const auto report = bind("in.obj --skeleton bare.txt -o out.glb --resolution 64");
  EXPECT_EQ(report["bound"], report["vertices"]);
  EXPECT_EQ(report["inputs"].size(), 2u);
  expect_valid_weights(load("out.glb"), "giraffe");
  bind("in.obj --skeleton bare.txt -o out.txt --resolution 64");
  const auto compared = compare("out.glb in.obj --skeleton-b out.txt");
  EXPECT_LT(compared["weights"]["l1_max"], 1e-5) << "GLB holds floats";
  EXPECT_LT(compare("in.obj in.glb --skeleton out.txt")["weights"]["l1_mean"], 0.8) << "near the sample's own weights";
}

// A glTF takes a skeleton from elsewhere: its joints are added to the document, and nothing that was there goes.
TEST_F(Bind, GltfTakesAnotherSkeleton) {
  sample("giraffe");
  const auto report = bind("in.glb --skeleton bare.txt -o out.glb --resolution 64");
  EXPECT_EQ(report["bound"], report["vertices"]);
  const Character before = load("in.glb"), after = load("out.glb");
  expect_valid_weights(after, "another skeleton");
  EXPECT_EQ(after.skeleton.deforming_count(), before.skeleton.deforming_count()) << "the new joints alone deform";
  EXPECT_GT(after.skeleton.size(), before.skeleton.size());
  EXPECT_EQ(after.clips.size(), before.clips.size());
}

// The same bytes for one and two threads, and twice in a row.
TEST_F(Bind, SameBytesForAnyNumberOfThreads) {
  sample("knight");
  bind("in.glb -o 1.glb --threads 1 --resolution 64");
  bind("in.glb -o 2.glb --threads 2 --resolution 64");
  EXPECT_EQ(test::read_text(here / "1.glb"), test::read_text(here / "2.glb"));
}

// auto chooses a power of two and gives its reason.
TEST_F(Bind, AutomaticResolutionHasAReason) {
  sample("cylinder");
  const auto report = bind("in.glb -o out.glb --method gvb");
  const int resolution = report["resolution"];
  EXPECT_GE(resolution, 8);
  EXPECT_EQ(resolution & (resolution - 1), 0);
  EXPECT_FALSE(report["resolution_reason"].get<std::string>().empty());
  EXPECT_EQ(report["options"]["resolution"], 0);
}

// --paper sets what the paper states, and leaves what was given.
TEST_F(Bind, PaperSettings) {
  sample("cylinder");
  const auto report = bind("in.glb -o out.glb --paper --resolution 32 --penalty 7");
  EXPECT_EQ(report["options"]["sampling"], "containing");
  EXPECT_EQ(report["options"]["smoothing"], 0.0);
  EXPECT_EQ(report["options"]["penalty"], 7.0);
  EXPECT_EQ(report["resolution"], 32);
}

/// The largest weight of a joint in a file, over a part's vertices.
double largest_weight(const Character& character, const std::string& joint) {
  double largest = 0;
  for (const Part& part : character.parts) {
    for (const Influence& i : part.weights.influences) {
      if (character.skeleton.joints[part.skin.joints[i.joint]].name == joint) largest = std::max(largest, i.weight);
    }
  }
  return largest;
}

// Joints can be left out by pattern, and a part tied to one joint.
TEST_F(Bind, ExcludeAndRigid) {
  sample("knight");
  bind("in.glb -o out.glb --resolution 64 --exclude 'Cape*' --exclude '*Toes' --rigid eyes=Head");
  const Character character = load("out.glb");
  EXPECT_EQ(largest_weight(character, "Cape2"), 0);
  EXPECT_EQ(largest_weight(character, "LeftToes"), 0);
  EXPECT_GT(largest_weight(character, "LeftFoot"), 0.5);
  const auto eyes = std::find_if(character.parts.begin(), character.parts.end(),
                                 [](const Part& part) { return part.name == "eyes"; });
  ASSERT_NE(eyes, character.parts.end());
  for (std::size_t v = 0; v < eyes->weights.vertex_count(); ++v) {
    ASSERT_EQ(eyes->weights.row(v).size(), 1u);
    EXPECT_EQ(character.skeleton.joints[eyes->skin.joints[eyes->weights.row(v)[0].joint]].name, "Head");
  }
}

// A higher falloff is more local; a joint's own falloff changes that joint's surroundings alone.
TEST_F(Bind, Falloff) {
  sample("cylinder");
  bind("in.glb -o soft.glb --resolution 64 --falloff 0");
  bind("in.glb -o hard.glb --resolution 64 --falloff 1");
  bind("in.glb -o one.glb --resolution 64 --falloff 0 --joint-falloff Bone1=1");
  const auto soft_hard = compare("soft.glb hard.glb")["weights"];
  EXPECT_GT(soft_hard["influences"]["a"]["mean"], soft_hard["influences"]["b"]["mean"]);
  EXPECT_GT(compare("soft.glb one.glb")["weights"]["l1_max"], 0.05);
}

// Painted weights stay for what is named, and the rest is filled in.
TEST_F(Bind, KeepsPaintedWeights) {
  sample("knight");
  bind("in.glb -o out.glb --resolution 64 --keep body");
  const Character before = load("in.glb"), after = load("out.glb");
  const auto body = [](const Character& c) {
    return std::find_if(c.parts.begin(), c.parts.end(), [](const Part& part) { return part.name == "body"; });
  };
  const SkinWeights &a = body(before)->weights, &b = body(after)->weights;
  ASSERT_EQ(a.vertex_count(), b.vertex_count());
  for (std::size_t v = 0; v < a.vertex_count(); ++v) {
    for (const Influence& i : a.row(v)) {
      const std::string& name = before.skeleton.joints[body(before)->skin.joints[i.joint]].name;
      double kept = 0;
      for (const Influence& k : b.row(v)) {
        if (after.skeleton.joints[body(after)->skin.joints[k.joint]].name == name) kept += k.weight;
      }
      ASSERT_NEAR(kept, i.weight, 1e-5) << v;
    }
  }
  EXPECT_GT(compare("out.glb in.glb")["weights"]["l1_max"], 0.01) << "the other parts are bound anew";
}

// A symmetric character gets symmetric weights when asked.
TEST_F(Bind, Symmetric) {
  sample("elephant");
  const auto report = bind("in.glb -o out.glb --resolution 64 --symmetric");
  EXPECT_EQ(report["volumes"][0]["symmetry"]["found"], true) << report["volumes"];
  EXPECT_LT(compare("out.glb out.glb")["weights"]["symmetry"]["a"]["max"], 1e-5);
}

// The Euclidean method binds too, without voxels.
TEST_F(Bind, DistanceMethod) {
  sample("elephant");
  const auto report = bind("in.glb -o out.glb --method distance");
  EXPECT_EQ(report["bound"], report["vertices"]);
  EXPECT_EQ(report["resolution"], 0);
  EXPECT_TRUE(report["seconds"].contains("voxelize"));
}

// Gates: all vertices are bound, so --require-bound passes; a shell that no bone reaches fails --max-fallback with 1.
TEST_F(Bind, Gates) {
  test::write_text(here / "rig.txt", "joints a 0.5 0.5 0.2\njoints b 0.5 0.5 0.8\nroot a\nhier a b\n");
  std::string cubes;
  for (const double x : {0.0, 3.0}) {
    for (int i = 0; i < 8; ++i) {
      cubes +=
          "v " + std::to_string(x + (i & 1)) + " " + std::to_string(i >> 1 & 1) + " " + std::to_string(i >> 2) + "\n";
    }
  }
  for (const int o : {1, 9}) {
    for (const auto& f :
         {std::array{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}) {
      cubes += "f";
      for (const int c : f) cubes += " " + std::to_string(o + c);
      cubes += "\n";
    }
  }
  test::write_text(here / "cubes.obj", cubes);
  const std::string common = "bind cubes.obj --skeleton rig.txt -o out.glb --resolution 32 ";
  EXPECT_EQ(run_isochor(here, common + "--require-bound").code, 0);
  EXPECT_EQ(run_isochor(here, common + "--max-fallback 0.9").code, 0);
  fs::remove(here / "out.glb");
  EXPECT_EQ(run_isochor(here, common + "--max-fallback 0.1").code, 1);
  EXPECT_TRUE(fs::exists(here / "out.glb"));
  const auto report = bind("cubes.obj --skeleton rig.txt -o out.glb --resolution 32");
  EXPECT_EQ(report["fallbacks"]["across_gap"], 8);
  EXPECT_FALSE(report["warnings"].empty());
}

// Choices that cannot be met are refused with one sentence, and nothing is written.
TEST_F(Bind, ImpossibleChoices) {
  sample("knight");
  test::write_text(here / "flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  test::write_text(here / "points.obj", "v 0 0 0\nv 1 0 0\n");
  test::write_text(here / "no_joints.txt", "root a\n");
  for (const char* arguments : {"--resolution 100",
                                "--resolution 4",
                                "--resolution 2048",
                                "--resolution fine",
                                "--method warmth",
                                "--falloff 2",
                                "--falloff x",
                                "--penalty 0.5",
                                "--influences 0",
                                "--exclude '*'",
                                "--exclude Nobody",
                                "--rigid eyes",
                                "--rigid eyes=Nobody",
                                "--rigid nothing=Head",
                                "--rigid =Head",
                                "--joint-falloff Head",
                                "--joint-falloff Head=3",
                                "--joint-falloff Nobody=0.5",
                                "--keep nothing",
                                "--parts nothing",
                                "--skeleton missing.txt",
                                "--skeleton no_joints.txt",
                                "--skeleton flat.obj",
                                "--max-fallback 2"}) {
    expect_refused(run_isochor(here, "bind in.glb -o out.glb " + std::string(arguments)), arguments);
  }
  // A rule that is not of the form is told the form that the help tells.
  for (const auto& [option, form] :
       {std::pair{"--rigid", "GLOB=JOINT"}, std::pair{"--joint-falloff", "GLOB=FALLOFF"}}) {
    const auto ran = run_isochor(here, "bind in.glb -o out.glb " + std::string(option) + " Head");
    EXPECT_NE(ran.err.find(std::string(option) + " '" + form + "'"), std::string::npos) << ran.err;
  }
  expect_refused(run_isochor(here, "bind in.glb -o out.obj"), "OBJ holds no weights");
  expect_refused(run_isochor(here, "bind in.glb -o out.stl"), "unknown extension");
  expect_refused(run_isochor(here, "bind in.glb -o in.glb"), "onto itself");
  expect_refused(run_isochor(here, "bind flat.obj -o out.glb"), "no joints");
  expect_refused(run_isochor(here, "bind points.obj --skeleton bare.txt -o out.glb"), "no face at all");
  expect_refused(run_isochor(here, "bind bare.txt -o out.glb"), "no mesh");
  for (const char* file : {"out.glb", "out.obj", "out.stl"}) EXPECT_FALSE(fs::exists(here / file)) << file;
}

/// stem_rig.txt, stem-rig.txt or rig.txt.
fs::path rig_beside(const fs::path& mesh) {
  for (const std::string separator : {"_", "-"}) {
    const fs::path rig = mesh.parent_path() / (mesh.stem().string() + separator + "rig.txt");
    if (fs::exists(rig)) return rig;
  }
  return mesh.parent_path() / "rig.txt";
}

// Every character of the shared folder binds: to its own skeleton, or to the rig beside its mesh; all vertices, valid.
TEST_F(Bind, EveryRealCharacter) {
  SKIP_WITHOUT_SHARED_DATA();
  std::vector<std::string> cases;
  for (const auto& entry : fs::recursive_directory_iterator(test::shared_data())) {
    const fs::path& file = entry.path();
    if (!entry.is_regular_file() || test::leave_out(file)) continue;
    if (file.extension() == ".glb" || file.extension() == ".fbx") cases.push_back(quoted(file));
    if (file.extension() == ".obj") cases.push_back(quoted(file) + " --skeleton " + quoted(rig_beside(file)));
  }
  std::sort(cases.begin(), cases.end());
  std::size_t bound = 0;
  for (const std::string& arguments : cases) {
    const auto ran =
        run_isochor(here, "bind " + arguments + " -o out.glb --resolution 64 --require-bound --report r.json");
    if (ran.code == 2) {
      // Meshes without joints, and skeletons without a mesh.
      expect_refused(ran, arguments);
      EXPECT_TRUE(ran.err.find("has no joints") != std::string::npos ||
                  ran.err.find("has no mesh") != std::string::npos)
          << arguments << ran.err;
      continue;
    }
    ASSERT_EQ(ran.code, 0) << arguments << ran.err;
    const auto report = read_json(here / "r.json");
    EXPECT_EQ(report["bound"], report["vertices"]) << arguments;
    expect_valid_weights(load("out.glb"), arguments);
    ++bound;
  }
  EXPECT_GE(bound, test::kSanitized ? 10u : 20u);
}

// The medial is found with at most 256 voxels: whoever asks for more is told.
TEST_F(Bind, MedialResolution) {
  sample("cylinder");
  const auto report = bind("in.glb -o out.glb --method medial --resolution 512");
  EXPECT_EQ(report["resolution"], 256);
  const auto& warnings = report["warnings"];
  EXPECT_TRUE(std::any_of(warnings.begin(), warnings.end(),
                          [](const auto& warning) { return warning["code"] == "medial-resolution"; }));
}

}  // namespace
}  // namespace isochor

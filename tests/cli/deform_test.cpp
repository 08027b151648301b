/// isochor deform on the procedural characters.

#include "program.h"

namespace isochor {
namespace {

using test::expect_refused;
using test::read_json;
using test::run_isochor;
using test::TempFolder;

struct Deform : testing::Test {
  TempFolder here;

  void SetUp() override { ASSERT_EQ(run_isochor(here, "sample cylinder -o c.glb").code, 0); }
  nlohmann::json compare(const std::string& a, const std::string& b) {
    const auto ran = run_isochor(here, "compare " + a + " " + b + " --json");
    EXPECT_EQ(ran.code, 0) << ran.err;
    return nlohmann::json::parse(ran.out);
  }
};

// The report has the fields that other tools rely on, and they make sense.
TEST_F(Deform, ReportFields) {
  ASSERT_EQ(run_isochor(here, "deform c.glb -o out.glb --report r.json").code, 0);
  const auto report = read_json(here / "r.json");
  EXPECT_GT(report["frames"], 1);
  EXPECT_GT(report["vertices"], 100);
  for (const char* stage : {"skin", "correct", "total"}) EXPECT_TRUE(report["seconds"].contains(stage)) << stage;
  ASSERT_EQ(report["volume"]["components"].size(), 1u);
  const auto& component = report["volume"]["components"][0];
  EXPECT_GT(component["rest"], 0.0);
  EXPECT_GT(component["max_error_before"], 0.01);
  EXPECT_LT(component["max_error_after"], 1e-9);
  ASSERT_EQ(report["volume"]["joints"].size(), 1u);
  const auto& joint = report["volume"]["joints"][0];
  EXPECT_LT(joint["max_local_error_after"], joint["max_local_error_before"]);
  EXPECT_GT(report["volume"]["max_displacement"], 0.0);
  EXPECT_LT(report["bake"]["max_position_error"], 1e-3);
}

// Without correction the volume is what skinning leaves, and nothing is baked.
TEST_F(Deform, VolumeOff) {
  ASSERT_EQ(run_isochor(here, "deform c.glb -o out.glb --volume off --report r.json").code, 0);
  const auto report = read_json(here / "r.json");
  const auto& component = report["volume"]["components"][0];
  EXPECT_GT(component["max_error_before"], 0.01);
  EXPECT_EQ(component["max_error_before"], component["max_error_after"]);
  EXPECT_FALSE(report.contains("bake"));
}

// Exact and three-step hold the volume, joints together and in sequence, for every deformer: to 1e-9, up to a twist of
// 180°, and to 1e-6 in the file's floats.
TEST_F(Deform, ExactSolversHoldTheVolume) {
  for (const std::string volume : {"exact", "three-step"}) {
    for (const std::string joints : {"together", "sequence"}) {
      for (const std::string deformer : {"lbs", "dqs", "medial"}) {
        const std::string what = "--volume " + volume + " --joints " + joints + " --deformer " + deformer;
        ASSERT_EQ(run_isochor(here, "deform c.glb -o out.glb --bake frames --fps 4 --report r.json " + what).code, 0);
        const auto report = read_json(here / "r.json");
        EXPECT_LT(report["volume"]["max_error_after"], 1e-9) << what;
        EXPECT_LT(report["bake"]["max_volume_error"], 1e-6) << what;
      }
    }
  }
}

// The linear solver gives most of a bend's loss back.
TEST_F(Deform, LinearSolverHoldsMostOfTheVolume) {
  for (const std::string joints : {"together", "sequence"}) {
    for (const std::string deformer : {"lbs", "dqs"}) {
      const std::string what = "--joints " + joints + " --deformer " + deformer;
      ASSERT_EQ(
          run_isochor(here, "deform c.glb -o out.glb --clip bend --fps 4 --volume linear --report r.json " + what).code,
          0);
      const auto component = read_json(here / "r.json")["volume"]["components"][0];
      EXPECT_LT(component["max_error_after"], 0.25 * component["max_error_before"].get<double>()) << what;
    }
  }
}

// Settings are read from a file, change the shape, hold the volume, and travel on in the output.
TEST_F(Deform, EffectsTravelWithTheCharacter) {
  test::write_text(here / "muscle.json", R"({"default": {"effect": "muscle"}})");
  ASSERT_EQ(run_isochor(here, "deform c.glb -o muscle.glb --effects muscle.json --clip bend --report r.json").code, 0);
  EXPECT_LT(read_json(here / "r.json")["volume"]["max_error_after"], 1e-9);
  ASSERT_EQ(run_isochor(here, "deform c.glb -o a.obj --effects muscle.json --clip bend --time 0.8").code, 0);
  ASSERT_EQ(run_isochor(here, "deform c.glb -o plain.obj --clip bend --time 0.8").code, 0);
  EXPECT_GT(compare("a.obj", "plain.obj")["shape"]["max_distance"], 1e-3);
  const auto again = run_isochor(here, "deform muscle.glb -o again.glb --clip bend --report again.json");
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(read_json(here / "again.json")["options"]["effects"]["default"]["effect"], "muscle");
}

// A map that an artist painted is an attribute of the file: it shapes the correction, which stays exact. One that is
// not there is refused.
TEST_F(Deform, PaintedMap) {
  ASSERT_EQ(run_isochor(here, "sample cylinder -o c.gltf").code, 0);
  auto document = read_json(here / "c.gltf");
  // Positions read again, one number a vertex: the map is how far along y a vertex lies.
  auto& attributes = document["meshes"][0]["primitives"][0]["attributes"];
  auto accessor = document["accessors"][attributes["POSITION"].get<int>()];
  auto view = document["bufferViews"][accessor["bufferView"].get<int>()];
  view["byteStride"] = view.value("byteStride", 12);
  attributes["_FAT"] = document["accessors"].size();
  document["accessors"].push_back({{"bufferView", document["bufferViews"].size()},
                                   {"byteOffset", accessor.value("byteOffset", 0) + 4},
                                   {"componentType", 5126},
                                   {"count", accessor["count"]},
                                   {"type", "SCALAR"}});
  document["bufferViews"].push_back(view);
  test::write_text(here / "painted.gltf", document.dump());
  test::write_text(here / "fat.json", R"({"default": {"effect": "painted", "map": "fat"}})");
  test::write_text(here / "lean.json", R"({"default": {"effect": "painted", "map": "lean"}})");

  const std::string moment = " --clip bend --time 0.8";
  ASSERT_EQ(run_isochor(here, "deform painted.gltf -o a.obj --effects fat.json --report r.json" + moment).code, 0);
  EXPECT_LT(read_json(here / "r.json")["volume"]["max_error_after"], 1e-9);
  ASSERT_EQ(run_isochor(here, "deform painted.gltf -o plain.obj" + moment).code, 0);
  EXPECT_GT(compare("a.obj", "plain.obj")["shape"]["max_distance"], 1e-3);
  ASSERT_EQ(run_isochor(here, "deform painted.gltf -o out.glb --effects fat.json --clip bend --fps 4").code, 0);
  expect_refused(run_isochor(here, "deform painted.gltf -o no.glb --effects lean.json"), "a map that is not there");
  EXPECT_FALSE(std::filesystem::exists(here / "no.glb"));
}

// A volume that changes in time: the target of each moment is reached.
TEST_F(Deform, Breathing) {
  test::write_text(here / "breath.json", R"({"volume": [[0, 1], [0.5, 1.1], [1, 1]]})");
  ASSERT_EQ(
      run_isochor(here, "deform c.glb -o rest.obj --clip bend --time 0.5 --effects breath.json --report r.json").code,
      0);
  const auto report = read_json(here / "r.json");
  EXPECT_LT(report["volume"]["max_error_after"], 1e-9);
  EXPECT_GT(report["volume"]["components"][0]["max_error_before"], 0.05);
}

// Settings that make no sense are refused with the line, and nothing is written.
TEST_F(Deform, BrokenEffectsAreRefused) {
  const std::pair<const char*, const char*> cases[] = {{"{", "line"},
                                                       {R"({"default": {"effect": "wobble"}})", "line 1"},
                                                       {"{\n\"solver\": 3}", "line 2"},
                                                       {R"({"default": {"effect": "muscle", "mu": [1, 1, 1]}})", "mu"}};
  for (const auto& [text, mention] : cases) {
    test::write_text(here / "bad.json", text);
    const auto ran = run_isochor(here, "deform c.glb -o out.glb --effects bad.json");
    expect_refused(ran, text);
    EXPECT_NE(ran.err.find(mention), std::string::npos) << ran.err;
  }
  expect_refused(run_isochor(here, "deform c.glb -o out.glb --effects missing.json"), "missing file");
  expect_refused(run_isochor(here, "deform c.glb -o out.glb --volume most"), "unknown solver");
  EXPECT_FALSE(std::filesystem::exists(here / "out.glb"));
}

// Dual quaternions baked as morph targets play back, under plain linear blend skinning, as dual quaternions do.
TEST_F(Deform, DqsIsBakedForViewersThatKnowLbs) {
  ASSERT_EQ(run_isochor(
                here, "deform c.glb -o dqs.glb --deformer dqs --volume off --bake frames --clip twist --report r.json")
                .code,
            0);
  EXPECT_GT(read_json(here / "r.json")["bake"]["targets"], 1);
  // Two stills of the same moment: one by DQS, one by LBS on top of the baked targets.
  const auto times = nlohmann::json::parse(run_isochor(here, "inspect c.glb --json").out)["clips"];
  ASSERT_EQ(run_isochor(here, "deform c.glb -o a.obj --deformer dqs --volume off --clip twist --time 0.5").code, 0);
  ASSERT_EQ(run_isochor(here, "deform dqs.glb -o b.obj --volume off --clip twist --time 0.5").code, 0);
  ASSERT_EQ(run_isochor(here, "deform c.glb -o lbs.obj --volume off --clip twist --time 0.5").code, 0);
  EXPECT_LT(compare("a.obj", "b.obj")["shape"]["max_distance"], 1e-3);
  EXPECT_GT(compare("a.obj", "lbs.obj")["shape"]["max_distance"], 5e-3);
}

// A still pose from a file: one joint turned, as GLB and as OBJ.
TEST_F(Deform, PoseFile) {
  test::write_text(here / "pose.json", R"({"joints": {"*": {"turn": [0, 0, 0]}}})");
  ASSERT_EQ(run_isochor(here, "deform c.glb -o rest.obj --pose pose.json").code, 0);
  ASSERT_EQ(run_isochor(here, "deform c.glb -o rest.glb --pose pose.json").code, 0);
  EXPECT_LT(compare("c.glb", "rest.obj")["shape"]["max_distance"], 1e-6);
  EXPECT_LT(compare("c.glb", "rest.glb")["shape"]["max_distance"], 1e-6);
  const auto still = nlohmann::json::parse(run_isochor(here, "inspect rest.glb --json").out);
  EXPECT_EQ(still["clips"].size(), 0u);
}

// One and two threads write the same bytes.
TEST_F(Deform, SameBytesForAnyNumberOfThreads) {
  for (const char* deformer : {"lbs", "dqs"}) {
    const std::string common = "deform c.glb --deformer " + std::string(deformer);
    ASSERT_EQ(run_isochor(here, common + " -o 1.glb --threads 1").code, 0);
    ASSERT_EQ(run_isochor(here, common + " -o 2.glb --threads 2").code, 0);
    EXPECT_EQ(test::read_text(here / "1.glb"), test::read_text(here / "2.glb")) << deformer;
  }
}

// A gate that the user named fails with exit code 1 and a sentence, whatever else is printed, and the file is there all
// the same. What it judges is the written file, at keys and between them.
TEST_F(Deform, VolumeGate) {
  const auto code = [&](const std::string& arguments) {
    const auto ran = run_isochor(here, "deform " + arguments + " -o out.glb --quiet --report r.json");
    EXPECT_EQ(ran.code == 1, ran.err.find("--max-volume-error") != std::string::npos) << ran.err;
    EXPECT_EQ(ran.out, "");
    return ran.code;
  };
  const auto written = [&] { return read_json(here / "r.json")["volume"]["max_error_written"].get<double>(); };
  EXPECT_EQ(code("c.glb --volume off --max-volume-error 0.001"), 1);
  EXPECT_TRUE(std::filesystem::exists(here / "out.glb"));
  EXPECT_GT(written(), 0.05);
  EXPECT_EQ(code("c.glb --max-volume-error 0.001"), 0);
  EXPECT_EQ(code("c.glb --fps 4 --max-volume-error 0.001"), 1) << "between keys that are far apart";
  EXPECT_EQ(code("c.glb --clip bend --bake frames --between 0.0001 --max-volume-error 0.0001"), 0);
  EXPECT_GT(written(), 0);
}

// The gate sees what else is written: point caches, which players blend between samples, and stills, which a GLB has in
// single precision.
TEST_F(Deform, VolumeGateOfCachesAndStills) {
  const auto gate = [&](const std::string& arguments) {
    return run_isochor(here, "deform c.glb " + arguments + " --report r.json").code;
  };
  const auto written = [&] { return read_json(here / "r.json")["volume"]["max_error_written"].get<double>(); };
  EXPECT_EQ(gate("-o out.pc2 --clip bend --fps 4 --max-volume-error 0.0001"), 1);
  EXPECT_GT(written(), 0.0001);
  const double sparse = written();
  EXPECT_EQ(gate("-o out.pc2 --clip bend --fps 48 --max-volume-error 0.0001"), 0);
  EXPECT_LT(written(), sparse / 50);
  EXPECT_GT(read_json(here / "r.json")["bake"]["max_volume_error"], 1e-10) << "single precision";
  EXPECT_EQ(gate("-o out.glb --clip bend --time 1 --max-volume-error 1e-12"), 1);
  EXPECT_EQ(gate("-o out.glb --clip bend --time 1 --max-volume-error 1e-6"), 0);
}

// Targets that are too few for all components say so, and the gate sees it.
TEST_F(Deform, TooFewTargetsFailTheGate) {
  ASSERT_EQ(run_isochor(here, "sample knight -o k.glb").code, 0);
  const auto ran =
      run_isochor(here, "deform k.glb -o out.glb --fps 4 --bake-targets 2 --max-volume-error 0.01 --report r.json");
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.out.find("too few to hold the volume"), std::string::npos) << ran.out;
  EXPECT_LT(read_json(here / "r.json")["volume"]["max_error_after"], 1e-9);
  EXPECT_GT(read_json(here / "r.json")["bake"]["max_volume_error"], 0.01);
}

// An input is not overwritten unless asked.
TEST_F(Deform, InputIsNotOverwritten) {
  const std::string before = test::read_text(here / "c.glb");
  expect_refused(run_isochor(here, "deform c.glb -o c.glb"), "onto itself");
  expect_refused(run_isochor(here, "deform c.glb -o ./c.glb"), "onto itself by another name");
  EXPECT_EQ(test::read_text(here / "c.glb"), before);
  EXPECT_EQ(run_isochor(here, "deform c.glb -o c.glb --overwrite").code, 0);
}

// Choices that cannot be met are refused and nothing is written.
TEST_F(Deform, ImpossibleChoices) {
  test::write_text(here / "bad.json", "{");
  test::write_text(here / "stranger.json", R"({"joints": {"nobody": {}}})");
  test::write_text(here / "cube.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  for (const char* arguments :
       {"--clip dance", "--clip 99", "--clip bend --time 99", "--clip bend --time -1", "--pose missing.json",
        "--pose bad.json", "--pose stranger.json", "--deformer spline", "--fps -1", "--pose bad.json --clip bend",
        "--motion missing.bvh", "--motion c.glb --clip bend", "--skeleton missing.txt"}) {
    expect_refused(run_isochor(here, "deform c.glb -o out.glb " + std::string(arguments)), arguments);
  }
  expect_refused(run_isochor(here, "deform c.glb -o out.obj"), "a motion into OBJ");
  expect_refused(run_isochor(here, "deform c.glb -o out.stl"), "unknown extension");
  expect_refused(run_isochor(here, "deform cube.obj -o out.glb"), "no joints");
  EXPECT_FALSE(std::filesystem::exists(here / "out.glb"));
  EXPECT_FALSE(std::filesystem::exists(here / "out.obj"));
}

// The character's own clip, carried over as a motion, is that clip again.
TEST_F(Deform, MotionByName) {
  ASSERT_EQ(run_isochor(here, "sample cylinder -o other.glb").code, 0);
  ASSERT_EQ(run_isochor(here, "deform c.glb -o moved.glb --volume off --motion other.glb --report r.json").code, 0);
  const auto report = read_json(here / "r.json");
  EXPECT_GE(report["motion"]["matched"], 2);
  EXPECT_EQ(report["motion"]["unmatched_source"].size(), 0u);
  ASSERT_EQ(run_isochor(here, "deform moved.glb -o a.obj --volume off --clip other --time 0.5").code, 0);
  ASSERT_EQ(run_isochor(here, "deform c.glb -o b.obj --volume off --clip bend --time 0.5").code, 0);
  EXPECT_LT(compare("a.obj", "b.obj")["shape"]["max_distance"], 1e-4);
}

/// A BVH of joints, each below the one before, which all turn.
std::string bvh_of(const std::vector<std::string>& joints) {
  std::string hierarchy;
  std::string first, second, ends;
  for (const std::string& name : joints) {
    hierarchy += (hierarchy.empty() ? "ROOT " : "JOINT ") + name + "\n{\nOFFSET 0 1 0\nCHANNELS 1 Zrotation\n";
    first += "0 ";
    second += "20 ";
    ends += "}\n";
  }
  return "HIERARCHY\n" + hierarchy + "End Site\n{\nOFFSET 0 1 0\n}\n" + ends + "MOTION\nFrames: 2\nFrame Time: 1\n" +
         first + "\n" + second + "\n";
}

// A clip of the motion's file is picked by name or number and keeps its name; an unknown one is refused with the names.
TEST_F(Deform, MotionClip) {
  ASSERT_EQ(run_isochor(here, "sample cylinder -o other.glb").code, 0);
  const auto ran = run_isochor(
      here, "deform c.glb -o moved.glb --volume off --motion other.glb --motion-clip twist --report r.json");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("motion: clip twist of 2: bend, twist\n"), std::string::npos) << ran.out;
  EXPECT_EQ(read_json(here / "r.json")["motion"]["clip"], "twist");
  EXPECT_EQ(read_json(here / "r.json")["motion"]["clips"].size(), 2u);
  ASSERT_EQ(run_isochor(here, "deform moved.glb -o a.obj --volume off --clip 'twist (other)' --time 0.5").code, 0);
  ASSERT_EQ(run_isochor(here, "deform c.glb -o b.obj --volume off --clip twist --time 0.5").code, 0);
  EXPECT_LT(compare("a.obj", "b.obj")["shape"]["max_distance"], 1e-4);
  const auto refused = run_isochor(here, "deform c.glb -o out.glb --motion other.glb --motion-clip jump");
  expect_refused(refused, "no such clip");
  EXPECT_NE(refused.err.find("other.glb has bend, twist"), std::string::npos) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(here / "out.glb"));
}

// Too few matches are refused with a sentence that says how many and what to do; a map is the user's will.
TEST_F(Deform, MotionOfAnotherCharacter) {
  test::write_text(here / "body.bvh", bvh_of({"Hips", "Spine", "Neck", "Head"}));
  const auto refused = run_isochor(here, "deform c.glb -o out.glb --motion body.bvh");
  expect_refused(refused, "no joint in common");
  EXPECT_NE(refused.err.find("only 0 of the 4 joints"), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("--motion-map FILE, in lines SOURCE TARGET"), std::string::npos) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(here / "out.glb"));
  test::write_text(here / "map.txt", "Spine Bone2\n");
  const auto ran = run_isochor(here, "deform c.glb -o out.glb --motion body.bvh --motion-map map.txt --report r.json");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("  drives nothing: Hips, Neck, Head\n"), std::string::npos) << ran.out;
  EXPECT_EQ(read_json(here / "r.json")["motion"]["matched_by"]["map"], 1);
  EXPECT_EQ(read_json(here / "r.json")["motion"]["unmatched_source"].size(), 3u);
}

// Of many joints without a partner the terminal names eight, the report all.
TEST_F(Deform, MotionNamesWhatIsUnmatched) {
  std::vector<std::string> names{"Hips"};
  for (int i = 0; i < 12; ++i) names.push_back("extra" + std::string(1, static_cast<char>('a' + i)));
  test::write_text(here / "long.bvh", bvh_of(names));
  test::write_text(here / "map.txt", "Hips Bone2\n");
  const auto ran = run_isochor(here,
                               "deform c.glb -o out.obj --time 0 --volume off --motion long.bvh --motion-map "
                               "map.txt --report r.json");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("extrah and 4 more\n"), std::string::npos) << ran.out;
  EXPECT_EQ(read_json(here / "r.json")["motion"]["unmatched_source"].size(), 12u);
}

// Options about a motion need one; a motion of one key, or one that moves nothing, plays as it is.
TEST_F(Deform, MotionOddities) {
  for (const char* option : {"--motion-clip bend", "--motion-map map.txt", "--motion-rest first-frame",
                             "--motion-align off", "--motion-scale 2", "--motion-fps 10"}) {
    const auto refused = run_isochor(here, std::string("deform c.glb -o out.glb ") + option);
    expect_refused(refused, option);
    EXPECT_NE(refused.err.find("--motion"), std::string::npos) << refused.err;
  }
  ASSERT_EQ(run_isochor(here, "deform c.glb -o still.glb --time 0 --clip bend").code, 0);
  const auto no_clip = run_isochor(here, "deform c.glb -o out.glb --motion still.glb");
  expect_refused(no_clip, "no clip");
  EXPECT_NE(no_clip.err.find("still.glb has no clip"), std::string::npos) << no_clip.err;
  EXPECT_FALSE(std::filesystem::exists(here / "out.glb"));
  std::string text = bvh_of({"Bone1", "Bone2"});
  const std::size_t frames = text.find("Frames: 2");
  text.replace(frames, 9, "Frames: 1");
  text.erase(text.rfind("20 20"));  // the second frame
  test::write_text(here / "one.bvh", text);
  const auto one = run_isochor(here, "deform c.glb -o out.glb --motion one.bvh");
  ASSERT_EQ(one.code, 0) << one.err;
  EXPECT_NE(one.out.find("warning: the motion moves no joint away from its rest"), std::string::npos) << one.out;
}

// What the command line says counts over the file of --effects, which counts over the defaults; the former name of an
// option means the same.
TEST(CliDeform, CommandLineOverSettings) {
  const TempFolder here;
  ASSERT_EQ(run_isochor(here, "sample cylinder -o c.glb").code, 0);
  test::write_text(here / "e.json", R"({"treatment": "sequence", "solver": "three-step", "stiffness": 0.2})");
  const auto options = [&](const std::string& more) {
    const auto ran = run_isochor(here, "deform c.glb -o out.glb --clip bend --report r.json " + more);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return read_json(here / "r.json")["options"];
  };
  const auto defaults = options("");
  EXPECT_EQ(defaults["treatment"], "together");
  EXPECT_EQ(defaults["volume"], "exact");
  const auto by_file = options("--effects e.json");
  EXPECT_EQ(by_file["treatment"], "sequence");
  EXPECT_EQ(by_file["volume"], "three-step");
  EXPECT_EQ(by_file["volume-stiffness"], 0.2);
  const auto by_line = options("--effects e.json --treatment together --volume exact --volume-stiffness 0.3");
  EXPECT_EQ(by_line["treatment"], "together");
  EXPECT_EQ(by_line["volume"], "exact");
  EXPECT_EQ(by_line["volume-stiffness"], 0.3);
  EXPECT_EQ(options("--joints sequence")["treatment"], "sequence");
  EXPECT_EQ(options("--volume off")["volume"], "off");
}

// The deformer medial is reported, baked relative to linear blend skinning so that the file shows it, as a point
// cache does, and keeps more of a twist than linear blending. Options of the medial are for it alone.
TEST_F(Deform, ByMedial) {
  const std::string twist = " --clip twist --volume off --report r.json ";
  ASSERT_EQ(run_isochor(here, "deform c.glb -o lbs.pc2" + twist).code, 0);
  const double lbs = read_json(here / "r.json")["volume"]["components"][0]["max_error_after"];
  ASSERT_EQ(run_isochor(here, "deform c.glb -o m.pc2 --deformer medial" + twist).code, 0);
  const double medial = read_json(here / "r.json")["volume"]["components"][0]["max_error_after"];
  EXPECT_LT(medial, lbs);
  ASSERT_EQ(run_isochor(here, "deform c.glb -o m.glb --deformer medial --clip bend --report r.json").code, 0);
  const auto report = read_json(here / "r.json");
  EXPECT_EQ(report["options"]["deformer"], "medial");
  EXPECT_GT(report["medial"]["vertices"], 3);
  EXPECT_LT(report["bake"]["max_position_error"], 1e-3);
  EXPECT_LT(report["bake"]["max_volume_error"], 1e-6);
  ASSERT_EQ(run_isochor(here, "deform c.glb -o j.glb --deformer medial --clip bend --bake joints --report r.json").code,
            0);
  expect_refused(run_isochor(here, "deform c.glb -o no.glb --medial-width 3"), "medial-width without the deformer");
  EXPECT_FALSE(std::filesystem::exists(here / "no.glb"));
}

// The complex is drawn in a pose, by radius and by joint; its options need it.
TEST_F(Deform, PicturesOfTheMedial) {
  for (const std::string what : {"--medial joint", "--medial radius --clip bend --frames 2",
                                 "--medial joint --clip bend", "--deformer medial --clip twist --time 1"}) {
    const auto ran = run_isochor(here, "render c.glb -o p.png --samples 1 --width 64 --height 64 " + what);
    EXPECT_EQ(ran.code, 0) << what << ran.err;
  }
  expect_refused(run_isochor(here, "render c.glb -o no.png --medial-angle 60"), "medial-angle without the medial");
  expect_refused(run_isochor(here, "render c.glb -o no.png --deformer medial --bind-pose"),
                 "a bind pose by a deformer");
  std::ofstream(here / "still.obj") << "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  for (const std::string what : {"--deformer medial", "--medial joint"}) {
    const auto ran = run_isochor(here, "render still.obj -o no.png " + what);
    expect_refused(ran, "a mesh without joints, " + what);
    EXPECT_NE(ran.err.find("has no joints"), std::string::npos) << ran.err;
  }
  EXPECT_FALSE(std::filesystem::exists(here / "no.png"));
}

}  // namespace
}  // namespace isochor

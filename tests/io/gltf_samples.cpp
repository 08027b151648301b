/// Writes files for the glTF validator: every real character and some small documents, through every way that we have
/// of writing and editing; and the list that tests/node/validate.mjs --compare takes.

#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "gltf_builder.h"
#include "isochor/base/error.h"
#include "isochor/io/atomic_file.h"
#include "isochor/io/gltf_edit.h"
#include "isochor/io/gltf_write.h"
#include "isochor/io/load.h"
#include "support/places.h"

namespace {

namespace fs = std::filesystem;
using namespace isochor;
using test::Json;

class Samples {
 public:
  explicit Samples(fs::path folder) : folder_(std::move(folder)) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }

  void add(const fs::path& input) {
    const GltfDocument document = GltfDocument::open(input);
    GltfCharacter read = read_gltf(document, {.require_triangles = false});
    const GltfSource source{document, std::move(read.map)};
    const Character& character = read.character;
    const std::string name = input.stem().string();
    save(document, name + "-same.glb", input);
    save(document, name + "-apart.gltf", input);
    save(write_gltf(character).source.document, name + "-fresh.glb", {});
    if (character.parts.empty()) return;
    rebind(source, character, name, input);
    freeze(source, character, name, input);
    if (!character.clips.empty()) animate(source, character, name, input);
  }

  void write_list() const { write_file_atomically(folder_ / "pairs.json", pairs_.dump(1)); }

 private:
  void save(const GltfDocument& document, const std::string& name, const fs::path& input) {
    document.save(folder_ / name);
    pairs_.push_back(
        {{"input", input.empty() ? Json(nullptr) : Json(input.string())}, {"output", (folder_ / name).string()}});
  }

  void rebind(GltfSource source, const Character& character, const std::string& name, const fs::path& input) {
    const std::vector<Affine> global = global_transforms(character.skeleton, rest_pose(character.skeleton));
    for (std::size_t p = 0; p < character.parts.size(); ++p) {
      const Part& part = character.parts[p];
      Skin skin = part.skin;
      SkinWeights weights = part.weights;
      if (!part.skinned()) {
        // Rigidly to the node that carried it.
        skin = {"rigid", {part.node}, {Affine::Identity()}};
        for (std::size_t v = 0; v < part.surface.vertex_count(); ++v) weights.add_row(std::vector<Influence>{{0, 1.0}});
      }
      replace_weights(source, static_cast<Index>(p), skin, weights);
    }
    save(source.document, name + "-bound.glb", input);
  }

  void freeze(GltfSource source, const Character& character, const std::string& name, const fs::path& input) {
    const Pose pose =
        character.clips.empty() ? rest_pose(character.skeleton) : sample(character.clips[0], character.skeleton, 0.37);
    std::vector<PosedPart> posed;
    for (const Part& part : character.parts)
      posed.push_back(pose_part(character, part, pose, Deformer::lbs, Context(1)));
    make_still(source, posed);
    save(source.document, name + "-still.glb", input);
  }

  void animate(GltfSource source, const Character& character, const std::string& name, const fs::path& input) {
    const Index added = add_clip(source, character.clips.back());
    const std::vector<Index> keep = {0, added};
    remove_clips_except(source, keep);
    save(source.document, name + "-clips.glb", input);
    const Clip& clip = character.clips[0];
    for (std::size_t p = 0; p < std::min<std::size_t>(character.parts.size(), 3); ++p) {
      MorphFrames frames{0, {}, {}};
      for (int k = 0; k < 4; ++k) {
        frames.times.push_back(clip.start() + k * std::max(clip.duration(), 1.0) / 3);
        MorphTarget target{"frame" + std::to_string(k), {}, {}};
        const std::size_t n = character.parts[p].surface.vertex_count();
        target.positions.resize(n, Vec3::Zero());
        for (std::size_t v = static_cast<std::size_t>(k); v < n; v += k % 2 ? 1 : 17)
          target.positions[v] = Vec3(0.01, 0, -0.02 * k);
        if (k > 1) target.normals.assign(n, Vec3(0.1, 0, 0));
        frames.frames.push_back(std::move(target));
      }
      add_morph_frames(source, static_cast<Index>(p), std::span(&frames, 1));
    }
    save(source.document, name + "-frames.glb", input);
    // A basis on top of the frames, stepping where they run.
    for (std::size_t p = 0; p < std::min<std::size_t>(character.parts.size(), 3); ++p) {
      const std::size_t n = character.parts[p].surface.vertex_count();
      std::vector<MorphTarget> targets(2);
      for (std::size_t t = 0; t < 2; ++t) {
        targets[t] = {"basis" + std::to_string(t), std::vector<Vec3>(n, Vec3::Zero()), {}};
        for (std::size_t v = t; v < n; v += 1 + 30 * t) targets[t].positions[v] = Vec3(0, 0.01, 0);
        targets[t].normals.assign(n, Vec3::Zero());
      }
      const MorphCurve curve{0, {0.0, 0.5, 1.0}, {0, 1, 0.5, 0.25, 1, 0}, Interpolation::step};
      add_morph_basis(source, static_cast<Index>(p), targets, std::span(&curve, 1));
    }
    save(source.document, name + "-basis.glb", input);
  }

  fs::path folder_;
  Json pairs_ = Json::array();
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const fs::path folder = argv[1];
  try {
    Samples samples(folder);
    const auto small = test::character_document().glb();
    write_file_atomically(folder / "small.glb", small);
    samples.add(folder / "small.glb");
    if (fs::is_directory(test::shared_data())) {
      std::vector<fs::path> files;
      for (const auto& entry : fs::recursive_directory_iterator(test::shared_data())) {
        if (entry.path().extension() == ".glb") files.push_back(entry.path());
      }
      std::sort(files.begin(), files.end());
      for (const fs::path& file : files) samples.add(file);
    }
    samples.write_list();
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}

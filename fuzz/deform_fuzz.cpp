// Small characters of any kind are written as glTF, played with their volume held, and baked; or refused with a
// sentence. What is baked can be read again.
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "isochor/bake/bake_times.h"
#include "isochor/base/error.h"
#include "isochor/bind/prepare_medial.h"
#include "isochor/io/bake.h"
#include "isochor/io/volume_settings.h"
#include "isochor/io/written_character.h"
#include "small_character.h"

namespace {

using namespace isochor;

VolumeSettings some_settings(fuzz::Bytes& bytes) {
  constexpr std::array<std::string_view, 11> kSettings = {
      R"({})",
      R"({"solver": "linear", "treatment": "sequence"})",
      R"({"default": {"effect": "rubber"}, "solver": "three-step"})",
      R"({"default": {"effect": "belly"}})",
      R"({"default": {"effect": "muscle"}, "treatment": "sequence"})",
      R"({"default": {"effect": "skin"}, "smoothness": 0})",
      R"({"joints": {"arm*": {"effect": "folds"}}, "volume": [[0, 1], [1, 1.5]]})",
      R"({"default": {"effect": "curve", "mu": [0, 1, 0], "x": [[-1, 0], [0, 1], [1, 0]]}})",
      R"({"faces": "keep"})",
      R"({"faces": "keep", "treatment": "sequence", "contact": "count"})",
      R"({"contact": "resolve"})"};
  return parse_volume_settings(kSettings[static_cast<std::size_t>(bytes.below(kSettings.size()))]);
}

void play_and_bake(fuzz::Bytes& bytes) {
  const std::uint8_t kind = bytes.next();
  HoldOptions hold;
  hold.playback.deformer = kind & 1 ? Deformer::dqs : Deformer::lbs;
  if (kind & 64) hold.playback.deformer = Deformer::medial;
  hold.playback.volume = some_settings(bytes);
  if (kind & 2) hold.playback.volume.reset();
  if (kind & 4) hold.fps = 4;
  if (kind & 8) hold.form = HeldForm::positions;
  if (!(kind & 16)) hold.between.volume_error = 0;  // takes several times as long
  Loaded loaded;
  loaded.character = fuzz::small_character(bytes);
  if (!fuzz::is_usable(loaded.character)) return;
  // Long clips take long, as they should; those without end are refused.
  if (bake_times(loaded.character.clips[0], hold.fps).size() > 5) return;
  Context context(1);
  constexpr std::array kForms = {BakeForm::morphs, BakeForm::frames, BakeForm::joints, BakeForm::joints_and_morphs};
  const BakeForm form = kForms[kind & 128 ? 2U + (kind >> 5 & 1U) : kind >> 5 & 1U];
  WrittenCharacter file = as_written(loaded, form);
  const WeldedCharacter welded(file.character());
  if (hold.playback.deformer == Deformer::medial) {
    BindOptions coarse;
    coarse.gvb.resolution = 8;
    hold.playback.medial = std::make_shared<MedialRig>(prepare_medial(welded, coarse, context).rig);
  }
  const HeldMotion motion = hold_volume(welded, hold, context);
  if (hold.form == HeldForm::positions) return;
  bake(motion, welded, {.form = form, .basis = {}}, file, context);
  read_gltf(GltfDocument::parse(file.source().document.to_glb()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Bytes bytes(data, size);
  try {
    play_and_bake(bytes);
  } catch (const Error&) {
    // refused with a sentence: what a broken character deserves
  }
  return 0;
}

#pragma once

/// --bake and what belongs to it.

#include <filesystem>
#include <optional>

#include "isochor/io/bake.h"
#include "session.h"

namespace CLI {
class App;
}

namespace isochor {

enum class BakeMode {
  morphs,             ///< a small basis of morph targets
  frames,             ///< one morph target for each frame
  joints,             ///< twins of the joints
  joints_and_morphs,  ///< and a few morph targets
  pc2,                ///< point caches
  mdd,
};
template <>
struct EnumNames<BakeMode> {
  static constexpr std::array names{"morphs", "frames", "joints", "joints+morphs", "pc2", "mdd"};
};

namespace cli {

struct BakeArguments {
  const CLI::App* command = nullptr;
  std::optional<BakeMode> mode;  ///< by the output's extension, and morphs for a glTF, where none is given
  MorphBasisOptions basis;
  TwinOptions twins;
  BetweenKeysOptions between;
  std::filesystem::path driven;  ///< where to write how twins follow the pose
  double fps = 0;
};
void add_bake_options(CLI::App& command, BakeArguments& arguments);

bool is_cache(BakeMode mode);
bool has_joints(BakeMode mode);
BakeForm bake_form(BakeMode mode);
/// The mode that is asked for. Throws where the output's extension (.glb, .gltf, .pc2, .mdd) or another option does not
/// fit it.
BakeMode bake_mode(const BakeArguments& arguments, const std::filesystem::path& output);

/// Which frames there are and what is kept of them: the clip's own keys, with more between them where that is asked
/// for; with --fps those alone, unless --between is given too; for point caches frames that are evenly apart.
HoldOptions frames_to_hold(const BakeArguments& arguments, BakeMode mode);

}  // namespace cli
}  // namespace isochor

#pragma once

/// FBX and COLLADA through the assimp library, with polygons kept.
///
/// assimp hands out meshes whose vertices are split at every face corner. The file's own vertices are rebuilt here:
/// corners of one mesh with the same position and the same weights are one vertex again, and normals and texture
/// coordinates stay with the corners.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <type_traits>

#include "isochor/base/options.h"
#include "isochor/rig/character.h"

namespace isochor {

/// What a child process may take beyond the options, for each megabyte and each byte of the file. Files of 1 to 2 MB
/// took 0.1 s for each megabyte and 20 bytes for each byte at most.
inline constexpr double kSecondsPerMegabyte = 1;
inline constexpr double kBytesPerByte = 64;

/// The limits of the process that reads a file.
struct AssimpOptions {
  double seconds = 60;
  double memory = 2048;
};

template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, AssimpOptions>
void describe(Options& options, Visitor&& visit) {
  visit(options.seconds, FieldInfo{.name = "import-seconds",
                                   .help = "processor time that reading an FBX or COLLADA file may take, beyond one "
                                           "second for each megabyte; a larger file may need more",
                                   .unit = "s",
                                   .min = 1,
                                   .max = 1e6,
                                   .expert = true});
  visit(options.memory, FieldInfo{.name = "import-memory",
                                  .help = "memory that reading an FBX or COLLADA file may take, beyond 64 times the "
                                          "file's size; a larger file may need more",
                                  .unit = "MiB",
                                  .min = 16,
                                  .max = 1048576,
                                  .expert = true});
}

/// The extensions that read_assimp() takes: lower case, without a dot.
std::span<const std::string_view> assimp_extensions();

/// All nodes of the file become joints of the skeleton; nodes that some mesh is bound to are those that deform. Lengths
/// are in metres and y is up at the topmost node, if the file names its unit and axes. There is one part per mesh and
/// node. Weights are repaired if they need it, and that is reported. Blend shapes and textures are not read; files
/// that refer to other files are read without them.
///
/// assimp is not hardened against hostile files: it is known to crash, to hang and to allocate without end. Records and
/// counts that contradict themselves and deep nesting are refused before it sees them, files above 1 GiB are not given
/// to it, and it runs in a child process, a fork of this one, that is ended at its limits. Whatever it does there
/// becomes an Error(bad_input). Where no such process can be started (in the browser, on Windows), these files are
/// refused with Error(unsupported).
///
/// A host with threads of its own may call this; a signal handler or another thread of it that waits for all children
/// (waitpid(-1)) only takes the reason out of the sentence.
Character read_assimp(const std::filesystem::path& path, const AssimpOptions& options = {});
/// `extension` as in assimp_extensions().
Character parse_assimp(std::string_view bytes, std::string_view extension, const AssimpOptions& options = {});

}  // namespace isochor

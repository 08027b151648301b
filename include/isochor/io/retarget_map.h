#pragma once

/// The file that says which joint of a motion drives which joint of a character, if the names differ.

#include <filesystem>
#include <string_view>

#include "isochor/rig/retarget.h"

namespace isochor {

/// One pair per line, "source target", separated by blanks or a tab; names with blanks stand in double quotes. '#'
/// begins a comment. "source -" leaves the source joint out.
JointNameMap read_retarget_map(const std::filesystem::path& path);
JointNameMap parse_retarget_map(std::string_view text);

}  // namespace isochor

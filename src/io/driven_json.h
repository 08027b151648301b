#pragma once

/// The file of driven twins: what examples/driven_twins.h and bindings/web/ts/driven.ts read.

#include <span>
#include <string>

#include "isochor/bake/driven_twins.h"

namespace isochor {

/// `names` by twin: of its node.
std::string driven_twins_json(const TwinJoints& twins, std::span<const DrivenTwin> driven,
                              std::span<const std::string> names, const Skeleton& skeleton);

}  // namespace isochor

#pragma once

/// What a page is told, as JSON. The TypeScript types of the same names are in ts/types.ts.

#include "document.h"
#include "isochor/bake/held_motion.h"
#include "isochor/io/bake.h"
#include "options_json.h"
#include "stage.h"

namespace isochor::web {

/// Version, samples, and the fields of everything that can be set.
Json describe_library();

/// The character: meshes with their places in the glTF, joints, clips, counts, problems, settings.
Json describe(const Document& document, const Stage& stage);

Json describe(const BindResult& result, const Context& context);
Json describe(const BroughtMotion& motion, const Character& character);
Json describe(const HeldMotion& motion, const BakeResult& baked);
Json describe(const Problems& problems);

}  // namespace isochor::web

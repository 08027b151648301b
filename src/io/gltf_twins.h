#pragma once

/// Which nodes of a document are twins that bake() made: extras.isochor.twin says so.

#include "gltf_json.h"

namespace isochor::gltf {

bool is_twin(const Json& node);
void mark_twin(Json& node);
/// Other extras stay.
void unmark_twin(Json& node);

}  // namespace isochor::gltf

#pragma once

/// What edits leave behind: accessors and buffer views that nothing refers to any more, and their bytes.

#include <optional>

#include "gltf_impl.h"

namespace isochor::gltf {

/// Notes what nothing refers to in a document as it was opened: that is its author's, and stays.
void note_idle(Impl& impl);

/// The document without what edits have left behind; nothing if there is none of it. A document with an extension that
/// counts something keeps all: it might count accessors. So do buffers other than the first, and one that stays in a
/// file of its own.
std::optional<Impl> pruned(const Impl& impl);

}  // namespace isochor::gltf

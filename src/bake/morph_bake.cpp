#include "isochor/bake/morph_bake.h"

#include <algorithm>
#include <string>

#include "bake/morph_keeper.h"
#include "isochor/base/parallel.h"

namespace isochor {
namespace {

/// The frames of a part, of all clips one after another.
std::vector<const HeldPart*> part_frames(const HeldMotion& motion, std::size_t part) {
  std::vector<const HeldPart*> out;
  for (const HeldClip& clip : motion.clips) {
    for (const HeldFrame& frame : clip.frames) out.push_back(&frame.parts[part]);
  }
  return out;
}

/// Vertices of a part that some frame moves, or whose normals it turns: mostly few.
class TouchedVertices {
 public:
  TouchedVertices(std::span<const HeldPart* const> frames, std::size_t vertices) : places_(vertices, kNone) {
    for (const HeldPart* frame : frames) {
      for (const Index v : frame->offsets.vertices) places_[v] = 0;
      for (const Index v : frame->normals.vertices) places_[v] = 0;
    }
    for (std::size_t v = 0; v < vertices; ++v) {
      if (places_[v] == kNone) continue;
      places_[v] = static_cast<Index>(vertices_.size());
      vertices_.push_back(static_cast<Index>(v));
    }
  }

  template <class Value>
  std::vector<Value> pick(const std::vector<Value>& all) const {
    std::vector<Value> out;
    out.reserve(vertices_.size());
    for (const Index v : vertices_) out.push_back(all[v]);
    return out;
  }
  std::vector<Vec3> pick(const SparseOffsets& offsets) const {
    std::vector<Vec3> out(vertices_.size(), Vec3::Zero());
    for (std::size_t i = 0; i < offsets.vertices.size(); ++i) {
      out[places_[offsets.vertices[i]]] = offsets.values[i].cast<double>();
    }
    return out;
  }
  /// Zero everywhere else.
  std::vector<Vec3> spread(const std::vector<Vec3>& picked) const {
    std::vector<Vec3> out(places_.size(), Vec3::Zero());
    for (std::size_t i = 0; i < vertices_.size(); ++i) out[vertices_[i]] = picked[i];
    return out;
  }

 private:
  std::vector<Index> vertices_;  // increasing
  std::vector<Index> places_;    // by vertex of the part: in vertices_, or kNone
};

MorphBasis find_basis(const HeldMotion& motion, const WeldedCharacter& welded, std::size_t part,
                      const MorphBasisOptions& options, Context& context) {
  const std::vector<const HeldPart*> held = part_frames(motion, part);
  const std::vector<double> all_sizes = component_sizes(welded, part);
  const TouchedVertices touched(held, all_sizes.size());
  const bool with_normals = !welded.character().parts[part].normals.empty();
  std::vector<MorphTarget> frames(held.size());
  parallel_for(context, frames.size(), 16, [&](Range range) {
    for (std::size_t f = range.begin; f < range.end; ++f) {
      frames[f].positions = touched.pick(held[f]->offsets);
      if (with_normals) frames[f].normals = touched.pick(held[f]->normals);
    }
  });
  const std::vector<double> sizes = touched.pick(all_sizes);
  MorphBasis basis = morph_basis({frames, sizes}, options, context);
  for (MorphTarget& target : basis.targets) {
    target.positions = touched.spread(target.positions);
    if (with_normals) target.normals = touched.spread(target.normals);
  }
  return basis;
}

Bases find_bases(const HeldMotion& motion, const WeldedCharacter& welded, const MorphBasisOptions& options,
                 Context& context) {
  Bases bases(welded.character().parts.size());
  for (std::size_t p = 0; p < bases.size(); ++p) {
    if (moves(motion, p)) bases[p] = find_basis(motion, welded, p, options, context);
  }
  return bases;
}

}  // namespace

bool moves(const HeldMotion& motion, std::size_t part) {
  for (const HeldClip& clip : motion.clips) {
    for (const HeldFrame& frame : clip.frames) {
      if (!frame.parts[part].offsets.vertices.empty()) return true;
    }
  }
  return false;
}

std::vector<MorphTarget> frame_targets(const HeldClip& clip, const WeldedCharacter& welded, std::size_t part) {
  const Part& of = welded.character().parts[part];
  const std::string name = welded.character().clips[clip.clip].name + ".";
  std::vector<MorphTarget> targets;
  for (std::size_t k = 0; k < clip.frames.size(); ++k) {
    const HeldPart& held = clip.frames[k].parts[part];
    targets.push_back({name + std::to_string(k), expand(held.offsets, of.surface.vertex_count()),
                       expand(held.normals, of.normals.size())});
  }
  return targets;
}

std::vector<std::optional<MorphBasis>> morph_bases(const HeldMotion& motion, const WeldedCharacter& welded,
                                                   const MorphBasisOptions& options, Context& context) {
  Bases bases = find_bases(motion, welded, options, context);
  MorphKeeper keeper(motion, welded, options.tolerance, bases);
  // Where targets are few by order, every vertex is off anyhow.
  keeper.keep(motion.keeps_faces && options.max_targets == 0, context);
  for (auto& basis : bases) {
    if (!basis) continue;
    if (options.max_targets != 1) unit_weights(*basis);
    for (std::size_t t = 0; t < basis->targets.size(); ++t) basis->targets[t].name = "isochor." + std::to_string(t);
  }
  return bases;
}

}  // namespace isochor

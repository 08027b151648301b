#include "isochor/bake/morph_bake.h"

#include <algorithm>
#include <string>

#include "bake/frame_ranges.h"
#include "isochor/bake/morph_volume.h"
#include "isochor/base/parallel.h"

namespace isochor {
namespace {

using Bases = std::vector<std::optional<MorphBasis>>;

double diagonal(const Box& box) { return box.isEmpty() ? 0 : box.diagonal().norm(); }

/// For each vertex of a part the diagonal of its component in the bind pose; crumbs count as a hundredth of the whole.
std::vector<double> sizes_of(const WeldedCharacter& welded, std::size_t part) {
  constexpr double kCrumb = 0.01;
  const Topology& topology = welded.topology();
  const auto& positions = welded.surface().positions;
  const double smallest = std::max(kCrumb * diagonal(bounding_box(positions)), 1e-30);
  std::vector<double> by_component;
  for (const Component& component : topology.components) {
    Box box;
    for (const Index v : component.vertices) box.extend(positions[v]);
    by_component.push_back(std::max(diagonal(box), smallest));
  }
  std::vector<double> sizes;
  for (std::size_t v = 0; v < welded.character().parts[part].surface.vertex_count(); ++v) {
    const Index component = topology.component_of_vertex[welded.whole().welded(part, v)];
    sizes.push_back(component == kNone ? smallest : by_component[component]);
  }
  return sizes;
}

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
  const std::vector<double> all_sizes = sizes_of(welded, part);
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

/// All parts' targets, on the welded surface.
struct WeldedTargets {
  std::vector<WeldedTarget> targets;
  std::vector<Eigen::Index> begin;  ///< by part: its first target
  std::vector<double> reach;        ///< #V of the surface: how far a vertex may go
};

WeldedTargets weld_targets(const Bases& bases, const WeldedCharacter& welded, double tolerance) {
  // A part of the tolerance, or of what few targets leave.
  constexpr double kReachShare = 0.2;
  WeldedTargets out;
  out.reach.assign(welded.surface().vertex_count(), 1.0);
  for (std::size_t p = 0; p < bases.size(); ++p) {
    const std::size_t first = out.targets.size();
    out.begin.push_back(static_cast<Eigen::Index>(first));
    if (!bases[p]) continue;
    const std::vector<double> sizes = sizes_of(welded, p);
    const double reach = kReachShare * std::max({tolerance, bases[p]->max_error, 1e-6});
    out.targets.resize(first + bases[p]->targets.size());
    for (std::size_t v = 0; v < sizes.size(); ++v) {
      if (!welded.whole().leads(p, v)) continue;
      const Index w = welded.whole().welded(p, v);
      out.reach[w] = reach * sizes[v];
      for (std::size_t t = 0; t < bases[p]->targets.size(); ++t) {
        const Vec3& offset = bases[p]->targets[t].positions[v];
        if (offset == Vec3::Zero()) continue;
        out.targets[first + t].vertices.push_back(w);
        out.targets[first + t].offsets.push_back(offset);
      }
    }
  }
  return out;
}

/// What a viewer shows of a frame without the targets that are baked. The skin is blended again here, once for each
/// frame: to keep the maps since it was played would take 96 bytes for every vertex of every frame.
MorphedFrame unmorphed(const HeldClip& clip, std::size_t k, const WeldedCharacter& welded) {
  const Character& character = welded.character();
  PosedSkin posed;
  const Pose pose = sample(character.clips[clip.clip], character.skeleton, clip.frames[k].time);
  pose_skin(welded, pose, Deformer::lbs, posed, Context(1));
  MorphedFrame frame{std::move(posed.positions), std::vector<Mat3>(posed.maps.size(), Mat3::Zero()),
                     clip.frames[k].volumes};
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const Part& part = character.parts[p];
    for (std::size_t v = 0; v < part.surface.vertex_count(); ++v) {
      if (!welded.whole().leads(p, v)) continue;
      const Index w = welded.whole().welded(p, v);
      if (part.skinned()) {
        frame.linear[w] = posed.maps[w].leftCols<3>();
      } else {
        frame.positions[w] = clip.frames[k].parts[p].positions[v].cast<double>();
      }
    }
  }
  return frame;
}

/// Weights such that every frame encloses what it should, however few targets there are.
void keep_volumes(const HeldMotion& motion, const WeldedCharacter& welded, double tolerance, Bases& bases,
                  Context& context) {
  const WeldedTargets all = weld_targets(bases, welded, tolerance);
  const MorphVolume keeper(welded.surface(), welded.topology(), all.targets, all.reach);
  const std::vector<FrameRange> ranges =
      frame_ranges(motion, chunk_in_memory(welded.surface().vertex_count() * sizeof(Mat34)));
  parallel_for(context, ranges.size(), 1, [&](Range chunk) {
    for (std::size_t i = chunk.begin; i < chunk.end; ++i) {
      const FrameRange& range = ranges[i];
      const auto row = static_cast<Eigen::Index>(range.first);
      const auto rows = static_cast<Eigen::Index>(range.frames.end - range.frames.begin);
      MorphVolume::Weights weights(rows, static_cast<Eigen::Index>(all.targets.size()));
      const auto part_weights = [&](std::size_t p) {
        return weights.middleCols(all.begin[p], bases[p]->weights.cols());
      };
      for (std::size_t p = 0; p < bases.size(); ++p) {
        if (bases[p]) part_weights(p) = bases[p]->weights.middleRows(row, rows);
      }
      std::vector<MorphedFrame> frames;
      for (std::size_t k = range.frames.begin; k < range.frames.end; ++k) {
        context.check_cancelled();
        frames.push_back(unmorphed(*range.clip, k, welded));
      }
      keeper.move(weights, frames);
      weights += keeper.correct(frames);
      for (std::size_t p = 0; p < bases.size(); ++p) {
        if (bases[p]) bases[p]->weights.middleRows(row, rows) = part_weights(p);
      }
    }
  });
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
  keep_volumes(motion, welded, options.tolerance, bases, context);
  for (auto& basis : bases) {
    if (!basis) continue;
    if (options.max_targets != 1) unit_weights(*basis);
    for (std::size_t t = 0; t < basis->targets.size(); ++t) basis->targets[t].name = "isochor." + std::to_string(t);
  }
  return bases;
}

}  // namespace isochor

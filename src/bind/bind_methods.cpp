#include "bind/bind_methods.h"

#include <algorithm>
#include <cmath>

#include "bind/bound_volumes.h"
#include "bind/grow_bones.h"
#include "bind/rigid_shells.h"
#include "isochor/mesh/topology.h"

namespace isochor {
namespace {

GvbWeighting weighting_of(const Skeleton& skeleton, std::span<const Handle> handles, const Falloffs& falloffs,
                          const WeightLimits& limits) {
  GvbWeighting weighting{.falloff = falloffs.falloff, .limits = limits};
  if (falloffs.joints.empty()) return weighting;
  weighting.joint_falloff.assign(handles.size(), std::nan(""));
  for (const JointFalloff& rule : falloffs.joints) {
    for (std::size_t h = 0; h < handles.size(); ++h) {
      if (matches_glob(skeleton.joints[handles[h].joint].name, rule.glob)) weighting.joint_falloff[h] = rule.falloff;
    }
  }
  return weighting;
}

/// What geodesic heat is started from: the distances of heat, and nothing smoothed.
GvbOptions plain_distances(GvbOptions options) {
  options.facing = 1;
  options.smoothing = 0;
  return options;
}

/// Edges longer than this many times the length over which heat fades cannot show how it does.
constexpr double kCoarse = 2.5;

/// Pieces that heat does not suit: they do not see their bones, or their edges are too long.
std::vector<char> pieces_without_heat(const Surface& surface, const HeatWeights& heat) {
  const Topology topology = analyse(surface);
  std::vector<double> edges(topology.components.size(), 0.0), reach(edges);
  for (const Edge& edge : topology.edges) {
    if (heat.sees_bone[edge.a] == 0 || heat.sees_bone[edge.b] == 0) continue;
    const Index component = topology.component_of_vertex[edge.a];
    edges[component] += (surface.positions[edge.a] - surface.positions[edge.b]).norm();
    reach[component] += 0.5 * (heat.reach[edge.a] + heat.reach[edge.b]);
  }
  std::vector<char> without(surface.vertex_count(), 0);
  for (std::size_t c = 0; c < topology.components.size(); ++c) {
    const Component& component = topology.components[c];
    const bool coarse = edges[c] > kCoarse * reach[c];
    if (!coarse && sees_bones(component, [&](Index v) { return heat.sees_bone[v] != 0; })) continue;
    for (const Index v : component.vertices) without[v] = 1;
  }
  for (const Index v : topology.isolated_vertices) without[v] = 1;
  return without;
}

class Measuring {
 public:
  Measuring(const Weld& weld, const BindOptions& options, BoundVolume& report, Context& context)
      : weld_(weld), options_(options), report_(report), context_(context) {}

  MeasuredVolume run(std::vector<Handle> handles) {
    volume_.handles = std::move(handles);
    switch (options_.method) {
      case BindMethod::automatic:
        by_heat_where_it_suits();
        break;
      case BindMethod::gvb:
        by_voxels(options_.gvb);
        break;
      case BindMethod::geodesic_heat:
        by_geodesic_heat();
        break;
      case BindMethod::heat:
        by_heat();
        break;
      case BindMethod::distance:
        by_distance();
        break;
      case BindMethod::medial:
        by_medial();
        break;
    }
    if (options_.handles.rules == BoneRules::on) volume_.shells = find_small_shells(surface(), volume_.handles);
    return std::move(volume_);
  }

 private:
  const Surface& surface() const { return weld_.surface; }

  /// Leaves grow without voxels, so that nothing depends on how the mesh is turned.
  void grow_freely() { grow_bones(winding_space(surface()), volume_.handles, report_.rules); }

  void by_distance() {
    const StageTimer timer(context_, "weights");
    grow_freely();
    volume_.weights = distance_weights(surface().positions, volume_.handles, options_.distance, context_);
    apply(options_.limits, volume_.weights);
  }

  HeatWeights heat() {
    grow_freely();
    HeatWeights heat = heat_weights(surface(), volume_.handles, options_.heat, context_);
    apply(options_.limits, heat.weights);
    volume_.weights = std::move(heat.weights);
    return heat;
  }

  void by_heat() {
    HeatWeights heat = this->heat();
    report_.unseen = static_cast<std::size_t>(std::count(heat.sees_bone.begin(), heat.sees_bone.end(), 0));
    report_.problems = std::move(heat.problems);
    rename_elements(report_.problems, volume_.handles, weld_);
  }

  void by_voxels(const GvbOptions& options) {
    volume_.gvb.emplace(surface(), std::move(volume_.handles), options, context_, options_.limits.influences);
    volume_.handles = volume_.gvb->handles();
    report_.gvb = volume_.gvb->evidence();
    report_.rules.add(report_.gvb.rules);
    rename_elements(report_.gvb.problems, volume_.handles, weld_);
  }

  void by_geodesic_heat() {
    by_voxels(plain_distances(options_.gvb));
    const StageTimer timer(context_, "weights");
    volume_.weights = geodesic_heat_weights(surface(), *volume_.gvb, options_.geodesic_heat, context_);
    apply(options_.limits, volume_.weights);
    volume_.gvb.reset();
  }

  void by_medial() {
    MedialBinding medial =
        bind_by_medial(surface(), std::move(volume_.handles), options_.gvb, options_.medial, context_);
    const StageTimer timer(context_, "weights");
    volume_.weights = composed_weights(medial, context_);
    apply(options_.limits, volume_.weights);
    volume_.handles = std::move(medial.handles);
    report_.gvb = std::move(medial.evidence);
    report_.rules.add(report_.gvb.rules);
    report_.medial = {medial.complex.vertex_count(), medial.complex.primitive_count(), medial.beyond, medial.widened};
    report_.problems = std::move(medial.problems);
    rename_elements(report_.problems, volume_.handles, weld_);
    rename_elements(report_.gvb.problems, volume_.handles, weld_);
  }

  /// Heat; and geodesic voxel binding for pieces that heat does not suit. Warnings of heat would be about those.
  void by_heat_where_it_suits() {
    const HeatWeights heat = this->heat();
    volume_.by_gvb = pieces_without_heat(surface(), heat);
    report_.unseen = static_cast<std::size_t>(std::count(volume_.by_gvb.begin(), volume_.by_gvb.end(), 1));
    if (report_.unseen == 0) return;
    for (Handle& handle : volume_.handles) handle.proven = true;
    by_voxels(options_.gvb);
  }

  const Weld& weld_;
  const BindOptions& options_;
  BoundVolume& report_;
  Context& context_;
  MeasuredVolume volume_;
};

}  // namespace

MeasuredVolume measure(const Weld& weld, std::vector<Handle> handles, const BindOptions& options, BoundVolume& report,
                       Context& context) {
  return Measuring(weld, options, report, context).run(std::move(handles));
}

SkinWeights weigh(const MeasuredVolume& volume, const Skeleton& skeleton, const Falloffs& falloffs,
                  const WeightLimits& limits, AppliedBoneRules& rules, const Context& context) {
  SkinWeights weights = volume.weights;
  if (volume.gvb) {
    SkinWeights by_gvb = volume.gvb->weights(weighting_of(skeleton, volume.handles, falloffs, limits), context);
    if (volume.by_gvb.empty()) {
      weights = std::move(by_gvb);
    } else {
      SkinWeights mixed;
      for (std::size_t v = 0; v < volume.by_gvb.size(); ++v) {
        mixed.add_row(volume.by_gvb[v] != 0 ? by_gvb.row(v) : weights.row(v));
      }
      weights = std::move(mixed);
    }
  }
  bind_shells(volume.shells, volume.handles, weights, rules);
  return weights;
}

}  // namespace isochor

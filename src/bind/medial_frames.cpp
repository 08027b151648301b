#include "isochor/bind/medial_frames.h"

#include <Eigen/LU>
#include <algorithm>
#include <map>

#include "bind/bound_volumes.h"

namespace isochor {
namespace {

/// Weights that files round count as 1 from here on.
constexpr double kAlone = 1 - 1e-3;

/// The joint that a vertex of a part follows alone, or kNone.
Index followed_alone(const Part& part, std::size_t vertex) {
  if (!has_weight(part, vertex)) return kNone;
  for (const Influence& i : part.weights.row(vertex)) {
    if (i.weight >= kAlone) return part.skin.joints[i.joint];
  }
  return kNone;
}

/// By vertex of a volume, the joint that the whole piece of the mesh which it belongs to follows alone, or kNone.
std::vector<Index> rigid_pieces(const Character& character, const PlacedParts& placed, const WholeSurface& whole) {
  const auto alone = [&](Index v) {
    const PartVertex first = whole.first_vertex(v);
    return followed_alone(character.parts[placed.parts[first.part]], first.vertex);
  };
  std::vector<Index> joint(whole.weld.surface.vertex_count(), kNone);
  const Topology topology = analyse(whole.weld.surface);
  for (const Component& component : topology.components) {
    const Index first = alone(component.vertices.front());
    const bool rigid =
        std::all_of(component.vertices.begin(), component.vertices.end(), [&](Index v) { return alone(v) == first; });
    if (!rigid) continue;
    for (const Index v : component.vertices) joint[v] = first;
  }
  for (const Index v : topology.isolated_vertices) joint[v] = alone(v);
  return joint;
}

/// Appends what a complex has, its vertices counted on.
void append(MedialComplex& to, const MedialComplex& from) {
  const auto first = static_cast<Index>(to.vertex_count());
  to.positions.insert(to.positions.end(), from.positions.begin(), from.positions.end());
  to.radii.insert(to.radii.end(), from.radii.begin(), from.radii.end());
  for (const Index p : from.points) to.points.push_back(first + p);
  for (const auto& s : from.segments) to.segments.push_back({first + s[0], first + s[1]});
  for (const auto& t : from.triangles) to.triangles.push_back({first + t[0], first + t[1], first + t[2]});
}

/// Collects the frames of one volume after another. Those of the complex come first, those that follow one joint after
/// them; until all volumes are known these are numbered from the end.
class FrameCollector {
 public:
  FrameCollector(const WeldedCharacter& welded, const BindOptions& options, Context& context)
      : welded_(welded), options_(options), context_(context), rows_(welded.surface().vertex_count()) {}

  void add_volume(PlacedParts placed) {
    const Character& character = welded_.character();
    const WholeSurface whole = placed_surface(character, placed, options_.weld);
    const std::vector<Index> rigid = rigid_pieces(character, placed, whole);
    place(placed);
    std::optional<MedialBinding> binding;
    const auto first_frame = static_cast<Index>(out_.complex.vertex_count());
    if (std::count(rigid.begin(), rigid.end(), kNone) > 0) binding = bind_volume(placed, whole);
    for (std::size_t i = 0; i < placed.parts.size(); ++i) {
      const auto part = static_cast<std::size_t>(placed.parts[i]);
      for (std::size_t v = 0; v < character.parts[part].surface.vertex_count(); ++v) {
        if (!welded_.whole().leads(part, v)) continue;
        const Index in_volume = whole.welded(i, v);
        auto& row = rows_[welded_.whole().welded(part, v)];
        if (rigid[in_volume] != kNone) {
          row = {carrier(rigid[in_volume], placed.bind[rigid[in_volume]].inverse())};
          continue;
        }
        const auto found = binding->skin.row(static_cast<std::size_t>(in_volume));
        row.assign(found.begin(), found.end());
        for (Influence& influence : row) influence.joint += first_frame;
      }
    }
  }

  MedialFrames take() {
    carry_the_rest();
    FrameRig& rig = out_.rig;
    rig.skin.centres = out_.complex.positions;
    for (const auto& [joint, driver] : carriers_) {
      rig.skin.centres.emplace_back(Vec3::Zero());
      const Influence alone{driver, 1.0};
      rig.skin.frames.add_row({&alone, 1});
    }
    const auto first_carrier = static_cast<Index>(out_.complex.vertex_count());
    for (auto& row : rows_) {
      if (row.front().joint < 0) {
        row.front().joint = first_carrier - row.front().joint - 1;
        ++out_.carried;
      }
      rig.skin.skin.add_row(row);
    }
    const auto& placements = rig.placements;
    if (std::all_of(placements.begin(), placements.end(), [](const Affine& m) { return m.matrix().isIdentity(0); })) {
      rig.placements.clear();
    }
    return std::move(out_);
  }

 private:
  void place(const PlacedParts& placed) {
    out_.rig.placements.resize(welded_.character().parts.size(), Affine::Identity());
    for (std::size_t i = 0; i < placed.parts.size(); ++i) out_.rig.placements[placed.parts[i]] = placed.placement[i];
  }

  /// The one influence of skin that follows a joint alone.
  Influence carrier(Index joint, const Affine& inverse_bind) {
    auto& drivers = out_.rig.drivers;
    const auto same = [&](const std::pair<Index, Index>& known) {
      return known.first == joint && drivers[known.second].inverse_bind.matrix() == inverse_bind.matrix();
    };
    auto found = std::find_if(carriers_.begin(), carriers_.end(), same);
    if (found == carriers_.end()) {
      drivers.push_back({joint, inverse_bind});
      found = carriers_.insert(carriers_.end(), {joint, static_cast<Index>(drivers.size()) - 1});
    }
    return {-1 - static_cast<Index>(found - carriers_.begin()), 1.0};
  }

  MedialBinding bind_volume(const PlacedParts& placed, const WholeSurface& whole) {
    const Character& character = welded_.character();
    Handles handles = volume_handles(character, placed, options_, out_.problems);
    MedialBinding binding =
        bind_by_medial(whole.weld.surface, std::move(handles.handles), options_.gvb, options_.medial, context_);
    append(out_.complex, binding.complex);
    add_drivers(placed, binding);
    MedialReport& report = out_.report;
    report.vertices += binding.complex.vertex_count();
    report.primitives += binding.complex.primitive_count();
    report.beyond += binding.beyond;
    report.widened += binding.widened;
    out_.resolution = std::max(out_.resolution, binding.evidence.resolution);
    for (Problems* problems : {&binding.problems, &binding.evidence.problems}) {
      rename_elements(*problems, binding.handles, whole.weld);
      name_vertices(character, placed, whole, *problems);
      out_.problems.insert(out_.problems.end(), problems->begin(), problems->end());
    }
    return binding;
  }

  void add_drivers(const PlacedParts& placed, const MedialBinding& binding) {
    FrameRig& rig = out_.rig;
    const auto first = static_cast<Index>(rig.drivers.size());
    for (const Handle& handle : binding.handles) {
      rig.drivers.push_back({handle.joint, placed.bind[handle.joint].inverse()});
    }
    for (std::size_t m = 0; m < binding.medial.vertex_count(); ++m) {
      rig.skin.frames.add_row(binding.medial.row(m));
      for (Influence& i : rig.skin.frames.row(rig.skin.frames.vertex_count() - 1)) i.joint += first;
    }
  }

  /// Vertices of parts without a skin, and those of skins that nothing was bound to.
  void carry_the_rest() {
    for (std::size_t v = 0; v < rows_.size(); ++v) {
      if (!rows_[v].empty()) continue;
      const auto row = welded_.weights().row(v);
      const auto strongest = std::max_element(
          row.begin(), row.end(), [](const Influence& a, const Influence& b) { return a.weight < b.weight; });
      const auto bone = static_cast<std::size_t>(strongest->joint);
      rows_[v] = {carrier(welded_.bones()[bone].joint, welded_.inverse_binds()[bone])};
    }
  }

  const WeldedCharacter& welded_;
  const BindOptions& options_;
  Context& context_;
  std::vector<std::vector<Influence>> rows_;       // #V of the welded surface; below 0: a carrier
  std::vector<std::pair<Index, Index>> carriers_;  // joint and driver
  MedialFrames out_;
};

std::vector<Index> skinned_parts(const Character& character) {
  std::vector<Index> parts;
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const Part& part = character.parts[p];
    if (part.skinned() && !part.surface.positions.empty()) parts.push_back(static_cast<Index>(p));
  }
  return parts;
}

}  // namespace

MedialFrames medial_frames(const WeldedCharacter& welded, const BindOptions& options, Context& context) {
  check_ranges(options);
  FrameCollector collector(welded, options, context);
  const std::vector<Index> parts = skinned_parts(welded.character());
  Problems problems;
  if (!parts.empty()) {
    for (PlacedParts& placed : place_parts(welded.character(), parts, problems)) {
      collector.add_volume(std::move(placed));
    }
  }
  MedialFrames frames = collector.take();
  frames.problems.insert(frames.problems.begin(), problems.begin(), problems.end());
  return frames;
}

}  // namespace isochor

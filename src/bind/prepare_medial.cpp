#include "isochor/bind/prepare_medial.h"

#include <Eigen/LU>
#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "bind/bound_volumes.h"
#include "isochor/base/math.h"

namespace isochor {
namespace {

/// Weights that files round count as 1 from here on.
constexpr double kAlone = 1 - 1e-3;
/// A piece of the mesh is rigid if one joint has this share of its weights, and the most of each vertex: the bones of a
/// jointed doll bleed a little into each other.
constexpr double kRigidPiece = 0.9;

/// A guide follows a joint alone if all the skin that follows the guide does so in the file; where some of it does not,
/// the more so the more of it does, from here on.
constexpr double kAlmostAlone = 0.95;

/// What is less than this does not count: of the joints of a guide, and, relative to the largest, of the guides of a
/// vertex. All are made less by as much, so that none comes or goes with a jump.
constexpr double kLeastOfJoints = 0.1;
constexpr double kLeastOfGuides = 0.1;
/// A vertex follows so many guides at most.
constexpr std::size_t kMostGuides = 12;

/// Makes all weights less by `least`, drops those that are gone, and makes the sum 1 again.
void lessen(double least, std::vector<Influence>& row) {
  double sum = 0;
  for (Influence& i : row) {
    i.weight = std::max(0.0, i.weight - least);
    sum += i.weight;
  }
  std::erase_if(row, [](const Influence& i) { return !(i.weight > 0); });
  for (Influence& i : row) i.weight /= sum;
  if (row.size() == 1) row[0].weight = 1;
}

/// Two joints always count, so that a limb's own two share its twist as they will.
double third_weight(const std::vector<Influence>& row) {
  if (row.size() < 3) return 0;
  std::vector<double> weights;
  weights.reserve(row.size());
  for (const Influence& i : row) weights.push_back(i.weight);
  std::nth_element(weights.begin(), weights.begin() + 2, weights.end(), std::greater<>());
  // Of three that are equal none may go.
  return std::min(weights[2], 0.5 * *std::max_element(weights.begin(), weights.end()));
}

/// The guides that count for a vertex.
void shorten(std::vector<Influence>& row) {
  double largest = 0;
  for (const Influence& i : row) largest = std::max(largest, i.weight);
  double least = kLeastOfGuides * largest;
  if (row.size() > kMostGuides) {
    std::vector<double> weights;
    weights.reserve(row.size());
    for (const Influence& i : row) weights.push_back(i.weight);
    std::nth_element(weights.begin(), weights.begin() + kMostGuides, weights.end(), std::greater<>());
    if (weights[kMostGuides] < largest) least = std::max(least, weights[kMostGuides]);
  }
  lessen(least, row);
}

/// The part that a joint has in the file's weights of some skin.
struct JointShare {
  Index joint = kNone;
  double share = 0;
};

/// The joint that a vertex of a part follows most, and how much; none if the file gives it no weights.
JointShare followed_most(const Part& part, std::size_t vertex) {
  JointShare most;
  if (!has_weight(part, vertex)) return most;
  for (const Influence& i : part.weights.row(vertex)) {
    if (i.weight > most.share) most = {part.skin.joints[i.joint], i.weight};
  }
  return most;
}

/// By vertex of a volume, the joint that the whole piece of the mesh which it belongs to follows, as good as alone; or
/// kNone.
std::vector<Index> rigid_pieces(const Character& character, const PlacedParts& placed, const WholeSurface& whole) {
  const auto most = [&](Index v) {
    const PartVertex first = whole.first_vertex(v);
    return followed_most(character.parts[placed.parts[first.part]], first.vertex);
  };
  std::vector<Index> joint(whole.weld.surface.vertex_count(), kNone);
  const Topology topology = analyse(whole.weld.surface);
  for (const Component& component : topology.components) {
    const Index first = most(component.vertices.front()).joint;
    double sum = 0;
    bool same = first != kNone;
    for (const Index v : component.vertices) {
      const JointShare of = most(v);
      same = same && of.joint == first;
      sum += of.share;
    }
    if (!same || sum < kRigidPiece * static_cast<double>(component.vertices.size())) continue;
    for (const Index v : component.vertices) joint[v] = first;
  }
  for (const Index v : topology.isolated_vertices) joint[v] = most(v).joint;
  return joint;
}

/// By guide of a volume, the joint with the largest part in the weights of the skin that follows the guide.
std::vector<JointShare> largest_shares(const Character& character, const PlacedParts& placed, const WholeSurface& whole,
                                       const MedialBinding& binding) {
  std::vector<std::map<Index, double>> sums(binding.complex.vertex_count());
  for (std::size_t w = 0; w < whole.weld.surface.vertex_count(); ++w) {
    const PartVertex at = whole.first_vertex(static_cast<Index>(w));
    const Part& part = character.parts[placed.parts[at.part]];
    if (!has_weight(part, at.vertex)) continue;
    for (const Influence& guide : binding.skin.row(w)) {
      for (const Influence& i : part.weights.row(at.vertex)) {
        sums[guide.joint][part.skin.joints[i.joint]] += guide.weight * i.weight;
      }
    }
  }
  std::vector<JointShare> shares(sums.size());
  for (std::size_t m = 0; m < sums.size(); ++m) {
    double total = 0;
    for (const auto& [joint, sum] : sums[m]) {
      total += sum;
      if (sum > shares[m].share) shares[m] = {joint, sum};
    }
    if (total > 0) shares[m].share /= total;
  }
  return shares;
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

/// Collects the guides of one volume after another. Those of the complex come first, those that follow one joint after
/// them; until all volumes are known these are numbered from the end.
class GuideCollector {
 public:
  GuideCollector(const WeldedCharacter& welded, const BindOptions& options, Context& context)
      : welded_(welded), options_(options), context_(context), rows_(welded.surface().vertex_count()) {}

  void add_volume(PlacedParts placed) {
    const Character& character = welded_.character();
    const WholeSurface whole = placed_surface(character, placed, options_.weld);
    const std::vector<Index> rigid = rigid_pieces(character, placed, whole);
    place(placed);
    std::optional<MedialBinding> binding;
    const auto first_guide = static_cast<Index>(out_.complex.vertex_count());
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
        for (Influence& influence : row) influence.joint += first_guide;
        shorten(row);
      }
    }
  }

  PreparedMedial take() {
    carry_the_rest();
    MedialRig& rig = out_.rig;
    rig.skin.centres = out_.complex.positions;
    for (const auto& [joint, driver] : carriers_) {
      rig.skin.centres.emplace_back(Vec3::Zero());
      const Influence alone{driver, 1.0};
      rig.skin.guides.add_row({&alone, 1});
    }
    const auto first_carrier = static_cast<Index>(out_.complex.vertex_count());
    for (auto& row : rows_) {
      if (row.front().joint < 0) {
        row.front().joint = first_carrier - row.front().joint - 1;
        ++out_.carried;
      }
      rig.skin.skin.add_row(merged(row));
    }
    const auto& placements = rig.placements;
    if (std::all_of(placements.begin(), placements.end(), [](const Affine& m) { return m.matrix().isIdentity(0); })) {
      rig.placements.clear();
    }
    return std::move(out_);
  }

 private:
  /// Guides that follow one and the same driver alone move alike: the first of them speaks for all.
  std::vector<Influence> merged(const std::vector<Influence>& row) {
    const SkinWeights& guides = out_.rig.skin.guides;
    first_of_.resize(out_.rig.drivers.size(), kNone);
    std::vector<Influence> out;
    for (Influence i : row) {
      const auto of = guides.row(static_cast<std::size_t>(i.joint));
      if (of.size() == 1) {
        Index& first = first_of_[of[0].joint];
        if (first == kNone) first = i.joint;
        i.joint = first;
      }
      const auto same = std::find_if(out.begin(), out.end(), [&](const Influence& o) { return o.joint == i.joint; });
      if (same == out.end()) {
        out.push_back(i);
      } else {
        same->weight += i.weight;
      }
    }
    return out;
  }

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
    add_drivers(placed, binding, largest_shares(character, placed, whole, binding));
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

  void add_drivers(const PlacedParts& placed, const MedialBinding& binding, std::span<const JointShare> shares) {
    MedialRig& rig = out_.rig;
    const std::size_t first = rig.drivers.size();
    for (const Handle& handle : binding.handles) {
      rig.drivers.push_back({handle.joint, placed.bind[handle.joint].inverse()});
    }
    const auto driver_of = [&](Index joint) {
      for (std::size_t d = first; d < rig.drivers.size(); ++d) {
        if (rig.drivers[d].joint == joint) return static_cast<Index>(d);
      }
      rig.drivers.push_back({joint, placed.bind[joint].inverse()});
      return static_cast<Index>(rig.drivers.size()) - 1;
    };
    for (std::size_t m = 0; m < binding.medial.vertex_count(); ++m) {
      const auto found = binding.medial.row(m);
      std::vector<Influence> row(found.begin(), found.end());
      for (Influence& i : row) i.joint += static_cast<Index>(first);
      const double rigid = smooth_step(kAlmostAlone, kAlone, shares[m].share);
      if (rigid > 0) pull_to(driver_of(shares[m].joint), rigid, row);
      lessen(std::min(kLeastOfJoints, third_weight(row)), row);
      rig.skin.guides.add_row(row);
    }
  }

  static void pull_to(Index driver, double share, std::vector<Influence>& row) {
    for (Influence& i : row) i.weight *= 1 - share;
    const auto own = std::find_if(row.begin(), row.end(), [&](const Influence& i) { return i.joint == driver; });
    if (own != row.end()) {
      own->weight += share;
    } else {
      row.push_back({driver, share});
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
  std::vector<Index> first_of_;                    // by driver: a guide that follows it alone
  PreparedMedial out_;
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

PreparedMedial prepare_medial(const WeldedCharacter& welded, const BindOptions& options, Context& context) {
  check_ranges(options);
  GuideCollector collector(welded, options, context);
  const std::vector<Index> parts = skinned_parts(welded.character());
  Problems problems;
  if (!parts.empty()) {
    for (PlacedParts& placed : place_parts(welded.character(), parts, problems)) {
      collector.add_volume(std::move(placed));
    }
  }
  PreparedMedial prepared = collector.take();
  prepared.problems.insert(prepared.problems.begin(), problems.begin(), problems.end());
  return prepared;
}

}  // namespace isochor

#include "volume/fold_closing.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "isochor/base/math.h"
#include "volume/together.h"
#include "volume/vertex_kernels.h"

namespace isochor::volume {
namespace {

/// Places along a joint's region that make up for their losses by themselves.
constexpr int kBins = 40;
/// What the rest of a region gives, of its mean loss.
constexpr double kElsewhere = 0.1;
/// Regions that have lost less than this, of the most that one has, make up for nothing; nor does skin that hardly
/// takes part in a joint.
constexpr double kLittleLost = 0.1, kEnoughLost = 0.3, kLittleGamma = 0.05;
/// How far the closing moves a vertex at most, in local radii.
constexpr double kMostClosing = 0.37;
/// How many times that where nothing else holds the volume.
constexpr double kAtAnyPrice = 16;

/// Calls visit(bin, share) for where a blend lies between the joint and the ends of its region: γ is equal all around a
/// limb. Two bins share each γ, so that nothing jumps.
template <class Visit>
void for_bins(Index region, double gamma, const Visit& visit) {
  const double at = gamma * (kBins - 1);
  const int low = std::min(static_cast<int>(at), kBins - 2);
  const auto first = static_cast<std::size_t>(region) * kBins + static_cast<std::size_t>(low);
  visit(first, 1 - (at - low));
  visit(first + 1, at - low);
}

/// What the zone has lost in local radii, by region and place in it: what a body can bear would tear its ear. Only the
/// regions that it lies in have anything to make up for.
void find_losses(const FoldInput& in, const FoldPlan& folds, FoldClosingBuffers& buffers, const FoldZone& zone) {
  const TogetherPlan& plan = in.at.plan;
  const Index first = in.at.component.first_region;
  const auto regions = static_cast<std::size_t>(in.at.component.region_count);
  buffers.lost.assign(regions * kBins, 0.0);
  buffers.region_lost.assign(regions, 0.0);
  bool any = false;
  for (std::size_t i = 0; i < zone.vertices.size(); ++i) {
    const Vec3 lost = zone.free[i] * zone.way[i] - zone.wanted[i];
    if (lost == Vec3::Zero()) continue;
    const Index v = zone.vertices[i];
    const double radius = in.at.scale * plan.radius[v];
    if (!(radius > 0)) continue;
    const double volume = std::abs(lost.dot(in.gradient[v])) / radius;
    const double far = lost.norm() * plan.rest_areas[v] / radius;
    for (Index b = plan.blend_begin[v]; b < plan.blend_begin[v + 1]; ++b) {
      const double gamma = plan.blend_gamma[b];
      const Index region = plan.blend_region[b] - first;
      for_bins(region, gamma, [&](std::size_t bin, double share) { buffers.lost[bin] += share * gamma * volume; });
      buffers.region_lost[region] += gamma * far;
      any = true;
    }
  }
  const double most = regions > 0 ? *std::max_element(buffers.region_lost.begin(), buffers.region_lost.end()) : 0;
  for (std::size_t r = 0; r < regions; ++r) {
    double area = 0;
    for (int bin = 0; bin < kBins; ++bin) area += folds.bin_area[(first + r) * kBins + static_cast<std::size_t>(bin)];
    // Skin that only a field of the artist's moves belongs to no joint: all joints make up for it.
    const double counts = any ? smooth_step(kLittleLost * most, kEnoughLost * most, buffers.region_lost[r]) : 1;
    buffers.region_lost[r] = any ? counts * buffers.region_lost[r] / (area + 1e-300) : 1;
    for (int bin = 0; bin < kBins; ++bin) buffers.lost[r * kBins + static_cast<std::size_t>(bin)] *= counts;
  }
}

/// How far each vertex goes in the closing, and along what: by what the skin around the same place of the limb has lost
/// to the cut, in the mean, so that the rest of a ring makes up for its fold and no other joint. One sign: what is free
/// gives the same way. What has been held back has no more to give.
void find_closing_heights(const FoldInput& in, const FoldPlan& folds, FoldClosingBuffers& buffers, FoldZone& zone,
                          const CorrectedFrame& out) {
  const TogetherPlan& plan = in.at.plan;
  const Index first = in.at.component.first_region;
  const double area_scale = in.at.scale * in.at.scale;
  buffers.height.assign(zone.vertices.size(), 0.0);
  for (std::size_t r = 0; r < buffers.region_lost.size(); ++r) {
    if (!(buffers.region_lost[r] > 0)) continue;
    const JointRegion& region = plan.regions[static_cast<std::size_t>(first) + r];
    for (std::size_t k = 0; k < region.vertices.size(); ++k) {
      const Index v = region.vertices[k];
      const double gamma = region.gamma[k] - kLittleGamma;
      if (!(gamma > 0)) continue;
      if (out.positions[v] == in.at.posed.positions[v]) continue;  // joints that rest give nothing
      double mean = kElsewhere * buffers.region_lost[r];
      for_bins(static_cast<Index>(r), region.gamma[k], [&](std::size_t bin, double share) {
        const double area = area_scale * folds.bin_area[static_cast<std::size_t>(first) * kBins + bin];
        if (area > 0) mean += share * buffers.lost[bin] / area;
      });
      const Index i = zone.add_vertex(in, out, v);
      if (static_cast<std::size_t>(i) >= buffers.height.size()) buffers.height.resize(zone.vertices.size(), 0.0);
      buffers.height[i] += gamma * mean;
    }
  }
  buffers.gives.clear();
  for (std::size_t i = 0; i < zone.vertices.size(); ++i) {
    if (!(buffers.height[i] > 0)) continue;
    const Index v = zone.vertices[i];
    const double free = zone.free[i];
    buffers.height[i] *= free * free * free * in.at.scale * plan.radius[v];
    buffers.gives.push_back(v);
  }
  vertex_kernels::best().carry_normals(
      {buffers.gives.data(), buffers.gives.size()},
      {.maps = numbers(in.at.posed.maps),
       .gradient = numbers(in.gradient),
       .areas = plan.rest_areas.data(),
       .scale = in.at.scale},
      {.displacements = numbers(buffers.closing), .offsets = numbers(buffers.at_rest)});
}

/// What moves, and the rings that change the volume by it.
void find_moving(const FoldPlan& folds, FoldClosingBuffers& buffers, const FoldZone& zone) {
  buffers.moving.clear();
  buffers.rings.clear();
  for (std::size_t i = 0; i < zone.vertices.size(); ++i) {
    if (!(buffers.height[i] > 0) && zone.free[i] == 1 && zone.way[i] == zone.wanted[i]) continue;
    buffers.moving.push_back(static_cast<Index>(i));
    for (const Index ring : folds.rings_at(zone.vertices[i])) {
      if (buffers.met[ring] != 0) continue;
      buffers.met[ring] = 1;
      buffers.rings.push_back(ring);
    }
  }
  for (const Index ring : buffers.rings) buffers.met[ring] = 0;
}

struct Arriving {
  const FoldInput& in;
  FoldClosingBuffers& buffers;
  FoldZone& zone;
  CorrectedFrame& out;

  RingView view() const {
    const VolumeFunctional& whole = in.at.component.whole;
    return {in.at.posed.positions[whole.vertices().front()], buffers.rings};
  }

  double measure() const {
    in.at.component.whole.ring_volumes(out.positions, view(), buffers.ring_volume, buffers.ring_area);
    return sum();
  }

  double sum() const {
    double sum = 0;
    for (const Index ring : buffers.rings) sum += buffers.ring_volume[ring];
    return sum;
  }

  /// Puts the skin where it is with so much of the closing.
  void put(double closing) const {
    for (const Index i : buffers.moving) {
      const Index v = zone.vertices[i];
      const double height = closing * buffers.height[i];
      out.positions[v] = zone.from[i] + zone.free[i] * (zone.way[i] + height * buffers.closing[v]);
      out.offsets[v] = zone.free[i] * (zone.rest_way[i] + height * buffers.at_rest[v]);
    }
  }

  /// The volume by the closing, from where the skin is; measures it there.
  VolumeCubic expand() const {
    for (const Index i : buffers.moving) {
      const Index v = zone.vertices[i];
      buffers.direction[v] = zone.free[i] * buffers.height[i] * buffers.closing[v];
    }
    const VolumeCubic cubic =
        in.at.component.whole.along(out.positions, buffers.direction, view(), buffers.ring_volume);
    for (const Index i : buffers.moving) buffers.direction[zone.vertices[i]].setZero();
    return cubic;
  }

  void flow_with(double closing, FlowBuffers& flowing) const {
    buffers.whole_way = zone.way;
    for (const Index i : buffers.moving) {
      buffers.whole_way[i] += closing * buffers.height[i] * buffers.closing[zone.vertices[i]];
    }
    flow(buffers.whole_way, flowing, zone);
  }

  double most_closing() const {
    double most = 1e300;
    for (const Index i : buffers.moving) {
      if (!(buffers.height[i] > 0)) continue;
      most = std::min(most, kMostClosing * in.at.scale * in.at.plan.radius[zone.vertices[i]] / buffers.height[i]);
    }
    return most;
  }
};

/// The closing at which hardly anything is missing: from `first`, which is near it, by secants, within a bracket as
/// soon as there is one. Where none is found it is left where the least is missing.
template <class Missing>
void find_closing(const Missing& missing, double at_start, double first, double most) {
  constexpr double kNear = 1e-7;
  constexpr int kTries = 60;
  if (std::abs(at_start) <= kNear) return;
  double low = 0, at_low = at_start;
  double high =
      std::isfinite(first) && first != 0 ? std::clamp(first, -most, most) : std::copysign(1e-3 * most, at_start);
  double at_high = missing(high);
  double best = 0, at_best = at_start;
  const auto note = [&](double closing, double left) {
    if (std::abs(left) >= std::abs(at_best)) return;
    best = closing;
    at_best = left;
  };
  note(high, at_high);
  for (int i = 0; i < kTries && std::abs(at_high) > kNear; ++i) {
    double next = 0;
    if (at_low * at_high > 0 && std::abs(at_high) >= 0.5 * std::abs(at_low)) {
      if (std::abs(high) >= most) break;
      next = std::clamp(high + 2 * (high - low), -most, most);
    } else {
      next = std::clamp(high - at_high * (high - low) / (at_high - at_low), -most, most);
    }
    if (next == high) break;
    const double at_next = missing(next);
    note(next, at_next);
    if (at_next * at_high < 0 || at_low * at_high > 0) {
      low = high;
      at_low = at_high;
    } else {
      at_low *= 0.5;  // Illinois
    }
    high = next;
    at_high = at_next;
  }
  if (std::abs(at_high) > kNear) missing(best);
}

}  // namespace

FoldClosingBuffers::FoldClosingBuffers(const FoldPlan& plan, std::size_t vertex_count)
    : met(plan.most_rings, 0),
      ring_volume(plan.most_rings, 0.0),
      ring_area(plan.most_rings, Vec3::Zero()),
      direction(vertex_count, Vec3::Zero()),
      closing(vertex_count, Vec3::Zero()),
      at_rest(vertex_count, Vec3::Zero()) {}

std::vector<double> find_bin_areas(const TogetherPlan& plan) {
  std::vector<double> areas(plan.regions.size() * kBins, 0.0);
  for (std::size_t r = 0; r < plan.regions.size(); ++r) {
    const JointRegion& region = plan.regions[r];
    for (std::size_t k = 0; k < region.vertices.size(); ++k) {
      const double gamma = region.gamma[k], area = plan.rest_areas[region.vertices[k]];
      for_bins(static_cast<Index>(r), gamma,
               [&](std::size_t bin, double share) { areas[bin] += share * gamma * area; });
    }
  }
  return areas;
}

namespace {

/// What is missing of a volume, relative to it, is closed with the shares as they are below this: that turns no face
/// that is as far from its limits as the flow has left it.
constexpr double kHardlyMissing = 1e-5;

/// The cubic of the closing with the shares as they are, from where the skin is.
template <class Left>
bool close_exactly(const Arriving& arriving, double closing, const Left& left, double size) {
  constexpr int kSteps = 3;
  for (int step = 0; step < kSteps && std::abs(left()) > 0.1 * kReached * size; ++step) {
    const VolumeCubic cubic = arriving.expand();
    const CubicRoot root = continuing_root(cubic, left());
    if (!root.found || !std::isfinite(root.t)) break;
    closing += root.t;
    arriving.put(closing);
    arriving.measure();
  }
  return std::abs(left()) <= kReached * size;
}

/// One try to get there. `everywhere`: all joints that move make up for what was lost, not only those that lost it.
bool try_to_arrive(const FoldInput& in, const FoldPlan& plan, bool slows, bool everywhere, FlowBuffers& flowing,
                   FoldClosingBuffers& buffers, FoldZone& zone, CorrectedFrame& out) {
  ComponentVolume& volume = out.components[in.at.component.index];
  const bool exact = volume.error_after() <= 1e-9;
  std::fill(zone.free.begin(), zone.free.end(), 1.0);
  for (std::size_t i = 0; i < zone.vertices.size(); ++i) {
    out.positions[zone.vertices[i]] = zone.from[i] + zone.wanted[i];
    out.offsets[zone.vertices[i]] = zone.offset[i];
  }
  if (slows) flow(zone.way, flowing, zone);
  find_losses(in, plan, buffers, zone);
  if (everywhere && !buffers.region_lost.empty()) {
    const double most = *std::max_element(buffers.region_lost.begin(), buffers.region_lost.end());
    for (double& lost : buffers.region_lost) lost = std::max(lost, most);
  }
  find_closing_heights(in, plan, buffers, zone, out);
  find_moving(plan, buffers, zone);
  const Arriving arriving{in, buffers, zone, out};
  const double before = arriving.measure(), size = std::abs(in.at.target);
  arriving.put(0);
  bool closed = !exact, measured = false;
  if (exact) {
    double tried = 0;
    const auto missing = [&](double closing) {
      if (slows) arriving.flow_with(closing, flowing);
      arriving.put(closing);
      tried = closing;
      measured = true;
      return (in.at.target - (volume.after + arriving.measure() - before)) / size;
    };
    const auto left = [&] { return in.at.target - (volume.after + arriving.sum() - before); };
    const VolumeCubic cubic = arriving.expand();
    const double first = continuing_root(cubic, left()).t;
    const double most = arriving.most_closing() * (everywhere ? kAtAnyPrice : 1);
    find_closing(missing, left() / size, first, most);
    closed = std::abs(left()) <= kHardlyMissing * size && close_exactly(arriving, tried, left, size);
  }
  volume.after += (measured ? arriving.sum() : arriving.measure()) - before;
  volume.residual = in.at.target - volume.after;
  return closed || volume.error_after() <= kReached;
}

}  // namespace

// With a given share of its way that each vertex keeps, the volume is a cubic of the closing, and its root exact. What
// closes the volume changes these shares a little, so that they are found anew at each try.
bool arrive(const FoldInput& in, const FoldPlan& plan, bool slows, FlowBuffers& flowing, FoldClosingBuffers& buffers,
            FoldZone& zone, CorrectedFrame& out) {
  ComponentVolume& volume = out.components[in.at.component.index];
  const ComponentVolume start = volume;
  for (const bool everywhere : {false, true}) {
    volume = start;
    if (try_to_arrive(in, plan, slows, everywhere, flowing, buffers, zone, out)) return true;
  }
  volume.outcome = VolumeOutcome::folded;
  return false;
}

}  // namespace isochor::volume

#include "volume/together_givers.h"

#include <algorithm>
#include <cmath>

#include "isochor/base/math.h"

namespace isochor::volume {
namespace {

/// Between these shares of the squared radius lost, a joint passes from bent to twisted: about 66 and 101 degrees of
/// twist.
constexpr double kBent = 0.3, kTwisted = 0.6;
/// Between these shares of its turn that go about its bone a joint passes from one that bends to one that twists. More
/// leaves volume open where limbs are wrung and bent at once (1.3e-4 in a dance, from 0.1 to 0.4).
constexpr double kBends = 0.05, kTwists = 0.2;
/// A twist of 180° loses all of the squared radius, and would make the shape an infinitely thin peak.
constexpr double kLargestCollapse = 0.999;

/// The radius that linear blending loses where weights are s and 1 - s, g = 4 s (1 - s): 1 - sqrt(1 - q g), scaled to 1
/// at g = 1.
double lost_radius(double g, double q) { return g * (1 + std::sqrt(1 - q)) / (1 + std::sqrt(1 - q * g)); }

/// Every joint that blends skin here, unless it sleeps.
void list_joints(const ComponentPlan& component, const PoseReading& pose, std::vector<Giver>& out) {
  out.clear();
  for (Index r = component.first_region; r < component.end_region(); ++r) {
    if (!pose.asleep(r)) out.push_back({.region = r, .activity = pose.activity[r]});
  }
}

/// The giver that a field of `joint` takes the place of, or a new one for a joint that blends nothing here.
Giver& taker(const TogetherPlan& plan, Index joint, std::vector<Giver>& givers) {
  const Index wanted = plan.stands_for[joint];
  const auto found = std::find_if(givers.begin(), givers.end(), [&](const Giver& giver) {
    return giver.along_normals() && plan.regions[giver.region].joint == wanted;
  });
  if (found != givers.end()) return *found;
  givers.push_back({.activity = 1});
  return givers.back();
}

/// The field as far as it is on the component.
void restrict_field(const ComponentPose& at, const CorrectionField& field, CorrectionField& out) {
  out.vertices.clear();
  out.gamma.clear();
  out.direction = field.direction;
  out.axes = field.axes;
  out.shares = field.shares;
  const auto& component_of = at.plan.welded->topology().component_of_vertex;
  for (std::size_t i = 0; i < field.vertices.size(); ++i) {
    if (component_of[field.vertices[i]] != at.component.index) continue;
    out.vertices.push_back(field.vertices[i]);
    out.gamma.push_back(field.gamma[i]);
  }
}

/// Fills buffers.directions for buffers.field.
void find_directions(const ComponentPose& at, const PoseReading& pose, GiverBuffers& buffers) {
  const CorrectionField& field = buffers.field;
  buffers.directions.resize(field.vertices.size());
  if (field.direction == CorrectionDirection::axes) {
    const FieldNorm norm = at.plan.options.solve.norm;
    field_directions(field, {.gradient = pose.gradient, .areas = buffers.areas, .norm = norm}, buffers.directions);
    return;
  }
  for (std::size_t i = 0; i < field.vertices.size(); ++i) {
    buffers.directions[i] = field.gamma[i] * pose.normal[field.vertices[i]];
  }
}

/// Appends the moves of buffers.field along buffers.directions, of the size of γ times the body's radius, so that
/// amounts of different joints mean the same.
void add_moves(const ComponentPose& at, GiverBuffers& buffers) {
  const CorrectionField& field = buffers.field;
  double size = 0, wanted = 0, largest = 0;
  for (std::size_t i = 0; i < field.vertices.size(); ++i) {
    const double area = buffers.areas[field.vertices[i]];
    size += area * buffers.directions[i].squaredNorm();
    wanted += area * field.gamma[i] * field.gamma[i];
    largest = std::max(largest, field.gamma[i]);
  }
  if (!(size > 0 && largest > 0)) return;
  const double radius = at.scale * at.component.radius;
  const double factor = radius * std::sqrt(wanted / size) / largest;
  for (std::size_t i = 0; i < field.vertices.size(); ++i) {
    buffers.moves.push_back({field.vertices[i], factor * buffers.directions[i]});
  }
}

/// Gives fields of the artist's to their joints. One without effect here keeps its joint from giving anything.
void add_own_fields(const ComponentPose& at, const PoseReading& pose, GiverBuffers& buffers) {
  at.component.whole.areas(at.posed.positions, buffers.areas);
  for (const JointField& own : at.fields) {
    Giver& giver = taker(at.plan, own.joint, buffers.givers);
    giver.own_field = true;
    giver.first = buffers.moves.size();
    restrict_field(at, own.field, buffers.field);
    find_directions(at, pose, buffers);
    add_moves(at, buffers);
    giver.last = buffers.moves.size();
  }
  std::erase_if(buffers.givers, [](const Giver& giver) { return giver.own_field && giver.first == giver.last; });
}

void index_by_region(const ComponentPlan& component, std::span<const Giver> givers, std::span<Index> of_region) {
  for (Index r = component.first_region; r < component.end_region(); ++r) of_region[r] = kNone;
  for (std::size_t g = 0; g < givers.size(); ++g) {
    if (givers[g].along_normals()) of_region[givers[g].region] = static_cast<Index>(g);
  }
}

/// 1 for a joint that twists the skin, 0 for one that bends it.
double twist_of(const ComponentPose& at, Index region) {
  const TogetherPlan& plan = at.plan;
  const JointAxes& axes = plan.axes[region];
  if (axes.joint == kNone) return 1;
  const auto map = [&](Index j) { return Affine(at.posed.global[j] * plan.inverse_bind[j]); };
  return smooth_step(kBends, kTwists, twist_share(axes, map(axes.parent), map(axes.joint)));
}

/// How much of its squared radius each joint has lost; true where any must be twisted.
bool read_collapse(const ComponentPose& at, const PoseReading& pose, GiverBuffers& buffers) {
  const TogetherPlan& plan = at.plan;
  for (Index r = at.component.first_region; r < at.component.end_region(); ++r) buffers.collapse[r] = 0;
  for (const Index v : pose.extent.support) {
    for (Index b = plan.blend_begin[v]; b < plan.blend_begin[v + 1]; ++b) {
      buffers.collapse[plan.blend_region[b]] += plan.blend_gamma[b] * pose.loss[v];
    }
  }
  bool any = false;
  for (Giver& giver : buffers.givers) {
    if (giver.region == kNone) continue;
    const double mean = buffers.collapse[giver.region] / plan.gamma_squares[giver.region];
    const double q = std::clamp(mean, 0.0, kLargestCollapse);
    giver.collapsed = smooth_step(kBent, kTwisted, q);
    giver.collapse = q * giver.collapsed;
    giver.twist = giver.collapsed > 0 ? giver.collapsed * twist_of(at, giver.region) : 0;
    any = any || giver.collapse > 0;
  }
  return any;
}

/// A twisted joint's γ becomes the radius that it has really lost: a peak instead of a hill.
void shape_twists(const ComponentPose& at, const PoseReading& pose, GiverBuffers& buffers) {
  const TogetherPlan& plan = at.plan;
  for (const Index v : pose.extent.support) {
    double twisted = 0, undone = 0;
    for (Index b = plan.blend_begin[v]; b < plan.blend_begin[v + 1]; ++b) {
      const Index g = buffers.of_region[plan.blend_region[b]];
      buffers.gamma[b] = plan.blend_gamma[b];
      if (g == kNone || buffers.givers[g].collapse == 0) continue;
      twisted = std::max(twisted, buffers.gamma[b] * buffers.givers[g].collapsed);
      undone = std::max(undone, buffers.gamma[b] * buffers.givers[g].twist);
      buffers.gamma[b] = lost_radius(buffers.gamma[b], buffers.givers[g].collapse);
    }
    // What a twist has taken may be given back, however far that is.
    const double taken = std::max(0.0, 1 - std::sqrt(std::max(0.0, 1 - pose.loss[v])));
    buffers.limit[v] = plan.options.reach + twisted * taken;
    buffers.twist[v] = undone;
  }
}

}  // namespace

GiverBuffers::GiverBuffers(const TogetherPlan& plan) {
  const std::size_t vertices = plan.welded->surface().vertex_count();
  givers.reserve(plan.regions.size());
  of_region.assign(plan.regions.size(), kNone);
  gamma.assign(plan.blend_gamma.size(), 0.0);
  limit.assign(vertices, 0.0);
  twist.assign(vertices, 0.0);
  collapse.assign(plan.regions.size(), 0.0);
  areas.assign(vertices, 0.0);
}

Givers gather_givers(const ComponentPose& at, const PoseReading& pose, GiverBuffers& buffers) {
  buffers.moves.clear();
  for (const Index v : at.component.support) buffers.twist[v] = 0;
  list_joints(at.component, pose, buffers.givers);
  if (!at.fields.empty()) add_own_fields(at, pose, buffers);
  index_by_region(at.component, buffers.givers, buffers.of_region);

  std::span<const double> gamma = at.plan.blend_gamma;
  if (read_collapse(at, pose, buffers)) {
    shape_twists(at, pose, buffers);
    gamma = buffers.gamma;
  } else {
    for (const Index v : pose.extent.support) buffers.limit[v] = at.plan.options.reach;
  }
  return {.all = buffers.givers,
          .of_region = buffers.of_region,
          .moves = buffers.moves,
          .gamma = gamma,
          .limit = buffers.limit};
}

}  // namespace isochor::volume

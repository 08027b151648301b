#include "volume/together_plan.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "isochor/mesh/face_turns.h"

namespace isochor::volume {
namespace {

constexpr std::size_t kSamples = 32;

/// Turns lists by region into lists by vertex.
template <class Entry>
struct ByVertex {
  std::vector<Index> begin;
  std::vector<Entry> entries;

  template <class Visit>
  ByVertex(std::size_t vertices, Visit visit_all) : begin(vertices + 1, 0) {
    visit_all([&](Index v, const Entry&) { ++begin[v + 1]; });
    for (std::size_t v = 0; v < vertices; ++v) begin[v + 1] += begin[v];
    entries.resize(begin.back());
    std::vector<Index> next(begin.begin(), begin.end() - 1);
    visit_all([&](Index v, const Entry& entry) { entries[next[v]++] = entry; });
  }
};

void index_vertices(TogetherPlan& plan) {
  const std::size_t vertices = plan.welded->surface().vertex_count();
  struct Blend {
    Index region;
    double gamma;
  };
  ByVertex<Blend> blends(vertices, [&](auto&& add) {
    for (std::size_t r = 0; r < plan.regions.size(); ++r) {
      const JointRegion& region = plan.regions[r];
      for (std::size_t i = 0; i < region.vertices.size(); ++i) {
        add(region.vertices[i], Blend{static_cast<Index>(r), region.gamma[i]});
      }
    }
  });
  plan.blend_begin = std::move(blends.begin);
  for (const Blend& blend : blends.entries) {
    plan.blend_region.push_back(blend.region);
    plan.blend_gamma.push_back(blend.gamma);
  }
  ByVertex<Index> inner(vertices, [&](auto&& add) {
    for (std::size_t r = 0; r < plan.regions.size(); ++r) {
      const JointRegion& region = plan.regions[r];
      for (const Index v : region.functional.vertices()) {
        if (!std::binary_search(region.rim.begin(), region.rim.end(), v)) add(v, static_cast<Index>(r));
      }
    }
  });
  plan.inner_begin = std::move(inner.begin);
  plan.inner = std::move(inner.entries);
}

/// Rings of `touched` by face do not carry the face's number, so that they are found again by their corners.
std::map<std::vector<Index>, Index> ring_index(const VolumeFunctional& functional) {
  std::map<std::vector<Index>, Index> index;
  for (std::size_t r = 0; r < functional.ring_count() - functional.cap_count(); ++r) {
    const auto ring = functional.ring(r);
    index.emplace(std::vector<Index>(ring.begin(), ring.end()), static_cast<Index>(r));
  }
  return index;
}

void plan_rings(TogetherPlan& plan, ComponentPlan& component) {
  const auto index = ring_index(component.touched);
  const auto first_lid = static_cast<Index>(component.touched.ring_count());
  std::vector<std::vector<Index>> lids;
  for (Index r = component.first_region; r < component.end_region(); ++r) {
    const VolumeFunctional& own = plan.regions[r].functional;
    for (std::size_t i = 0; i < own.ring_count(); ++i) {
      const auto ring = own.ring(i);
      const std::vector<Index> corners(ring.begin(), ring.end());
      if (i < own.ring_count() - own.cap_count()) {
        plan.rings[r].push_back(index.at(corners));
      } else {
        plan.rings[r].push_back(first_lid + static_cast<Index>(lids.size()));
        lids.push_back(corners);
      }
    }
  }
  component.lids = VolumeFunctional(lids, lids.size());
}

/// The rings of `touched` come in the order that they have in `whole`.
void match_touched(ComponentPlan& component) {
  const VolumeFunctional &whole = component.whole, &touched = component.touched;
  component.touched_of_whole.assign(whole.ring_count(), kNone);
  for (std::size_t r = 0; r < whole.ring_count() && component.whole_of_touched.size() < touched.ring_count(); ++r) {
    const auto next = component.whole_of_touched.size();
    const auto ring = whole.ring(r), other = touched.ring(next);
    if (!std::equal(ring.begin(), ring.end(), other.begin(), other.end())) continue;
    component.touched_of_whole[r] = static_cast<Index>(next);
    component.whole_of_touched.push_back(static_cast<Index>(r));
  }
}

void find_axes(TogetherPlan& plan) {
  const WeldedCharacter& welded = *plan.welded;
  RestSpace space = welded.rest_space();
  const std::vector<JointAxes> axes = joint_axes(welded.skeleton(), space);
  for (const JointRegion& region : plan.regions) {
    const auto found =
        std::find_if(axes.begin(), axes.end(), [&](const JointAxes& a) { return a.joint == region.joint; });
    plan.axes.push_back(found == axes.end() ? JointAxes{} : *found);
  }
  plan.inverse_bind = std::move(space.inverse_bind);
}

void plan_component(TogetherPlan& plan, ComponentPlan& component) {
  const WeldedCharacter& welded = *plan.welded;
  const Surface& surface = welded.surface();
  component.whole = VolumeFunctional(surface, welded.topology().components[component.index]);
  for (const Index v : component.whole.vertices()) {
    if (plan.blend_begin[v] != plan.blend_begin[v + 1]) component.support.push_back(v);
  }
  component.touched = component.whole.around(component.support);
  component.untouched = component.whole.apart_from(component.support);
  match_touched(component);
  plan_rings(plan, component);

  std::vector<Vec3> gradient(surface.vertex_count(), Vec3::Zero());
  component.whole.gradient(surface.positions, gradient);
  component.whole.areas(surface.positions, plan.rest_areas);
  double area = 0;
  for (const Index v : component.whole.vertices()) {
    area += plan.rest_areas[v];
    plan.rest_normals[v] = gradient[v].norm() > 0 ? gradient[v].normalized() : Vec3::Zero();
  }
  const auto first = welded.weights().row(component.whole.vertices().front());
  for (const Index v : component.whole.vertices()) {
    const auto row = welded.weights().row(v);
    component.rigid = component.rigid && row.size() == 1 && first.size() == 1 && row[0].joint == first[0].joint;
  }
  component.face_area = median_face_area(component.whole, surface.positions);
  component.radius = 2 * std::abs(welded.rest_volumes()[component.index]) / std::max(area, 1e-300);
}

/// Calls visit(edge, area) for every edge of the component, with its share of the skin.
template <class Visit>
void for_each_edge(const TogetherPlan& plan, const ComponentPlan& component, Visit visit) {
  const Topology& topology = plan.welded->topology();
  std::vector<int> degree(plan.rest_areas.size(), 0);
  for (const Edge& edge : topology.edges) {
    ++degree[edge.a];
    ++degree[edge.b];
  }
  for (const Edge& edge : topology.edges) {
    if (topology.component_of_vertex[edge.a] != component.index) continue;
    visit(edge, plan.rest_areas[edge.a] / degree[edge.a] + plan.rest_areas[edge.b] / degree[edge.b]);
  }
}

void plan_steepness(TogetherPlan& plan, ComponentPlan& component) {
  const auto& rest = plan.welded->surface().positions;
  component.steepness.setZero(component.region_count, component.region_count);
  Eigen::VectorXd slope = Eigen::VectorXd::Zero(component.region_count);
  std::vector<Index> here;
  const auto add_end = [&](Index v, double factor) {
    for (Index b = plan.blend_begin[v]; b < plan.blend_begin[v + 1]; ++b) {
      const Index r = plan.blend_region[b] - component.first_region;
      if (std::find(here.begin(), here.end(), r) == here.end()) here.push_back(r);
      slope[r] += factor * plan.blend_gamma[b] * plan.radius[v];
    }
  };
  for_each_edge(plan, component, [&](const Edge& edge, double area) {
    const double length = (rest[edge.b] - rest[edge.a]).norm();
    if (!(length > 0)) return;
    here.clear();
    add_end(edge.a, -1 / length);
    add_end(edge.b, 1 / length);
    // Twice: edges in all directions of the plane see half of a slope's square.
    for (const Index r : here) {
      for (const Index s : here) component.steepness(r, s) += 2 * area * slope[r] * slope[s];
    }
    for (const Index r : here) slope[r] = 0;
  });
  Eigen::VectorXd unit(component.region_count);
  for (Index r = 0; r < component.region_count; ++r) {
    double area = 0;
    for (const Index v : plan.regions[component.first_region + r].vertices) area += plan.rest_areas[v];
    unit[r] = area > 0 ? 1 / std::sqrt(area) : 0;
  }
  component.steepness = unit.asDiagonal() * component.steepness * unit.asDiagonal();
}

}  // namespace

std::size_t TogetherPlan::most_rings() const {
  std::size_t most = 0;
  for (const ComponentPlan& component : components) {
    most = std::max(most, component.touched.ring_count() + component.lids.ring_count());
  }
  return most;
}

TogetherPlan plan_together(const WeldedCharacter& welded, const VolumeOptions& options, std::vector<double> radii) {
  TogetherPlan plan{.welded = &welded, .options = options};
  const std::size_t vertices = welded.surface().vertex_count();
  plan.stands_for = standing_for(welded);
  plan.rest_normals.assign(vertices, Vec3::Zero());
  plan.rest_areas.assign(vertices, 0.0);
  plan.radius = std::move(radii);
  plan.regions = joint_regions(welded, plan.radius);
  plan.rings.resize(plan.regions.size());
  index_vertices(plan);
  find_axes(plan);

  for (const JointRegion& region : plan.regions) {
    plan.rims.push_back(region.functional.around(region.rim));
    double squares = 0;
    for (const double gamma : region.gamma) squares += gamma * gamma;
    plan.gamma_squares.push_back(squares);
    const std::size_t count = std::min(kSamples, region.vertices.size());
    auto& samples = plan.samples.emplace_back();
    for (std::size_t i = 0; i < count; ++i) samples.push_back(region.vertices[i * region.vertices.size() / count]);
  }
  Index next = 0;
  for (std::size_t c = 0; c < welded.topology().components.size(); ++c) {
    if (!welded.has_volume(c)) continue;
    ComponentPlan component{.index = static_cast<Index>(c), .first_region = next};
    while (next < static_cast<Index>(plan.regions.size()) && plan.regions[next].component == component.index) ++next;
    component.region_count = next - component.first_region;
    plan_component(plan, component);
    plan_steepness(plan, component);
    plan.components.push_back(std::move(component));
  }
  return plan;
}

}  // namespace isochor::volume

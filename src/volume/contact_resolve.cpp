#include "volume/contact_resolve.h"

#include <algorithm>
#include <cmath>

#include "isochor/base/math.h"
#include "volume/rest_carrier.h"

namespace isochor::volume {
namespace {

/// How often depths are found: both sides move at once, faces are flat, and closing the volume moves skin as well.
constexpr int kResolveRounds = 6;
/// Each side goes this share of a depth: a little more than half, so that flat faces come apart between their corners.
constexpr double kPushed = 0.6;
/// Skin is pushed out from where it lies no deeper than this, in local radii, less and less from there on, and not at
/// all from that: a hand that has gone through a body comes out on the other side.
constexpr double kWholly = 0.6, kDeepest = 1.2;
/// Skin that is pushed by so much, in local radii, has no part in closing the volume.
constexpr double kNotFree = 0.02;
/// The rest moves by no more than this for it, in local radii. Skin is pushed by less then.
constexpr double kMostMadeUp = 0.15;
/// How often depths are evened out with those of the neighbours.
constexpr int kEvenings = 2;
/// No depth above this, in local radii, is left to care about.
constexpr double kShallow = 1e-5;

double side_of(const ContactPlan& contact, Index component, bool mirrored) {
  return (mirrored ? -1 : 1) * contact.outward[component];
}

/// Which triangles are no matter for a vertex: those beside it, those it lies against at rest, and the other side of
/// what it belongs to.
bool no_matter(const ContactPlan& contact, const FaceHierarchy& faces, Index v, Index t) {
  for (const Index corner : faces.triangle(t)) {
    if (corner == v) return true;
  }
  for (Index k = contact.ring_begin[v]; k < contact.ring_begin[v + 1]; ++k) {
    const TrianglePair pair{std::min(contact.ring[k], t), std::max(contact.ring[k], t)};
    if (contact.back_to_back(pair) || contact.left_alone(pair)) return true;
  }
  return false;
}

/// How far below a vertex, along its normal, the skin lies that it has come through; 0 without any. From inside a body
/// that is where the way back, into its own, leaves the other: through a face that looks the same way as it goes.
struct Depth {
  double depth = 0;
  double opposed = 0;  ///< from 0 to 1
};
Depth depth_of(const ContactPlan& contact, const FaceHierarchy& faces, std::span<const Vec3> positions, Index v,
               const Vec3& normal, double deepest, std::span<const double> sides) {
  Depth found;
  double nearest = 1;
  const Vec3 &from = positions[v], to = from - deepest * normal;
  faces.along(from, to, [&](Index t) {
    const double side = sides[t];
    if (side == 0) return;
    const Triangle corners = faces.corners(t, positions);
    const Vec3 area = side * (corners[1] - corners[0]).cross(corners[2] - corners[0]);
    const double length = area.norm(), cosine = length > 0 ? normal.dot(area) / length : 0;
    if (!(cosine < -kAside)) return;
    const auto at = segment_crossing(from, to, corners);
    if (!at || !(*at < nearest) || no_matter(contact, faces, v, t)) return;
    nearest = *at;
    found = {.depth = nearest * deepest, .opposed = smooth_step(kAside, kOpposed, -cosine)};
  });
  return found;
}

/// By triangle: 1 or -1, the side that it shows; 0: none.
std::vector<double> sides_of(const WeldedCharacter& welded, const ContactPlan& contact, const PosedSkin* posed) {
  std::vector<double> sides(contact.faces.triangle_count());
  for (Index t = 0; t < static_cast<Index>(sides.size()); ++t) {
    const Index c = welded.topology().component_of_vertex[contact.faces.triangle(t)[0]];
    sides[t] = side_of(contact, c, posed != nullptr && posed->target_volumes[c] * posed->rest_volumes[c] < 0);
  }
  return sides;
}

void find_normals(const ContactInput& in, std::span<const Vec3> positions, ContactMoves& moves,
                  std::vector<Vec3>& normals) {
  for (const ComponentPlan& component : in.plan.components) {
    component.whole.gradient(positions, moves.gradient);
    component.whole.areas(positions, moves.areas);
    const Index c = component.index;
    const double side = side_of(in.contact, c, in.posed.target_volumes[c] * in.posed.rest_volumes[c] < 0);
    for (const Index v : component.whole.vertices()) {
      const double length = moves.gradient[v].norm();
      normals[v] = length > 0 ? Vec3(side / length * moves.gradient[v]) : Vec3::Zero();
    }
  }
}

/// How deep the skin lies in other skin. It is looked for where faces cross, and from there on as far as it goes. The
/// deepest, in local radii.
double find_depths(const ContactInput& in, FaceHierarchy& faces, std::span<const Vec3> positions,
                   std::span<const double> sides, ContactMoves& moves, ResolveBuffers& buffers) {
  faces.refit(positions);
  faces.near_pairs(buffers.near);
  buffers.inside.clear();
  std::fill(buffers.seen.begin(), buffers.seen.end(), 0);
  std::fill(buffers.depth.begin(), buffers.depth.end(), 0.0);
  const auto see = [&](Index v) {
    if (buffers.seen[v] != 0) return;
    buffers.seen[v] = 1;
    buffers.inside.push_back(v);
  };
  for (const TrianglePair& pair : buffers.near) {
    if (in.contact.left_alone(pair)) continue;
    if (!triangle_crossing(faces.corners(pair.a, positions), faces.corners(pair.b, positions))) continue;
    for (const Index t : {pair.a, pair.b}) {
      for (const Index v : faces.triangle(t)) see(v);
    }
  }
  if (buffers.inside.empty()) return 0;
  find_normals(in, positions, moves, buffers.normals);
  double deepest = 0;
  for (std::size_t k = 0; k < buffers.inside.size(); ++k) {  // grows
    const Index v = buffers.inside[k];
    const Index component = in.plan.welded->topology().component_of_vertex[v];
    const double radius = in.plan.radius[v] * length_scale(in.posed, component);
    if (!(radius > 0) || buffers.normals[v] == Vec3::Zero()) continue;
    const Depth depth = depth_of(in.contact, faces, positions, v, buffers.normals[v], kDeepest * radius, sides);
    if (!(depth.depth > 0)) continue;
    const double in_radii = depth.depth / radius;
    buffers.depth[v] = depth.depth * depth.opposed * (1 - smooth_step(kWholly, kDeepest, in_radii));
    if (in.contact.buried[v] == 0) deepest = std::max(deepest, buffers.depth[v] / radius);
    for (Index n = in.contact.next_begin[v]; n < in.contact.next_begin[v + 1]; ++n) see(in.contact.next[n]);
  }
  return deepest;
}

/// So that single vertices do not stick out.
void even_depths(const ContactInput& in, ResolveBuffers& buffers) {
  for (int pass = 0; pass < kEvenings; ++pass) {
    for (const Index v : buffers.inside) {
      double sum = 0;
      const Index begin = in.contact.next_begin[v], end = in.contact.next_begin[v + 1];
      for (Index n = begin; n < end; ++n) sum += buffers.depth[in.contact.next[n]];
      buffers.beside[v] = end > begin ? sum / (end - begin) : 0;
    }
    for (const Index v : buffers.inside) buffers.depth[v] = 0.5 * (buffers.depth[v] + buffers.beside[v]);
  }
}

/// Where everything stands, nothing pushed yet.
void gather_pushes(const ContactInput& in, const CorrectedFrame& out, ContactMoves& moves) {
  moves.begin(ContactMoves::Missing::pushed, out);
  for (const ComponentPlan& component : in.plan.components) {
    component.whole.gradient(out.positions, moves.gradient);
    component.whole.areas(out.positions, moves.areas);
    for (const Index v : component.whole.vertices()) {
      moves.from[v] = out.positions[v];
      moves.from_offset[v] = out.offsets[v];
      moves.wanted[v] = moves.wanted_offset[v] = Vec3::Zero();
      moves.set_closing(in.posed, v, true);
    }
  }
}

void push(const ContactInput& in, ContactMoves& moves, const ResolveBuffers& buffers) {
  std::fill(moves.cut.begin(), moves.cut.end(), 1.0);
  for (const Index v : buffers.inside) {
    const Index component = in.plan.welded->topology().component_of_vertex[v];
    moves.touched[component] = 1;
    if (in.contact.buried[v] != 0) moves.cut[v] = 0;
    if (!(buffers.depth[v] > 0)) continue;
    const Carried carried = RestCarrier(in.posed.maps[v].leftCols<3>()).carry(-buffers.normals[v]);
    moves.wanted[v] += kPushed * buffers.depth[v] * carried.displacement;
    moves.wanted_offset[v] += kPushed * buffers.depth[v] * carried.offset;
    const double radius = in.plan.radius[v] * length_scale(in.posed, component);
    moves.open[v] = 1 - smooth_step(0, kNotFree, moves.wanted[v].norm() / radius);
  }
}

}  // namespace

ResolveBuffers::ResolveBuffers(const TogetherPlan& plan) {
  if (plan.options.contact != ContactTreatment::resolve) return;
  const std::size_t count = plan.welded->surface().vertex_count();
  normals.assign(count, Vec3::Zero());
  depth.assign(count, 0.0);
  beside.assign(count, 0.0);
  seen.assign(count, 0);
}

std::vector<char> buried_at_rest(const TogetherPlan& plan, const ContactPlan& contact) {
  const Surface& surface = plan.welded->surface();
  std::vector<char> buried(surface.vertex_count(), 0);
  const std::vector<double> sides = sides_of(*plan.welded, contact, nullptr);
  const std::vector<Vec3> normals = vertex_normals(surface);
  for (Index v = 0; v < static_cast<Index>(buried.size()); ++v) {
    const Index c = plan.welded->topology().component_of_vertex[v];
    if (c == kNone || contact.outward[c] == 0) continue;
    const Vec3 normal = contact.outward[c] * normals[v];
    const double deepest = kDeepest * plan.radius[v];
    buried[v] = depth_of(contact, contact.faces, surface.positions, v, normal, deepest, sides).depth > 0 ? 1 : 0;
  }
  for (const TrianglePair& pair : contact.at_rest) {
    for (const Index t : {pair.a, pair.b}) {
      for (const Index v : contact.faces.triangle(t)) buried[v] = 1;
    }
  }
  return buried;
}

bool resolve_contacts(const ContactInput& in, FaceHierarchy& faces, ContactMoves& moves, ResolveBuffers& buffers,
                      CorrectedFrame& out) {
  const std::vector<double> sides = sides_of(*in.plan.welded, in.contact, &in.posed);
  bool any = false;
  for (int round = 0; round < kResolveRounds; ++round) {
    if (find_depths(in, faces, out.positions, sides, moves, buffers) < kShallow) break;
    even_depths(in, buffers);
    if (!any) gather_pushes(in, out, moves);
    any = true;
    push(in, moves, buffers);
    spread_and_close(in, moves, out);
  }
  if (!any) return false;
  yield_to_volume(in, moves, kMostMadeUp, out);
  keep_faces_turned(in, moves, out);
  report_moves(in, moves, out);
  return true;
}

}  // namespace isochor::volume

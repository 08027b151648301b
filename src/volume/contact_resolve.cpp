#include "volume/contact_resolve.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "isochor/base/math.h"
#include "volume/rest_carrier.h"

namespace isochor::volume {
namespace {

/// How often pushes are found: skin that lies deep comes out face by face, from the rim of where it crosses.
constexpr int kResolveRounds = 16;
/// Each side goes this share of a depth in a round. More opens gaps where skin only touched; but of depths below so
/// many local radii it goes more and more, or the last of it would never come apart.
constexpr double kPushed = 0.4, kPushedLast = 1.5, kLast = 0.01;
/// A vertex is pushed no further than about this, in local radii: less and less from the first on, not at all from the
/// second.
constexpr double kWholly = 0.6, kFarthest = 1.2;
/// How often pushes are evened out with those of the neighbours.
constexpr int kEvenings = 2;
/// Skin that is pushed by so much, in local radii, has no part in closing the volume.
constexpr double kNotFree = 0.02;
/// The rest moves by no more than this for it, in local radii. Skin is pushed by less then.
constexpr double kMostMadeUp = 0.15;
/// Pushes shorter than this, in local radii, are none.
constexpr double kShortest = 1e-5;

double local_radius(const ContactInput& in, Index v) {
  const Index component = in.plan.welded->topology().component_of_vertex[v];
  return in.plan.radius[v] * length_scale(in.posed, component);
}

/// How far the corners of faces that cross would have to go. Of several, the mean, each by its own length: continuous,
/// since a depth is, and near the longest. The longest of all, in local radii.
double find_pushes(const ContactInput& in, FaceHierarchy& faces, std::span<const Vec3> positions,
                   ResolveBuffers& buffers) {
  faces.refit(positions);
  faces.near_pairs(buffers.near);
  for (const Index v : buffers.inside) {
    buffers.push[v] = Vec3::Zero();
    buffers.weight[v] = 0;
  }
  buffers.inside.clear();
  const auto add = [&](Index t, const Vec3& push) {
    const double length = push.norm();
    for (const Index v : faces.triangle(t)) {
      if (buffers.weight[v] == 0) buffers.inside.push_back(v);
      buffers.weight[v] += length;
      buffers.push[v] += length * push;
    }
  };
  for (const TrianglePair& pair : buffers.near) {
    const auto crossing = triangle_crossing(faces.corners(pair.a, positions), faces.corners(pair.b, positions));
    if (!crossing || !(crossing->depth > 0)) continue;
    const Vec3 own = outward_normal(in, faces, pair.a, positions), other = outward_normal(in, faces, pair.b, positions);
    const double opposed = smooth_step(kAside, kOpposed, -own.dot(other));
    if (!(opposed > 0) || in.contact.back_to_back(pair) || in.contact.left_alone(pair) || in.contact.may_cross(pair))
      continue;
    const double radius = local_radius(in, faces.triangle(pair.a)[0]);
    const double last = 1 - smooth_step(0, kLast * radius, crossing->depth);
    const double share = opposed * (kPushed + (kPushedLast - kPushed) * last);
    const Vec3 push = share * crossing->depth * (own - other).normalized();
    if (!(push.norm() > 0)) continue;
    add(pair.a, -push);
    add(pair.b, push);
  }
  double longest = 0;
  for (const Index v : buffers.inside) {
    buffers.push[v] /= buffers.weight[v];
    longest = std::max(longest, buffers.push[v].norm() / local_radius(in, v));
  }
  return longest;
}

/// So that single vertices do not stick out: with the neighbours, and theirs.
void even_pushes(const ContactInput& in, ResolveBuffers& buffers) {
  const auto around = [&](Index v) {
    return std::span(in.contact.next)
        .subspan(in.contact.next_begin[v], in.contact.next_begin[v + 1] - in.contact.next_begin[v]);
  };
  for (int pass = 0; pass < kEvenings; ++pass) {
    const std::size_t count = buffers.inside.size();
    for (std::size_t k = 0; k < count; ++k) {
      for (const Index n : around(buffers.inside[k])) {
        if (buffers.weight[n] > 0) continue;
        buffers.weight[n] = std::numeric_limits<double>::min();
        buffers.inside.push_back(n);
      }
    }
    for (const Index v : buffers.inside) {
      Vec3 sum = Vec3::Zero();
      for (const Index n : around(v)) sum += buffers.push[n];
      buffers.evened[v] =
          0.5 * (buffers.push[v] + sum / static_cast<double>(std::max<std::size_t>(around(v).size(), 1)));
    }
    for (const Index v : buffers.inside) buffers.push[v] = buffers.evened[v];
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

/// On top of what was pushed before.
void push(const ContactInput& in, ContactMoves& moves, const ResolveBuffers& buffers) {
  std::fill(moves.cut.begin(), moves.cut.end(), 1.0);
  for (const Index v : buffers.inside) {
    const Index component = in.plan.welded->topology().component_of_vertex[v];
    moves.touched[component] = 1;
    if (in.contact.buried[v] != 0) moves.cut[v] = 0;
    const double radius = local_radius(in, v);
    if (!(radius > 0)) continue;
    const double less = 1 - smooth_step(kWholly, kFarthest, moves.wanted[v].norm() / radius);
    const Carried carried = RestCarrier(in.posed.maps[v].leftCols<3>()).carry(less * buffers.push[v]);
    moves.wanted[v] += carried.displacement;
    moves.wanted_offset[v] += carried.offset;
    moves.open[v] = 1 - smooth_step(0, kNotFree, moves.wanted[v].norm() / radius);
  }
}

}  // namespace

ResolveBuffers::ResolveBuffers(const TogetherPlan& plan) {
  if (plan.options.contact != ContactTreatment::resolve) return;
  const std::size_t count = plan.welded->surface().vertex_count();
  push.assign(count, Vec3::Zero());
  evened.assign(count, Vec3::Zero());
  weight.assign(count, 0.0);
}

bool resolve_contacts(const ContactInput& in, FaceHierarchy& faces, ContactMoves& moves, ResolveBuffers& buffers,
                      CorrectedFrame& out) {
  bool any = false;
  for (int round = 0; round < kResolveRounds; ++round) {
    if (find_pushes(in, faces, out.positions, buffers) < kShortest) break;
    even_pushes(in, buffers);
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

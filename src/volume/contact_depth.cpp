#include "volume/contact_depth.h"

#include <algorithm>
#include <cmath>

#include "isochor/base/math.h"

namespace isochor::volume {
namespace {

/// Skin that looks the same way is not inside: the cosine of the two normals from which on it counts, and from which on
/// it counts fully.
constexpr double kAside = 0.0, kOpposed = 0.3;

struct DepthSearch {
  const ContactInput& in;
  std::span<const Vec3> positions;

  double side_of(Index v) const {
    const Index component = in.plan.welded->topology().component_of_vertex[v];
    if (component == kNone) return 0;
    const double mirrored = in.posed.target_volumes[component] * in.posed.rest_volumes[component] < 0 ? -1 : 1;
    return mirrored * in.contact.outward[component];
  }

  /// Outward, not of length 1; zero where the skin has no inside.
  Vec3 normal_at(Index v) const {
    Vec3 sum = Vec3::Zero();
    for (Index k = in.contact.ring_begin[v]; k < in.contact.ring_begin[v + 1]; ++k) {
      sum += area_vector(positions, in.contact.faces.triangle(in.contact.ring[k]));
    }
    return side_of(v) * sum;
  }

  bool beside(Index v, Index t) const {
    const auto& corners = in.contact.faces.triangle(t);
    if (std::find(corners.begin(), corners.end(), v) != corners.end()) return true;
    const auto first = in.contact.next.begin() + in.contact.next_begin[v];
    const auto last = in.contact.next.begin() + in.contact.next_begin[v + 1];
    return std::find_first_of(first, last, corners.begin(), corners.end()) != last;
  }

  /// Skin that lay against other skin at rest is not inside it.
  bool near_at_rest(Index v, Index t) const {
    const auto& rest = in.plan.welded->surface().positions;
    const Triangle corners = in.contact.faces.corners(t, rest);
    const Vec3 shares = nearest_shares(corners, rest[v]);
    const Vec3 at = shares[0] * corners[0] + shares[1] * corners[1] + shares[2] * corners[2];
    return (at - rest[v]).norm() <= kRestGap * in.contact.mean_edge(t);
  }

  /// Whether a vertex lies inside the nearest skin that looks against it, and how deep.
  Buried look(Index v, double within, const FaceHierarchy& faces) const {
    Buried found{.vertex = v};
    const Vec3 own = normal_at(v);
    if (own == Vec3::Zero()) return found;
    const Vec3& at = positions[v];
    faces.around(at, within, [&](Index t, double& nearer) {
      if (side_of(faces.triangle(t)[0]) == 0 || beside(v, t)) return;
      const Triangle corners = faces.corners(t, positions);
      const Vec3 facing = side_of(faces.triangle(t)[0]) * (corners[1] - corners[0]).cross(corners[2] - corners[0]);
      if (own.dot(facing) >= 0) return;
      const Vec3 shares = nearest_shares(corners, at);
      const double far = (shares[0] * corners[0] + shares[1] * corners[1] + shares[2] * corners[2] - at).norm();
      if (far > nearer || (far == nearer && found.triangle != kNone && t > found.triangle)) return;
      if (near_at_rest(v, t)) return;
      nearer = found.depth = far;
      found.triangle = t;
      found.shares = shares;
    });
    if (found.triangle == kNone) return found;
    const auto& corners = faces.triangle(found.triangle);
    Vec3 normal = Vec3::Zero(), point = Vec3::Zero();
    for (Index k = 0; k < 3; ++k) {
      normal += found.shares[k] * normal_at(corners[k]).normalized();
      point += found.shares[k] * positions[corners[k]];
    }
    const double opposed = -own.normalized().dot(normal.normalized());
    const bool inside = (at - point).dot(normal) < 0;
    found.depth *= inside ? smooth_step(kAside, kOpposed, opposed) : 0;
    return found;
  }
};

}  // namespace

void find_buried(const ContactInput& in, std::span<const Vec3> positions, std::span<const TrianglePair> crossing,
                 ContactBuffers& buffers) {
  const DepthSearch search{in, positions};
  buffers.buried.clear();
  buffers.open.clear();
  std::fill(buffers.seen.begin(), buffers.seen.end(), 0);
  const auto look = [&](Index v, double within) {
    if (buffers.seen[v] != 0) return;
    buffers.seen[v] = 1;
    const Buried found = search.look(v, within, buffers.faces);
    if (!(found.depth > 0)) return;
    buffers.open.push_back(static_cast<Index>(buffers.buried.size()));
    buffers.buried.push_back(found);
  };
  for (const TrianglePair& pair : crossing) {
    for (const auto& [own, other] : {std::pair(pair.a, pair.b), std::pair(pair.b, pair.a)}) {
      const Triangle corners = buffers.faces.corners(other, positions);
      for (const Index v : buffers.faces.triangle(own)) {
        const Vec3 shares = nearest_shares(corners, positions[v]);
        const Vec3 at = shares[0] * corners[0] + shares[1] * corners[1] + shares[2] * corners[2];
        look(v, (at - positions[v]).norm());
      }
    }
  }
  // A neighbour is no farther from that skin than by the edge between.
  for (std::size_t i = 0; i < buffers.open.size(); ++i) {
    const Buried from = buffers.buried[buffers.open[i]];
    const Vec3& at = positions[from.vertex];
    Vec3 exit = Vec3::Zero();
    for (Index k = 0; k < 3; ++k) exit += from.shares[k] * positions[buffers.faces.triangle(from.triangle)[k]];
    for (Index k = in.contact.next_begin[from.vertex]; k < in.contact.next_begin[from.vertex + 1]; ++k) {
      const Index n = in.contact.next[k];
      look(n, (exit - at).norm() + (positions[n] - at).norm());
    }
  }
}

}  // namespace isochor::volume

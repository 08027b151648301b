#include "volume/fold_guard.h"

#include <algorithm>
#include <cmath>

#include "isochor/base/math.h"
#include "isochor/mesh/face_turns.h"
#include "volume/rest_carrier.h"
#include "volume/together.h"

namespace isochor::volume {
namespace {

/// What is promised is 60° and 0.15 of the area; a little more is kept, for what files round.
constexpr double kTurn = 0.515, kArea = 0.16;
/// Where a twist is undone, less than 90° is all that is asked; and in the middle of a strong one, nothing: there the
/// deformer itself has turned the faces, as the skin passes through the axis and comes out on the other side.
constexpr double kTwistTurn = 0.03, kTwistArea = 0.01;
constexpr double kTwistAt = 0.5, kWrung = 0.95;
/// Faces that the deformer has crushed below a thousandth of the median are nothing to hold on to: strictness fades out
/// below that.
constexpr double kGone = 2e-4;
/// How near to its limits a face has to be, as a share of its corners' displacement.
constexpr double kHeld = 1e-4;
/// What is free grows from 0 to 1 over so many local radii.
constexpr double kSpread = 0.3;
/// Rounds of cutting back and closing again; then of cutting back alone.
constexpr int kRounds = 100, kRoundsWithoutClosing = 400;
/// A volume that is this near to its target, relative to it, is brought there again.
constexpr double kExactBefore = 1e-9;
/// What a vertex gives that has lost nothing around it, of its own displacement.
constexpr double kElsewhere = 0.01;
/// Places along a joint's region that make up for their losses by themselves.
constexpr int kBins = 12;

std::size_t face_count(const VolumeFunctional& functional) { return functional.ring_count() - functional.cap_count(); }

/// Of a face at rest, with the pose's scale.
double median_area(const ComponentPose& at) { return at.component.face_area * at.scale * at.scale; }

GuardedFace read_face(const FoldInput& in, std::span<const Index> ring, const Vec3& normal) {
  GuardedFace face;
  face.normal = normal;
  face.squared = face.normal.squaredNorm();
  face.strictness = smooth_step(kGone, kCrushedFace, std::sqrt(face.squared) / median_area(in.at));
  double twist = 0;
  for (const Index v : ring) twist = std::max(twist, in.twist[v]);
  const double twisted = smooth_step(0, kTwistAt, twist);
  face.turn = kTurn + twisted * (kTwistTurn - kTurn);
  face.area = kArea + twisted * (kTwistArea - kArea);
  face.strictness *= 1 - smooth_step(kTwistAt, kWrung, twist);
  return face;
}

/// What a face lets its corners keep of their displacements: 1 if it is within its limits. Both limits are functions of
/// the face that fall from a positive value, without displacement, to 0 at the limit; a straight line through the two
/// says how much must go.
double kept_by(const GuardedFace& face, const Vec3& normal) {
  if (face.strictness == 0) return 1;
  const double slack = 1 / face.strictness - 1;
  const double along = face.normal.dot(normal) / face.squared;
  const double length = std::sqrt(normal.squaredNorm() / face.squared);
  const double turned = along - face.turn * length + slack, shrunk = along - face.area + slack;
  double kept = 1;
  if (turned < 0) kept = (1 - face.turn + slack) / (1 - face.turn + slack - turned);
  if (shrunk < 0) kept = std::min(kept, (1 - face.area + slack) / (1 - face.area + slack - shrunk));
  return kept;
}

/// What became of the faces.
struct FaceLook {
  bool held = true;  ///< all are within their limits, as they mostly are
  FaceTurns turns;
};

FaceLook look(const FoldInput& in, std::span<const Vec3> positions) {
  FaceLook out;
  const double crushed = kCrushedFace * median_area(in.at);
  for_each_moved_face(in.faces, in.at.posed.positions, positions,
                      [&](std::size_t r, const Vec3& before, const Vec3& after) {
                        const GuardedFace face = read_face(in, in.faces.ring(r), before);
                        if (kept_by(face, after) < 1 - kHeld) out.held = false;
                        out.turns.add(before, after, crushed);
                      });
  return out;
}

void report(const FaceTurns& turns, CorrectedFrame& out) {
  out.turned_faces += turns.turned;
  out.largest_turn = std::max(out.largest_turn, turns.largest());
}

/// What moves, by how much, and along what the volume can be closed.
void gather(const FoldInput& in, const CorrectedFrame& out, FoldBuffers& buffers) {
  const auto& posed = in.at.posed;
  const VolumeFunctional& whole = in.at.component.whole;
  whole.gradient(posed.positions, buffers.gradient);
  whole.areas(posed.positions, buffers.areas);
  buffers.vertices.clear();
  for (const Index v : whole.vertices()) {
    buffers.displacement[v] = out.positions[v] - posed.positions[v];
    buffers.offset[v] = out.offsets[v];
    buffers.closing[v].setZero();
    buffers.closing_offset[v].setZero();
    buffers.direction[v].setZero();
    buffers.free[v] = 1;
    if (buffers.displacement[v] == Vec3::Zero()) continue;  // joints that rest give nothing
    const Vec3 normal = guarded_normal(buffers.gradient[v], buffers.areas[v]);
    const Carried carried = RestCarrier(posed.maps[v].leftCols<3>()).carry(normal);
    buffers.closing[v] = carried.displacement;
    buffers.closing_offset[v] = carried.offset;
    buffers.vertices.push_back(v);
  }
  buffers.faces.clear();
  for (std::size_t r = 0; r < face_count(whole); ++r) {
    const auto ring = whole.ring(r);
    const bool still = std::none_of(ring.begin(), ring.end(), [&](Index v) {
      return buffers.displacement[v] != Vec3::Zero() || buffers.closing[v] != Vec3::Zero();
    });
    if (still) continue;
    GuardedFace face = read_face(in, ring, area_vector(posed.positions, ring));
    face.ring = static_cast<Index>(r);
    if (face.strictness > 0) buffers.faces.push_back(face);
  }
}

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

/// How far each vertex goes in the closing: by what the skin around the same place of the limb has lost to the cut, in
/// the mean, so that the rest of a ring makes up for its fold and no other joint. One sign: what is free gives the same
/// way.
void find_closing_heights(const FoldInput& in, FoldBuffers& buffers) {
  const TogetherPlan& plan = in.at.plan;
  const Index first = in.at.component.first_region;
  buffers.lost.assign(static_cast<std::size_t>(in.at.component.region_count) * kBins, 0.0);
  buffers.area.assign(buffers.lost.size(), 0.0);
  for (const Index v : buffers.vertices) {
    const double area = buffers.areas[v];
    const double lost = area * (1 - buffers.free[v]) * buffers.displacement[v].norm();
    for (Index b = plan.blend_begin[v]; b < plan.blend_begin[v + 1]; ++b) {
      const double gamma = plan.blend_gamma[b];
      for_bins(plan.blend_region[b] - first, gamma, [&](std::size_t bin, double share) {
        buffers.lost[bin] += share * gamma * lost;
        buffers.area[bin] += share * gamma * area;
      });
    }
  }
  for (const Index v : buffers.vertices) {
    double height = kElsewhere * buffers.displacement[v].norm();
    for (Index b = plan.blend_begin[v]; b < plan.blend_begin[v + 1]; ++b) {
      const double gamma = plan.blend_gamma[b];
      for_bins(plan.blend_region[b] - first, gamma, [&](std::size_t bin, double share) {
        if (buffers.area[bin] > 0) height += share * gamma * buffers.lost[bin] / buffers.area[bin];
      });
    }
    // What has been cut back has no more to give: the limits would be met again in the next round.
    const double free = buffers.free[v];
    buffers.height[v] = free * free * free * height;
  }
}

void show(const FoldInput& in, const FoldBuffers& buffers, CorrectedFrame& out) {
  for (const Index v : buffers.vertices) {
    out.positions[v] = in.at.posed.positions[v] + buffers.free[v] * buffers.displacement[v];
    out.offsets[v] = buffers.free[v] * buffers.offset[v];
  }
}

/// Takes from corners what their faces ask for, most first; returns the smallest share that any face leaves.
double cut_back(const FoldInput& in, std::span<const Vec3> positions, FoldBuffers& buffers) {
  const VolumeFunctional& whole = in.at.component.whole;
  for (const Index v : buffers.vertices) buffers.cut[v] = 1;
  double least = 1;
  for (const GuardedFace& face : buffers.faces) {
    const auto ring = whole.ring(face.ring);
    const double kept = kept_by(face, area_vector(positions, ring));
    if (kept == 1) continue;
    least = std::min(least, kept);
    for (const Index v : ring) buffers.cut[v] = std::min(buffers.cut[v], kept);
  }
  for (const Index v : buffers.vertices) buffers.free[v] *= buffers.cut[v];
  return least;
}

/// A vertex keeps no more than its neighbours, and what the way to them allows.
void spread(const FoldInput& in, FoldBuffers& buffers) {
  const VolumeFunctional& whole = in.at.component.whole;
  const auto& rest = in.at.plan.welded->surface().positions;
  const auto& radius = in.at.plan.radius;
  constexpr int kPasses = 64;
  for (int pass = 0; pass < kPasses; ++pass) {
    bool changed = false;
    for (const GuardedFace& face : buffers.faces) {
      const auto ring = whole.ring(face.ring);
      for (std::size_t i = 0; i < ring.size(); ++i) {
        const Index a = ring[i], b = ring[i + 1 == ring.size() ? 0 : i + 1];
        double& low = buffers.free[a] < buffers.free[b] ? buffers.free[a] : buffers.free[b];
        double& high = buffers.free[a] < buffers.free[b] ? buffers.free[b] : buffers.free[a];
        if (high <= low) continue;
        const double way = (rest[a] - rest[b]).norm() / (kSpread * 0.5 * (radius[a] + radius[b]) + 1e-300);
        if (high <= low + way) continue;
        high = low + way;
        changed = true;
      }
    }
    if (!changed) return;
  }
}

/// Closes the volume by what is free; false if that cannot be.
bool close_by_free(const FoldInput& in, FoldBuffers& buffers, CorrectedFrame& out) {
  const VolumeFunctional& whole = in.at.component.whole;
  constexpr double kNear = 0.1 * kReached;
  find_closing_heights(in, buffers);
  for (int pass = 0; pass < 3; ++pass) {
    const double left = in.at.target - whole.volume(out.positions);
    if (std::abs(left) <= kNear * std::abs(in.at.target)) return true;
    for (const Index v : buffers.vertices) {
      buffers.direction[v] = buffers.free[v] * buffers.height[v] * buffers.closing[v];
    }
    const CubicRoot root = continuing_root(whole.along(out.positions, buffers.direction), left);
    if (!std::isfinite(root.t)) return false;
    for (const Index v : buffers.vertices) {
      buffers.displacement[v] += root.t * buffers.height[v] * buffers.closing[v];
      buffers.offset[v] += root.t * buffers.height[v] * buffers.closing_offset[v];
    }
    show(in, buffers, out);
    if (!root.found) return false;
  }
  return true;
}

}  // namespace

FoldBuffers::FoldBuffers(const TogetherPlan& plan) {
  const std::size_t count = plan.welded->surface().vertex_count();
  for (auto* values : {&free, &cut, &areas, &height}) values->assign(count, 1.0);
  for (auto* field : {&displacement, &offset, &closing, &closing_offset, &direction, &gradient}) {
    field->assign(count, Vec3::Zero());
  }
}

bool hold_faces(const FoldInput& in, FoldBuffers& buffers, CorrectedFrame& out) {
  const FaceLook before = look(in, out.positions);
  if (before.held || in.at.plan.options.faces == FaceTreatment::free) {
    report(before.turns, out);
    return false;
  }
  ComponentVolume& volume = out.components[in.at.component.index];
  const bool exact = volume.error_after() <= kExactBefore;
  gather(in, out, buffers);
  bool closed = exact;
  for (int round = 0; round < kRounds + kRoundsWithoutClosing; ++round) {
    if (cut_back(in, out.positions, buffers) > 1 - kHeld) break;
    spread(in, buffers);
    show(in, buffers, out);
    closed = exact && round < kRounds && close_by_free(in, buffers, out);
  }
  volume.after = in.at.component.whole.volume(out.positions);
  volume.residual = in.at.target - volume.after;
  if (exact && !closed) volume.outcome = VolumeOutcome::folded;
  for (const Index v : buffers.vertices) out.held_vertices += buffers.free[v] < 1 ? 1 : 0;
  report(look(in, out.positions).turns, out);
  return true;
}

}  // namespace isochor::volume

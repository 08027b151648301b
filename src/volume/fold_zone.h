#pragma once

/// Skin whose faces come near turning over: the limits of a face, and the few vertices and faces that anything is done
/// to. Both are numbered anew in every pose, in the order in which they are met.

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "isochor/mesh/face_turns.h"
#include "volume/rest_carrier.h"
#include "volume/together.h"

namespace isochor::volume {

/// The limits. What is promised is 60° and 0.15 of the area; a little more is kept, for what files round.
inline constexpr double kTurn = 0.515, kArea = 0.16;
/// Nor may a face grow to more than so many times of what the deformer leaves of it, but for twists. Where the deformer
/// itself turns a face over, it vanishes in between: so does the corrected one then, and its sides change together.
inline constexpr double kGrowth = 6;
/// Corners slide apart until their faces are this far from their limits. Less leaves faces to be slowed down; more
/// moves a few vertices of a fold farther, and meshes of one shape begin to differ there.
inline constexpr double kApart = 0.135;
/// A face that is nearer to a limit than this slows its corners down.
inline constexpr double kSoft = 0.03;

struct FoldInput {
  const ComponentPose& at;
  std::span<const double> twist;   ///< #V: 1 where the correction undoes a twist, which turns faces far; 0 elsewhere
  std::span<const Vec3> gradient;  ///< #V: ∇V of the pose, valid where joints blend
  const MeasuredRings* measured = nullptr;  ///< of `out` as it comes, if the correction has ended there
};

/// Of the flesh between two faces that meet in a sharp edge, the correction leaves so much of what the deformer has
/// left: else a thin wing turns inside out along its border, though neither face turns far.
inline constexpr double kWedge = 0.15;
/// A change of a wedge by its volume counts as so much of a face's margin: wedges are thin, and would else stop the
/// skin short.
inline constexpr double kWedgeMargin = 0.2;

/// What the deformer made of a face, and how far the correction may turn it; or of a wedge.
struct GuardedFace {
  Vec3 normal;                     ///< its area vector
  double per_squared = 0;          ///< one over its squared length; 0 for a face without area
  double turn = 0;                 ///< the cosine to keep
  double area = 0;                 ///< the share of its area to keep, along that normal
  double per_growth = 0;           ///< one over the most times that it may be as large
  double slack = 0;                ///< beyond all limits; grows where the deformer crushes the face
  double per_wedge = 0;            ///< of a wedge: one over six times its volume; then only slack counts of the above
  std::size_t begin = 0, end = 0;  ///< into FoldZone::corners

  bool is_wedge() const { return per_wedge != 0; }
};

/// Six times the volume of the tetrahedron of four corners.
template <class At>
double wedge_of(std::span<const Index> corners, const At& at) {
  const Vec3& a = at(corners[0]);
  return Vec3(at(corners[1]) - a).cross(Vec3(at(corners[2]) - a)).dot(Vec3(at(corners[3]) - a));
}

/// How far a face is from the nearest of its limits, where its area vector is `normal`. All of them are positive, and
/// well above kApart, without displacement. Concave in `normal`.
inline double margin(const GuardedFace& face, const Vec3& normal) {
  if (!(face.per_squared > 0)) return 1;
  const double along = face.normal.dot(normal) * face.per_squared;
  const double length = std::sqrt(normal.squaredNorm() * face.per_squared);
  return std::min({along - face.turn * length, along - face.area, 1 - length * face.per_growth}) + face.slack;
}

/// N = ½ Σ p_i × p_{i+1}, of corners that are looked up.
template <class At>
Vec3 area_of(std::span<const Index> corners, const At& at) {
  if (corners.size() == 3) {
    const Vec3& a = at(corners[0]);
    return 0.5 * Vec3(at(corners[1]) - a).cross(Vec3(at(corners[2]) - a));
  }
  if (corners.size() == 4) {
    return 0.5 * Vec3(at(corners[2]) - at(corners[0])).cross(Vec3(at(corners[3]) - at(corners[1])));
  }
  const Vec3& first = at(corners[0]);
  Vec3 sum = Vec3::Zero(), last = Vec3::Zero();
  for (const Index c : corners) {
    const Vec3 next = at(c) - first;
    sum += last.cross(next);
    last = next;
  }
  return 0.5 * sum;
}

inline double wedge_margin(const GuardedFace& wedge, double volume) {
  return kWedgeMargin * (volume * wedge.per_wedge - kWedge) + wedge.slack;
}

/// The same, of a face or a wedge whose corners are looked up.
template <class At>
double margin_at(const GuardedFace& face, std::span<const Index> corners, const At& at) {
  if (face.is_wedge()) return wedge_margin(face, wedge_of(corners, at));
  return margin(face, area_of(corners, at));
}

/// Two faces that meet in a sharp edge: its ends, then a corner of each.
struct Wedge {
  std::array<Index, 4> corners;
  double volume = 0;  ///< wedge_of() at rest
};

/// What never changes: rings around vertices, neighbours, and the areas that losses are shared by.
struct FoldPlan {
  explicit FoldPlan(const TogetherPlan& plan);

  std::vector<Index> ring_begin, rings;  ///< #V+1: the rings around each vertex, in its component's `whole`; with caps
  std::vector<Index> next_begin, next;   ///< #V+1: neighbours
  std::vector<double> way;               ///< to them: how much more they may be free
  std::vector<Wedge> wedges;             ///< of one component after the other
  std::vector<Index> first_wedge;        ///< by component of the topology, and the end
  std::vector<Index> wedge_begin, wedge_at;  ///< #V+1: the wedges at each vertex
  std::vector<double> bin_area;              ///< see fold_closing.h
  std::size_t most_rings = 0;                ///< of a component

  std::span<const Index> rings_at(Index v) const {
    return {rings.data() + ring_begin[v], rings.data() + ring_begin[v + 1]};
  }
  std::span<const Index> wedges_at(Index v) const {
    return {wedge_at.data() + wedge_begin[v], wedge_at.data() + wedge_begin[v + 1]};
  }
};

/// The vertices that anything is done to, and faces around them.
struct FoldZone {
  FoldZone(const TogetherPlan& plan, const FoldPlan& folds);

  std::vector<Index> vertices;       // of the surface
  std::vector<Index> place;          // #V: the reverse, or kNone
  std::vector<Vec3> from;            // where the deformer puts them
  std::vector<Vec3> wanted, offset;  // what the correction asks for; in the pose and at rest
  std::vector<Vec3> way, rest_way;   // the same after corners have slid, before they are held back
  std::vector<double> free;          // how much of their way they keep

  std::vector<GuardedFace> faces;
  std::vector<Index> corners;     // of the faces: places
  std::vector<Index> face_ring;   // of `whole`, or the wedge
  std::vector<Index> face_place;  // the reverse, or kNone
  std::vector<Index> wedge_place;

  void clear();
  Index add_vertex(const FoldInput& in, const CorrectedFrame& out, Index v);
  Index add_face(const FoldInput& in, const CorrectedFrame& out, Index ring);
  Index add_wedge(const FoldInput& in, const FoldPlan& plan, const CorrectedFrame& out, Index wedge);
  /// All faces and wedges around a vertex of the zone.
  void add_faces(const FoldInput& in, const FoldPlan& plan, const CorrectedFrame& out, Index place);
  std::span<const Index> corners_of(const GuardedFace& face) const {
    return {corners.data() + face.begin, face.end - face.begin};
  }
};

/// `normal` is the area vector of the ring as the deformer put it.
GuardedFace read_face(const FoldInput& in, std::span<const Index> ring, const Vec3& normal);

/// `volume` is wedge_of() as the deformer put it.
GuardedFace read_wedge(const FoldInput& in, const Wedge& wedge, double volume);

/// Products of a face's area vectors, as the deformer and as the correction has them.
struct FaceProducts {
  double before = 0, after = 0, along = 0;

  FaceProducts(const Vec3& from, const Vec3& to)
      : before(from.squaredNorm()), after(to.squaredNorm()), along(from.dot(to)) {}
};

/// Whether a face is surely farther than kApart from every limit, without a root or a division.
inline bool clearly_apart(const FaceProducts& face) {
  // A twist, or a face that is crushed, only widens these.
  constexpr double kLarge = kGrowth * (1 - kApart);
  const double beyond = face.along - kApart * face.before;
  return face.along >= (kArea + kApart) * face.before && beyond * beyond >= kTurn * kTurn * face.before * face.after &&
         face.after <= kLarge * kLarge * face.before;
}

/// Of a face at rest, with the pose's scale.
double median_area(const ComponentPose& at);

}  // namespace isochor::volume

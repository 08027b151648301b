#pragma once

/// Skin that gives way to other skin: each vertex goes a share of a way, the share changes slowly over the skin, no
/// face turns over for it, and the volume is closed again by what is free. Both parts of contact stand on it: what the
/// correction pushed together is held back (contact.h), what skinning did is pushed apart (contact_resolve.h).

#include <span>
#include <vector>

#include "volume/component_pose.h"
#include "volume/contact_plan.h"

namespace isochor::volume {

struct ContactInput {
  const TogetherPlan& plan;
  const ContactPlan& contact;
  const PosedSkin& posed;
};

struct ContactMoves {
  /// Empty if the plan does without contact.
  explicit ContactMoves(const TogetherPlan& plan);

  /// What the rest of the skin makes up for: the part of its way that a vertex does not go, or the part that it goes.
  enum class Missing { held_back, pushed };

  Missing missing = Missing::held_back;
  std::vector<Vec3> before;                   // #V: the frame when this began
  std::vector<Vec3> from, from_offset;        // #V: where a way begins, in the pose and at rest
  std::vector<Vec3> wanted, wanted_offset;    // and the way
  std::vector<Vec3> closing, closing_offset;  // along which the volume is closed
  std::vector<double> kept, cut;              // of its way; and what this round leaves of that
  std::vector<double> open;                   // how free to close the volume, from 0 to 1, where all of a way is kept
  std::vector<double> height;                 // how far in the closing, against others
  std::vector<double> by_component;           // how far the closing goes
  std::vector<char> touched;                  // by component: some of its skin gives way
  std::vector<double> lost, held, given;      // by region
  std::vector<Vec3> gradient, direction;      // #V
  std::vector<double> areas;                  // #V
  std::vector<std::pair<double, Index>> queue;

  /// Nothing is cut, closed or touched yet, and `out` is where everything stands.
  void begin(Missing what, const CorrectedFrame& out);
  /// Along the outward normals, for vertices that `moves` accepts. Needs `gradient` and `areas` of the component.
  void set_closing(const PosedSkin& posed, Index v, bool moves);

  Vec3 way(Index component, Index v) const { return wanted[v] + by_component[component] * height[v] * closing[v]; }
};

/// Of a component in the pose: 1 or -1, the side its faces show, or 0 where it has no inside.
double outward_side(const ContactInput& in, Index component);

/// Of a triangle, outward, of length 1; zero where the skin has no inside.
Vec3 outward_normal(const ContactInput& in, const FaceHierarchy& faces, Index t, std::span<const Vec3> positions);

/// Takes what this round leaves, and no more than a little more than the neighbours keep, so that no vertex sticks out;
/// places the skin of every component that is touched and closes its volume.
void spread_and_close(const ContactInput& in, ContactMoves& moves, CorrectedFrame& out);

/// Where the skin is with what it keeps, and its volume closed again by what is free: a cubic, since all goes along
/// lines.
void place_and_close(const ContactInput& in, const ComponentPlan& component, ContactMoves& moves, CorrectedFrame& out);

/// Skin gives way by less where that would take more than `most`, in local radii, of the skin around.
void yield_to_volume(const ContactInput& in, ContactMoves& moves, double most, CorrectedFrame& out);

/// Faces that are nearer to turning over than they were, and near it, ask their corners to keep less, and the skin is
/// placed and closed again; until none asks, or a number of rounds.
void keep_faces_turned(const ContactInput& in, ContactMoves& moves, CorrectedFrame& out);

/// Volumes, faces and vertices held back, after all of it.
void report_moves(const ContactInput& in, const ContactMoves& moves, CorrectedFrame& out);

}  // namespace isochor::volume

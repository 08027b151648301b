#include "volume/fold_guard.h"

#include "volume/together.h"

namespace isochor::volume {
namespace {

/// How often faces that come near their limits later are added.
constexpr int kNearRounds = 6;
/// A vertex counts as held back that keeps less than this of its displacement, or slides by more than the rest of it.
constexpr double kHeld = 0.99;

/// The squared cosine of a face's turn, with its sign; 1 for a face that is too small to have a side.
double turn_of(const FaceProducts& face, double crushed) {
  if (!(face.before > crushed * crushed && face.after > crushed * crushed)) return 1;
  return face.along * std::abs(face.along) / (face.before * face.after);
}

std::size_t face_count(const VolumeFunctional& of) { return of.ring_count() - of.cap_count(); }

struct FaceLook {
  const FoldInput& in;
  const VolumeFunctional& whole = in.at.component.whole;
  double crushed = kCrushedFace * median_area(in.at);

  Vec3 area(std::span<const Vec3> positions, std::size_t ring) const {
    return area_of(whole.ring(ring), [&](Index v) -> const Vec3& { return positions[v]; });
  }
  /// As the deformer has it.
  Vec3 area_before(std::size_t ring) const {
    const Index touched = in.at.component.touched_of_whole[ring];
    const bool known = in.measured != nullptr && touched != kNone;
    return known ? in.measured->before[touched] : area(in.at.posed.positions, ring);
  }
  bool near(std::size_t ring, const Vec3& from, const Vec3& to, double apart) const {
    return margin(read_face(in, whole.ring(ring), from), to) < apart;
  }
  /// Takes note of what became of a face.
  void note(std::size_t ring, const Vec3& from, const Vec3& to, FoldBuffers& buffers) const {
    const FaceProducts products(from, to);
    if (!clearly_apart(products) && near(ring, from, to, kApart)) buffers.near.push_back(static_cast<Index>(ring));
    buffers.cosine[ring] = turn_of(products, crushed);
  }
};

/// Wedges that end within `apart` of their limit, and fulfil a condition.
template <class Which>
void find_near_wedges(const FoldInput& in, const CorrectedFrame& out, const FoldPlan& plan, double apart,
                      std::vector<Index>& found, const Which& which) {
  const auto& before = in.at.posed.positions;
  for (Index w = plan.first_wedge[in.at.component.index]; w < plan.first_wedge[in.at.component.index + 1]; ++w) {
    const Wedge& wedge = plan.wedges[w];
    const double was = wedge_of(wedge.corners, [&](Index v) -> const Vec3& { return before[v]; });
    const double is = wedge_of(wedge.corners, [&](Index v) -> const Vec3& { return out.positions[v]; });
    if (!(kWedgeMargin * (is / was - kWedge) < apart)) continue;  // the slack only widens that
    if (wedge_margin(read_wedge(in, wedge, was), is) < apart && which(w)) found.push_back(w);
  }
}

/// What became of the faces; rings that come near a limit, mostly none, are put into `near`.
void look_at_all(const FoldInput& in, const CorrectedFrame& out, FoldBuffers& buffers) {
  const FaceLook look{in};
  const std::size_t count = face_count(look.whole);
  buffers.near.clear();
  std::fill_n(buffers.cosine.begin(), count, 1.0);
  if (in.measured != nullptr) {
    const auto touched_faces = static_cast<Index>(face_count(in.at.component.touched));
    for (const Index r : in.measured->extent.view.rings) {
      if (r >= touched_faces) continue;
      const auto ring = static_cast<std::size_t>(in.at.component.whole_of_touched[r]);
      look.note(ring, in.measured->before[r], in.measured->after[r], buffers);
    }
    return;
  }
  const std::vector<Vec3>& before = in.at.posed.positions;
  for (std::size_t r = 0; r < count; ++r) {
    const auto ring = look.whole.ring(r);
    if (std::all_of(ring.begin(), ring.end(), [&](Index v) { return before[v] == out.positions[v]; })) continue;
    look.note(r, look.area(before, r), look.area(out.positions, r), buffers);
  }
}

/// The same for what has moved since then. Faces that end within the soft band, and do not slow anything down yet, are
/// added to `later`; true if there are any.
bool look_again(const FoldInput& in, const CorrectedFrame& out, FoldBuffers& buffers) {
  const FaceLook look{in};
  const auto count = static_cast<Index>(face_count(look.whole));
  const std::size_t known = buffers.later.size(), known_wedges = buffers.later_wedges.size();
  const auto slows = [&](Index face) {
    const auto& slow = buffers.flowing.slows;
    return face != kNone && static_cast<std::size_t>(face) < slow.size() && slow[face] != 0;
  };
  for (const Index r : buffers.closing.rings) {
    if (r >= count) continue;
    const auto ring = static_cast<std::size_t>(r);
    const Vec3 from = look.area_before(ring);
    const Vec3& to = buffers.closing.ring_area[r];
    const FaceProducts products(from, to);
    buffers.cosine[ring] = turn_of(products, look.crushed);
    if (clearly_apart(products) || !look.near(ring, from, to, kSoft)) continue;
    if (!slows(buffers.zone.face_place[r])) buffers.later.push_back(r);
  }
  find_near_wedges(in, out, buffers.plan, kSoft, buffers.later_wedges,
                   [&](Index wedge) { return !slows(buffers.zone.wedge_place[wedge]); });
  return buffers.later.size() > known || buffers.later_wedges.size() > known_wedges;
}

void report(const FoldInput& in, const FoldBuffers& buffers, CorrectedFrame& out) {
  const VolumeFunctional& whole = in.at.component.whole;
  double least = 1;
  for (std::size_t r = 0; r < face_count(whole); ++r) {
    out.turned_faces += buffers.cosine[r] < 0 ? 1 : 0;
    least = std::min(least, buffers.cosine[r]);
  }
  const double cosine = std::clamp(std::copysign(std::sqrt(std::abs(least)), least), -1.0, 1.0);
  out.largest_turn = std::max(out.largest_turn, std::acos(cosine));
}

/// What the guard has done.
void report_held(const FoldInput& in, FoldBuffers& buffers, CorrectedFrame& out) {
  const FoldZone& zone = buffers.zone;
  buffers.changed.clear();
  for (const Index i : buffers.closing.moving) {
    const double slid = (zone.way[i] - zone.wanted[i]).norm();
    const bool held = zone.free[i] < kHeld || slid > (1 - kHeld) * zone.wanted[i].norm();
    out.held_vertices += held ? 1 : 0;
    const TogetherPlan& plan = in.at.plan;
    const Index v = zone.vertices[i];
    for (Index b = plan.blend_begin[v]; b < plan.blend_begin[v + 1]; ++b) {
      const Index region = plan.blend_region[b];
      if (buffers.has_changed[region] == 0) buffers.changed.push_back(region);
      buffers.has_changed[region] = 1;
    }
  }
  for (const Index region : buffers.changed) buffers.has_changed[region] = 0;
}

}  // namespace

FoldBuffers::FoldBuffers(const TogetherPlan& of)
    : plan(of),
      zone(of, plan),
      closing(plan, of.welded->surface().vertex_count()),
      cosine(plan.most_rings, 1.0),
      has_changed(of.regions.size(), 0) {}

bool hold_faces(const FoldInput& in, FoldBuffers& buffers, CorrectedFrame& out) {
  look_at_all(in, out, buffers);
  buffers.near_wedges.clear();
  if (in.at.plan.options.faces == FaceTreatment::keep) {
    find_near_wedges(in, out, buffers.plan, 2 * kSoft, buffers.near_wedges, [](Index) { return true; });
  }
  const bool none = buffers.near.empty() && buffers.near_wedges.empty();
  if (none || in.at.plan.options.faces == FaceTreatment::free) {
    report(in, buffers, out);
    return false;
  }
  buffers.later.clear();
  buffers.later_wedges.clear();
  const ComponentVolume volume = out.components[in.at.component.index];
  for (const Index ring : buffers.near) buffers.zone.add_face(in, out, ring);
  for (const Index w : buffers.near_wedges) buffers.zone.add_wedge(in, buffers.plan, out, w);
  slide(in, buffers.plan, out, buffers.sliding, buffers.zone);
  // What closes the volume may bring other faces near their limits.
  for (int round = 0; round < kNearRounds; ++round) {
    buffers.later_faces.clear();
    for (const Index ring : buffers.later) buffers.later_faces.push_back(buffers.zone.add_face(in, out, ring));
    for (const Index w : buffers.later_wedges) {
      buffers.later_faces.push_back(buffers.zone.add_wedge(in, buffers.plan, out, w));
    }
    const bool slows = find_slowing(in, buffers.plan, out, buffers.later_faces, buffers.flowing, buffers.zone);
    out.components[in.at.component.index] = volume;
    arrive(in, buffers.plan, slows, buffers.flowing, buffers.closing, buffers.zone, out);
    if (!look_again(in, out, buffers)) break;
  }
  report(in, buffers, out);
  report_held(in, buffers, out);
  buffers.zone.clear();
  return true;
}

}  // namespace isochor::volume

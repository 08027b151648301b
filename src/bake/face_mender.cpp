#include "bake/face_mender.h"

#include <algorithm>
#include <map>
#include <set>

#include "volume/rest_carrier.h"

namespace isochor {
namespace {

/// The cosine of a face's turn below which it counts as turned over: 0, and a little for what files round.
constexpr double kTurned = 0.01;
/// Faces are turned back to this cosine at least, and a little further, in shares of their areas.
constexpr double kTurnedBack = 0.1, kBeyond = 0.03;
/// The share of their faces' wishes that corners go in a round, and the most rounds.
constexpr double kMendStep = 0.4;
constexpr int kMendRounds = 60;
/// How often corners of faces that are still turned then go half the way back to where the deformer puts them: without
/// any offset no face is turned.
constexpr int kRetreats = 10;

std::vector<VolumeFunctional> functionals(const WeldedCharacter& welded) {
  std::vector<VolumeFunctional> out;
  for (const Component& component : welded.topology().components) out.emplace_back(welded.surface(), component);
  return out;
}

Vec3 area_of_corners(std::span<const Vec3> corners) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t k = 1; k + 1 < corners.size(); ++k) {
    sum += (corners[k] - corners[0]).cross(corners[k + 1] - corners[0]);
  }
  return 0.5 * sum;
}

}  // namespace

OffsetView offset_view(const WeldedCharacter& welded, const PosedSkin& posed) {
  OffsetView view{posed.positions, std::vector<Mat3>(posed.maps.size(), Mat3::Zero())};
  const auto& parts = welded.character().parts;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (!parts[p].skinned()) continue;
    for (std::size_t v = 0; v < parts[p].surface.vertex_count(); ++v) {
      if (!welded.whole().leads(p, v)) continue;
      const Index w = welded.whole().welded(p, v);
      view.linear[w] = posed.maps[w].leftCols<3>();
    }
  }
  return view;
}

/// Some keys while faces around them are mended.
class FaceMender::Window {
 public:
  Window(const FaceMender& mender, const Keys& keys, Range free) : mender_(mender), free_(free) {
    const std::size_t begin = free.begin > 0 ? free.begin - 1 : 0, end = std::min(free.end + 1, keys.times.size());
    for (std::size_t k = begin; k < end; ++k) {
      offsets_[k] = keys.offsets(k);
      if (k >= free.begin && k < free.end) moments_.push_back(mender.moment(keys, k, k));
      if (k + 1 < end) moments_.push_back(mender.moment(keys, k, k + 1));
    }
    before_ = offsets_;
    for (std::size_t m = 0; m < moments_.size(); ++m) {
      std::vector<Vec3> shown(moments_[m].view.skinned.size());
      for (std::size_t v = 0; v < shown.size(); ++v) shown[v] = place(moments_[m], static_cast<Index>(v));
      mender.for_turned(moments_[m].deformed, shown, [&](const Face& face) { watch(face); });
    }
  }

  void mend() {
    for (int retreat = 0; retreat <= kRetreats; ++retreat) {
      for (int round = 0; round < kMendRounds; ++round) {
        if (!turn_back_all()) return;
        move();
      }
      retreat_from_all();
    }
  }

  std::vector<Change> changes() const {
    std::vector<Change> out;
    for (const Index v : moved_) {
      for (std::size_t k = free_.begin; k < free_.end; ++k) {
        const Vec3 change = offsets_.at(k)[v] - before_.at(k)[v];
        if (change != Vec3::Zero()) out.push_back({k, v, change});
      }
    }
    return out;
  }

 private:
  struct Step {
    std::size_t key;
    Index vertex;
    Vec3 offset;
  };

  std::span<const Index> ring(const Face& face) const {
    return mender_.volumes_[face.component].ring(static_cast<std::size_t>(face.ring));
  }
  Vec3 place(const Moment& at, Index v) const {
    const Vec3 offset = 0.5 * (offsets_.at(at.first)[v] + offsets_.at(at.last)[v]);
    return at.view.skinned[v] + at.view.linear[v] * offset;
  }
  bool is_free(std::size_t key, Index v) const {
    return key >= free_.begin && key < free_.end && offsets_.at(key)[v] != Vec3::Zero();
  }
  /// How many keys of a moment can move a vertex.
  int keys_of(const Moment& at, Index v) const {
    return static_cast<int>(is_free(at.first, v)) + static_cast<int>(at.last != at.first && is_free(at.last, v));
  }

  /// A face that was met, and all around its corners, which may move now.
  void watch(const Face& face) {
    for (const Index v : ring(face)) {
      for (Index i = mender_.ring_begin_[v]; i < mender_.ring_begin_[v + 1]; ++i) {
        watched_.insert({face.component, mender_.rings_[i]});
      }
    }
  }

  /// What a face lacks of being turned back at a moment; not above 0: nothing. `slope`: of that, by its area vector.
  double missing(const Moment& at, const Face& face, Vec3& slope) {
    const Vec3 before = area_vector(at.deformed.positions, ring(face));
    const double size = before.norm();
    if (!(size > mender_.turned_.crushed(at.deformed, static_cast<std::size_t>(face.component)))) return 0;
    corners_.clear();
    for (const Index v : ring(face)) corners_.push_back(place(at, v));
    const Vec3 now = area_of_corners(corners_);
    const double length = now.norm();
    const double margin = (before.dot(now) / size - kTurnedBack * length) / size;
    if (margin >= 0) return 0;
    slope = (before / size - (length > 0 ? kTurnedBack / length : 0) * now) / size;
    return kBeyond - margin;
  }

  bool turn_back_all() {
    std::vector<Face> turned;
    for (const Moment& at : moments_) {
      for (const Face& face : watched_) {
        Vec3 slope;
        const double lacks = missing(at, face, slope);
        if (!(lacks > 0)) continue;
        push(at, ring(face), lacks, slope);
        turned.push_back(face);
      }
    }
    for (const Face& face : turned) watch(face);
    return !turned.empty();
  }

  /// Steps of the corners that can move which gain what the face lacks, to first order, with the least motion.
  void push(const Moment& at, std::span<const Index> ring, double lacks, const Vec3& slope) {
    const std::size_t n = ring.size();
    const auto corner_slope = [&](std::size_t k) -> Vec3 {
      return 0.5 * (corners_[k + 1 == n ? 0 : k + 1] - corners_[k == 0 ? n - 1 : k - 1]).cross(slope);
    };
    double squares = 0;
    for (std::size_t k = 0; k < n; ++k) squares += keys_of(at, ring[k]) > 0 ? corner_slope(k).squaredNorm() : 0;
    if (!(squares > 0)) return;
    for (std::size_t k = 0; k < n; ++k) {
      const Index v = ring[k];
      const int keys = keys_of(at, v);
      if (keys == 0) continue;
      const Vec3 wish = kMendStep * lacks / squares * corner_slope(k);
      // The middle goes half as far as a key of its two that goes alone.
      const Vec3 offset =
          (at.first != at.last && keys == 1 ? 2 : 1) * volume::RestCarrier(at.view.linear[v]).carry(wish).offset;
      if (is_free(at.first, v)) steps_.push_back({at.first, v, offset});
      if (at.last != at.first && is_free(at.last, v)) steps_.push_back({at.last, v, offset});
    }
  }

  void move() {
    for (const Step& step : steps_) {
      offsets_[step.key][step.vertex] += step.offset;
      moved_.insert(step.vertex);
    }
    steps_.clear();
  }

  void retreat_from_all() {
    std::set<Index> corners;
    for (const Moment& at : moments_) {
      for (const Face& face : watched_) {
        Vec3 slope;
        if (missing(at, face, slope) > 0) corners.insert(ring(face).begin(), ring(face).end());
      }
    }
    for (std::size_t k = free_.begin; k < free_.end; ++k) {
      for (const Index v : corners) offsets_[k][v] *= 0.5;
    }
    moved_.insert(corners.begin(), corners.end());
  }

  const FaceMender& mender_;
  Range free_;
  std::vector<Moment> moments_;
  std::map<std::size_t, std::vector<Vec3>> offsets_, before_;  // by key
  std::set<Face> watched_;
  std::set<Index> moved_;
  std::vector<Vec3> corners_;  // of the face that was looked at last
  std::vector<Step> steps_;    // of this round
};

FaceMender::FaceMender(const WeldedCharacter& welded, const Deforming& how)
    : welded_(welded), how_(how), volumes_(functionals(welded)), turned_(welded, volumes_) {
  ring_begin_.assign(welded.surface().vertex_count() + 1, 0);
  const auto for_corners = [&](const auto& visit) {
    for (const VolumeFunctional& faces : volumes_) {
      for (std::size_t r = 0; r < faces.ring_count() - faces.cap_count(); ++r) {
        for (const Index v : faces.ring(r)) visit(v, static_cast<Index>(r));
      }
    }
  };
  for_corners([&](Index v, Index) { ++ring_begin_[v + 1]; });
  for (std::size_t v = 1; v < ring_begin_.size(); ++v) ring_begin_[v] += ring_begin_[v - 1];
  rings_.resize(static_cast<std::size_t>(ring_begin_.back()));
  std::vector<Index> end(ring_begin_.begin(), ring_begin_.end() - 1);
  for_corners([&](Index v, Index r) { rings_[end[v]++] = r; });
}

template <class Visit>
void FaceMender::for_turned(const PosedSkin& deformed, std::span<const Vec3> shown, const Visit& visit) const {
  for (std::size_t c = 0; c < volumes_.size(); ++c) {
    if (!welded_.has_volume(c)) continue;
    const double crushed = turned_.crushed(deformed, c);
    for_each_moved_face(volumes_[c], deformed.positions, shown,
                        [&](std::size_t r, const Vec3& before, const Vec3& after) {
                          FaceTurns turns;
                          turns.add(before, after, crushed);
                          if (turns.least_cosine < kTurned) visit(Face{static_cast<Index>(c), static_cast<Index>(r)});
                        });
  }
}

bool FaceMender::is_turned(const PosedSkin& deformed, std::span<const Vec3> shown) const {
  bool any = false;
  for_turned(deformed, shown, [&](const Face&) { any = true; });
  return any;
}

FaceMender::Moment FaceMender::moment(const Keys& keys, std::size_t first, std::size_t last) const {
  const Pose pose = sample(keys.clip, welded_.skeleton(), 0.5 * (keys.times[first] + keys.times[last]));
  const Context alone(1);
  Moment out{.first = first, .last = last};
  pose_skin(welded_, pose, Deformer::lbs, out.deformed, alone);
  out.view = offset_view(welded_, out.deformed);
  if (how_.deformer != Deformer::lbs) pose_skin(welded_, pose, how_, out.deformed, alone);
  return out;
}

std::vector<FaceMender::Change> FaceMender::mend(const Keys& keys, Range free) const {
  Window window(*this, keys, free);
  window.mend();
  return window.changes();
}

}  // namespace isochor

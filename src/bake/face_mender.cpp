#include "bake/face_mender.h"

#include <algorithm>
#include <map>
#include <set>

#include "volume/rest_carrier.h"

namespace isochor {
namespace {

/// The cosine of a face's turn below which it counts as turned over: 0, and a little for what files round.
constexpr double kTurned = 0.005;
/// Faces are turned back to this cosine at least, and by so much of their areas more. Where a twist is undone, the
/// correction itself keeps no more than 0.03: with 0.1 here, whole limbs moved.
constexpr double kTurnedBack = 0.02, kBeyond = 0.01;
/// The share of a face's wish that its corners go at a time, and the most rounds over all faces.
constexpr double kMendStep = 0.8;
constexpr int kMendRounds = 300;
/// How often corners of faces that are still turned then go half the way back to where the deformer puts them: without
/// any offset no face is turned. (Never needed yet: it is what makes this end.)
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
  for (std::size_t v = 0; v < posed.maps.size(); ++v) {
    const std::size_t part = welded.whole().first_vertex(static_cast<Index>(v)).part;
    if (welded.character().parts[part].skinned()) view.linear[v] = posed.maps[v].leftCols<3>();
  }
  return view;
}

/// Some keys while faces around them are mended, with their neighbours, which stay as they are.
class FaceMender::Window {
 public:
  Window(const FaceMender& mender, const Keys& keys, Range free, std::span<const Face> faces)
      : mender_(mender), keys_(keys), free_(free), begin_(free.begin > 0 ? free.begin - 1 : 0) {
    const std::size_t end = std::min(free.end + 1, keys.times.size());
    for (std::size_t k = begin_; k < end; ++k) {
      if (k >= free.begin && k < free.end) moments_.push_back(mender.moment(keys, k, k));
      if (k + 1 < end) moments_.push_back(mender.moment(keys, k, k + 1));
    }
    key_count_ = end - begin_;
    for (const Face& face : faces) watch(face);
  }

  void mend() {
    for (int retreat = 0; retreat <= kRetreats; ++retreat) {
      for (int round = 0; round < kMendRounds; ++round) {
        if (!turn_back_all()) return;
      }
      retreat_from_all();
    }
  }

  std::vector<Change> changes() const {
    std::vector<Change> out;
    for (const auto& [v, offsets] : offsets_) {
      for (std::size_t k = free_.begin; k < free_.end; ++k) {
        const Vec3 change = offsets[k - begin_] - keys_.offset(k, v);
        if (change != Vec3::Zero()) out.push_back({k, v, change});
      }
    }
    return out;
  }

 private:
  std::span<const Index> ring(const Face& face) const {
    return mender_.volumes_[face.component].ring(static_cast<std::size_t>(face.ring));
  }
  /// By key of the window.
  std::vector<Vec3>& offsets(Index v) {
    auto& found = offsets_[v];
    for (std::size_t k = found.size(); k < key_count_; ++k) found.push_back(keys_.offset(begin_ + k, v));
    return found;
  }
  Vec3& offset(std::size_t key, Index v) { return offsets(v)[key - begin_]; }
  Vec3 place(const Moment& at, Index v) {
    return at.view.skinned[v] + at.view.linear[v] * (0.5 * (offset(at.first, v) + offset(at.last, v)));
  }
  bool is_free(std::size_t key, Index v) {
    return key >= free_.begin && key < free_.end && offset(key, v) != Vec3::Zero();
  }
  /// How many keys of a moment can move a vertex.
  int keys_of(const Moment& at, Index v) {
    return static_cast<int>(is_free(at.first, v)) + static_cast<int>(at.last != at.first && is_free(at.last, v));
  }

  /// A face whose corners may move, and all around them.
  void watch(const Face& face) {
    for (const Index v : ring(face)) {
      for (Index i = mender_.ring_begin_[v]; i < mender_.ring_begin_[v + 1]; ++i) {
        watched_.insert({face.component, mender_.rings_[i]});
      }
    }
  }

  /// What a face lacks of being turned back at a moment; 0: nothing. `slope`: of its margin, by its area vector.
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

  /// One face after another; true if one had to be turned back.
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

  /// Moves the corners that can move such that the face gains what it lacks, to first order, with the least motion.
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
      // The middle goes half as far as a key that goes alone.
      const double share = at.first != at.last && keys == 1 ? 2 : 1;
      const Vec3 step = share * volume::RestCarrier(at.view.linear[v]).carry(wish).offset;
      const bool moves_last = at.last != at.first && is_free(at.last, v);
      if (is_free(at.first, v)) offset(at.first, v) += step;
      if (moves_last) offset(at.last, v) += step;
    }
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
      for (const Index v : corners) offset(k, v) *= 0.5;
    }
  }

  const FaceMender& mender_;
  const Keys& keys_;
  Range free_;
  std::size_t begin_, key_count_ = 0;  // the keys of the window
  std::vector<Moment> moments_;
  std::map<Index, std::vector<Vec3>> offsets_;  // by vertex that was asked for, and key of the window
  std::set<Face> watched_;
  std::vector<Vec3> corners_;  // of the face that was looked at last
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

std::vector<FaceMender::Face> FaceMender::turned(const PosedSkin& deformed, std::span<const Vec3> shown) const {
  std::vector<Face> out;
  for (std::size_t c = 0; c < volumes_.size(); ++c) {
    if (!welded_.has_volume(c)) continue;
    const double crushed = turned_.crushed(deformed, c);
    for_each_moved_face(volumes_[c], deformed.positions, shown,
                        [&](std::size_t r, const Vec3& before, const Vec3& after) {
                          FaceTurns turns;
                          turns.add(before, after, crushed);
                          if (turns.least_cosine < kTurned)
                            out.push_back({static_cast<Index>(c), static_cast<Index>(r)});
                        });
  }
  return out;
}

FaceMender::Moment FaceMender::moment(const Keys& keys, std::size_t first, std::size_t last) const {
  const Pose pose = sample(keys.clip, welded_.skeleton(), 0.5 * (keys.times[first] + keys.times[last]));
  const Context alone(1);
  Moment out{.deformed = {}, .view = {}, .first = first, .last = last};
  pose_skin(welded_, pose, Deformer::lbs, out.deformed, alone);
  out.view = offset_view(welded_, out.deformed);
  if (how_.deformer != Deformer::lbs) pose_skin(welded_, pose, how_, out.deformed, alone);
  return out;
}

std::vector<FaceMender::Face> FaceMender::turned_between(const Keys& keys, std::size_t first) const {
  const Moment middle = moment(keys, first, first + 1);
  std::vector<Vec3> shown = middle.view.skinned;
  for (std::size_t v = 0; v < shown.size(); ++v) {
    const auto vertex = static_cast<Index>(v);
    shown[v] += middle.view.linear[v] * (0.5 * (keys.offset(first, vertex) + keys.offset(first + 1, vertex)));
  }
  return turned(middle.deformed, shown);
}

std::vector<FaceMender::Change> FaceMender::mend(const Keys& keys, Range free, std::span<const Face> faces) const {
  Window window(*this, keys, free, faces);
  window.mend();
  return window.changes();
}

}  // namespace isochor

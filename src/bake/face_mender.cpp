#include "bake/face_mender.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "isochor/bake/between_keys.h"
#include "volume/rest_carrier.h"

namespace isochor {
namespace {

/// The cosine of a face's turn below which it counts as turned over: 0, and a little for what files round.
constexpr double kTurned = 0.005;
/// Faces are turned back to this cosine at least, and by so much of their areas more, so that restoring the volume does
/// not undo it. Where a twist is undone, the correction itself keeps no more than 0.03: with 0.1 here, whole limbs
/// moved.
constexpr double kTurnedBack = 0.02, kBeyond = 0.01;
/// The share of a face's wish that its corners go at a time, less than all of it since neighbours wish much the same,
/// and the most rounds over all faces.
constexpr double kMendStep = 0.8;
constexpr int kMendRounds = 300;
/// It is given up where so many rounds one after another leave no less to do, but for a hundredth. Without that, the
/// sample cylinder twisted by 180 degrees takes 5 s by dual quaternions, and 0.8 s with it.
constexpr int kPatience = 20;
constexpr double kGain = 0.99;
/// A corner goes no farther in one round than this, in lengths of its face (roots of its area): of a face that is shown
/// nearly as a point, first order says nothing.
constexpr double kLongestPush = 0.5;
/// A corner that goes less than this of its wish cannot go: skinning flattens the skin there (see RestCarrier).
constexpr double kLittle = 0.01;

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
      if (k + 1 < end && moment_between(keys.times[k], keys.times[k + 1])) {
        moments_.push_back(mender.moment(keys, k, k + 1));
      }
    }
    key_count_ = end - begin_;
    for (const Face& face : faces) watch(face);
  }

  /// Whether fewer faces are turned over afterwards.
  bool mend() {
    const std::size_t before = turned_count();
    double least = std::numeric_limits<double>::infinity();
    for (int round = 0, vain = 0; round < kMendRounds && vain < kPatience; ++round, ++vain) {
      const double lacks = turn_back_all();
      if (lacks == 0) return true;
      if (lacks < kGain * least) vain = 0;
      least = std::min(least, lacks);
    }
    return turned_count() < before;
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

  /// A face as it is shown at a moment.
  struct Look {
    std::vector<Vec3> corners;
    double cosine = 1;    // of its turn
    double lacks = 0;     // of being turned back, in its areas; 0: nothing
    Vec3 slope{0, 0, 0};  // of what it has of that, by its area vector
    double longest_push = 0;
  };
  Look look(const Moment& at, const Face& face) {
    Look out;
    const Vec3 before = area_vector(at.deformed.positions, ring(face));
    const double size = before.norm();
    if (!(size > at.crushed[face.component])) return out;
    for (const Index v : ring(face)) out.corners.push_back(place(at, v));
    const Vec3 now = area_of_corners(out.corners);
    const double length = now.norm();
    const double along = before.dot(now) / size;
    if (length > at.crushed[face.component]) out.cosine = along / length;
    const double margin = (along - kTurnedBack * length) / size;
    if (margin >= 0) return out;
    out.lacks = kBeyond - margin;
    out.slope = (before / size - (length > 0 ? kTurnedBack / length : 0) * now) / size;
    out.longest_push = kLongestPush * std::sqrt(size);
    return out;
  }

  std::size_t turned_count() {
    std::size_t count = 0;
    for (const Moment& at : moments_) {
      for (const Face& face : watched_) count += look(at, face).cosine < kTurned ? 1 : 0;
    }
    return count;
  }

  /// One face after another; what all those together lacked that could be turned back.
  double turn_back_all() {
    std::vector<Face> turned;
    double lacks = 0;
    for (const Moment& at : moments_) {
      for (const Face& face : watched_) {
        const Look seen = look(at, face);
        if (!(seen.lacks > 0) || !push(at, ring(face), seen)) continue;
        turned.push_back(face);
        lacks += seen.lacks;
      }
    }
    for (const Face& face : turned) watch(face);
    return lacks;
  }

  /// Moves the corners that can move such that the face gains what it lacks, to first order, with the least motion;
  /// false if none of them can.
  bool push(const Moment& at, std::span<const Index> ring, const Look& seen) {
    const std::size_t n = ring.size();
    const auto corner_slope = [&](std::size_t k) -> Vec3 {
      return 0.5 * (seen.corners[k + 1 == n ? 0 : k + 1] - seen.corners[k == 0 ? n - 1 : k - 1]).cross(seen.slope);
    };
    double squares = 0;
    for (std::size_t k = 0; k < n; ++k) squares += keys_of(at, ring[k]) > 0 ? corner_slope(k).squaredNorm() : 0;
    bool moves = false;
    for (std::size_t k = 0; k < n && squares > 0; ++k) {
      const Index v = ring[k];
      const int keys = keys_of(at, v);
      if (keys == 0) continue;
      Vec3 wish = kMendStep * seen.lacks / squares * corner_slope(k);
      const double far = wish.norm();
      if (far > seen.longest_push) wish *= seen.longest_push / far;
      // The middle goes half as far as a key that goes alone.
      const double share = at.first != at.last && keys == 1 ? 2 : 1;
      const volume::Carried carried = volume::RestCarrier(at.view.linear[v]).carry(wish);
      const Vec3 step = share * carried.offset;
      const bool moves_last = at.last != at.first && is_free(at.last, v);
      if (is_free(at.first, v)) offset(at.first, v) += step;
      if (moves_last) offset(at.last, v) += step;
      moves = moves || carried.displacement.norm() > kLittle * wish.norm();
    }
    return moves;
  }

  const FaceMender& mender_;
  const Keys& keys_;
  Range free_;
  std::size_t begin_, key_count_ = 0;  // the keys of the window
  std::vector<Moment> moments_;
  std::map<Index, std::vector<Vec3>> offsets_;  // by vertex that was asked for, and key of the window
  std::set<Face> watched_;
};

FaceMender::FaceMender(const WeldedCharacter& welded, const Deforming& how)
    : welded_(welded), how_(how), volumes_(component_volumes(welded)), turned_(welded, volumes_) {
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
  Moment out{.deformed = {}, .view = {}, .crushed = {}, .first = first, .last = last};
  pose_skin(welded_, pose, Deformer::lbs, out.deformed, alone);
  out.view = offset_view(welded_, out.deformed);
  if (how_.deformer != Deformer::lbs) pose_skin(welded_, pose, how_, out.deformed, alone);
  for (std::size_t c = 0; c < volumes_.size(); ++c) out.crushed.push_back(turned_.crushed(out.deformed, c));
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
  if (!window.mend()) return {};
  return window.changes();
}

}  // namespace isochor

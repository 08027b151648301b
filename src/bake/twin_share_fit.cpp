#include "bake/twin_share_fit.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bake/twin_frames.h"
#include "bake/twin_share_solve.h"
#include "bake/twin_shares.h"
#include "isochor/base/parallel.h"

namespace isochor {
namespace {

/// Frames that shares are fitted to, evenly over all clips: shares are a few numbers for each vertex.
constexpr std::size_t kMostLessons = 160;
constexpr std::size_t kLessonsAtOnce = 16;
/// Motions and shares in turn.
constexpr int kRounds = 4;
/// How firmly shares stay what they were, compared with what the motion says of them: where it says little (frames
/// without a correction, twins that move alike) they keep their smooth shape.
constexpr double kHoldShares = 0.02;

/// A vertex that is farther off than this, relative to the box, counts more: squares alone would give up single
/// vertices.
constexpr double kFar = 0.004;
constexpr double kMostImportant = 1000;

/// A vertex and the twins that it may have shares of.
struct SharePupil {
  std::size_t part = 0, vertex = 0;
  std::vector<Index> twins;
  std::vector<Affine> to_twin;  ///< by twin: rest -> the twin's own space
  ShareProblem problem;
  Eigen::VectorXd start;
  double farthest = 0;  ///< with these shares, of the lessons; in units of kFar
};

class ShareFit {
 public:
  ShareFit(const WeldedCharacter& welded, std::span<const Twin> twins, Index influences)
      : welded_(welded), twins_(twins), near_(twins_near(welded, twins)), influences_(influences) {}

  void round(const HeldMotion& motion, FittedShares& shares, Context& context) const {
    std::vector<SkinWeights>& weights = shares.weights;
    const TwinFrames frames(welded_, twins_, weights, shares.importance);
    std::vector<SharePupil> pupils;
    for (const TwinSample& sample : frames.samples()) pupils.push_back(pupil(sample, weights[sample.part]));
    const auto lessons = chosen_frames(motion);
    for (std::size_t first = 0; first < lessons.size(); first += kLessonsAtOnce) {
      const std::size_t end = std::min(first + kLessonsAtOnce, lessons.size());
      std::vector<TwinLesson> taught(end - first);
      parallel_for(context, taught.size(), 4, [&](Range chunk) {
        TwinFrames::Worker worker;
        for (std::size_t i = chunk.begin; i < chunk.end; ++i) {
          context.check_cancelled();
          const auto& [clip, frame] = lessons[first + i];
          taught[i] = frames.lesson(*clip, *frame, worker);
        }
      });
      parallel_for(context, pupils.size(), 64, [&](Range chunk) {
        for (std::size_t s = chunk.begin; s < chunk.end; ++s) {
          for (const TwinLesson& lesson : taught) learn(lesson, s, pupils[s]);
        }
      });
    }
    parallel_for(context, pupils.size(), 16, [&](Range chunk) {
      for (std::size_t s = chunk.begin; s < chunk.end; ++s) decide(pupils[s]);
    });
    shares.importance.resize(pupils.size(), 1.0);
    for (std::size_t s = 0; s < pupils.size(); ++s) {
      const double factor = std::max(1.0, pupils[s].farthest);
      shares.importance[s] = std::min(shares.importance[s] * factor * factor, kMostImportant);
    }
    take(pupils, weights);
  }

 private:
  static std::vector<std::pair<const HeldClip*, const HeldFrame*>> chosen_frames(const HeldMotion& motion) {
    const std::size_t stride = (motion.frame_count() + kMostLessons - 1) / kMostLessons;
    std::vector<std::pair<const HeldClip*, const HeldFrame*>> out;
    std::size_t number = 0;
    for (const HeldClip& clip : motion.clips) {
      for (const HeldFrame& frame : clip.frames) {
        if (number++ % stride == 0) out.emplace_back(&clip, &frame);
      }
    }
    return out;
  }

  SharePupil pupil(const TwinSample& sample, const SkinWeights& shared) const {
    const Part& part = welded_.character().parts[sample.part];
    const auto row = part.weights.row(sample.vertex);
    SharePupil out{.part = sample.part, .vertex = sample.vertex};
    ShareProblem& problem = out.problem;
    for (const Influence& i : row) problem.weight.push_back(i.weight);
    problem.most = std::max(row.size(), static_cast<std::size_t>(influences_));
    for (const Index q : near_[sample.welded]) {
      for (std::size_t k = 0; k < row.size(); ++k) {
        if (part.skin.joints[row[k].joint] != twins_[q].bone || !is_first_slot(part.skin, row[k].joint)) continue;
        out.twins.push_back(q);
        out.to_twin.push_back(Eigen::Translation3d(-twins_[q].pivot) * part.skin.inverse_bind[row[k].joint]);
        problem.place.push_back(k);
      }
    }
    const auto count = static_cast<Eigen::Index>(out.twins.size());
    problem.matrix = Eigen::MatrixXd::Zero(count, count);
    problem.right = Eigen::VectorXd::Zero(count);
    out.start = Eigen::VectorXd::Zero(count);
    if (shared.vertex_count() == 0) return out;
    const auto slots = static_cast<Index>(part.skin.joints.size());
    for (const Influence& i : shared.row(sample.vertex)) {
      const auto at = std::find(out.twins.begin(), out.twins.end(), i.joint - slots);
      if (i.joint >= slots && at != out.twins.end()) out.start[at - out.twins.begin()] = i.weight;
    }
    return out;
  }

  static void learn(const TwinLesson& lesson, std::size_t s, SharePupil& pupil) {
    if (pupil.twins.empty() || lesson.wanted.empty()) return;
    Eigen::Matrix3Xd reach(3, static_cast<Eigen::Index>(pupil.twins.size()));
    for (std::size_t i = 0; i < pupil.twins.size(); ++i) {
      const Vec3 y = pupil.to_twin[i] * lesson.rest[s];
      reach.col(static_cast<Eigen::Index>(i)) = lesson.maps[pupil.twins[i]] * Eigen::Vector4d(y.x(), y.y(), y.z(), 1);
    }
    const double off = (lesson.wanted[s] - reach * pupil.start).norm();
    const double far = lesson.size > 0 ? off / (kFar * lesson.size) : 0;
    pupil.farthest = std::max(pupil.farthest, far);
    const double factor = std::clamp(far * far, 1.0, kMostImportant);
    pupil.problem.matrix.noalias() += factor * reach.transpose() * reach;
    pupil.problem.right.noalias() += factor * reach.transpose() * lesson.wanted[s];
  }

  static void decide(SharePupil& pupil) {
    if (pupil.twins.empty()) return;
    ShareProblem& problem = pupil.problem;
    const double scale = problem.matrix.trace() / static_cast<double>(pupil.twins.size());
    if (!(scale > 0)) return;
    problem.matrix.diagonal().array() += kHoldShares * scale;
    problem.right += kHoldShares * scale * pupil.start;
    pupil.start = solve_shares(problem, pupil.start);
  }

  void take(std::span<const SharePupil> pupils, std::vector<SkinWeights>& weights) const {
    const auto& parts = welded_.character().parts;
    std::vector<std::vector<std::vector<Influence>>> rows(parts.size());
    for (std::size_t p = 0; p < parts.size(); ++p) rows[p].resize(parts[p].surface.vertex_count());
    for (const SharePupil& pupil : pupils) {
      std::vector<TwinShareOfRow> shares;
      for (std::size_t i = 0; i < pupil.twins.size(); ++i) {
        const double share = pupil.start[static_cast<Eigen::Index>(i)];
        if (share > 0) shares.push_back({pupil.twins[i], pupil.problem.place[i], share});
      }
      const Part& part = parts[pupil.part];
      rows[pupil.part][pupil.vertex] =
          row_with_shares(part.weights.row(pupil.vertex), shares, static_cast<Index>(part.skin.joints.size()));
    }
    weights = rows_of_copies(welded_, twins_, std::move(rows));
  }

  const WeldedCharacter& welded_;
  std::span<const Twin> twins_;
  std::vector<std::vector<Index>> near_;  // by welded vertex
  Index influences_;
};

}  // namespace

FittedShares fit_shares(const HeldMotion& motion, const WeldedCharacter& welded, std::span<const Twin> twins,
                        Index influences, Context& context) {
  FittedShares shares{share_weights(welded, twins, influences), {}};
  if (twins.empty()) return shares;
  const ShareFit fit(welded, twins, influences);
  for (int round = 0; round < kRounds; ++round) fit.round(motion, shares, context);
  return shares;
}

}  // namespace isochor

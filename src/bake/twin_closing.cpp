// The volumes of all components closed, and no face turned over, by the least motion of twins (docs/design/twins.md,
// "The volume").

#include <algorithm>
#include <cmath>

#include "bake/twin_frames.h"

namespace isochor {
namespace {

/// A face is kept this far from its edge-on view: a · a₀ ≥ kUpright |a₀|², a₀ by skinning alone. The file's floats, and
/// what is between keys, take some of it.
constexpr double kUpright = 0.02;

double worst_of(const Eigen::VectorXd& errors) { return errors.size() > 0 ? errors.cwiseAbs().maxCoeff() : 0; }

/// Multipliers λ of Gᵀ H⁻¹ G λ = wanted, where those from `faces` on are inequalities: λ ≥ 0, and more than is wanted
/// is welcome. Gauss and Seidel with projection; rows that twins can hardly move are left alone.
Eigen::VectorXd multipliers(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& wanted, Eigen::Index faces,
                            std::span<const double> hard) {
  constexpr int kSweeps = 100;
  Eigen::VectorXd out = Eigen::VectorXd::Zero(wanted.size());
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double change = 0;
    for (Eigen::Index i = 0; i < wanted.size(); ++i) {
      if (!(matrix(i, i) > hard[static_cast<std::size_t>(i)])) continue;
      double next = out[i] + (wanted[i] - matrix.row(i).dot(out)) / matrix(i, i);
      if (i >= faces) next = std::max(next, 0.0);
      change = std::max(change, std::abs(next - out[i]) * matrix(i, i));
      out[i] = next;
    }
    if (change < 1e-15) break;
  }
  return out;
}

std::vector<Transform> stepped(std::span<const Transform> motions, const Eigen::VectorXd& step, double share) {
  std::vector<Transform> next(motions.begin(), motions.end());
  for (std::size_t q = 0; q < next.size(); ++q) {
    const auto at = static_cast<Eigen::Index>(6 * q);
    next[q].translation += share * step.segment<3>(at);
    next[q].scale = within_reach(next[q].scale + share * step.segment<3>(at + 3));
  }
  return next;
}

/// A part of all motions.
std::vector<Transform> lessened(std::span<const Transform> motions, double share) {
  std::vector<Transform> out(motions.begin(), motions.end());
  for (Transform& motion : out) {
    motion.translation *= share;
    motion.scale = Vec3::Ones() + share * (motion.scale - Vec3::Ones());
    motion.rotation = file_turn(Quat::Identity().slerp(share, motion.rotation));
  }
  return out;
}

}  // namespace

/// What each component lacks, relative to what it should enclose.
Eigen::VectorXd TwinFrames::volume_errors(const Task& task, std::span<const Vec3> positions) const {
  Eigen::VectorXd out = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(volumes_.size()));
  for (std::size_t c = 0; c < volumes_.size(); ++c) {
    if (task.volumes[c] == 0 || !welded_.has_volume(c)) continue;
    out[static_cast<Eigen::Index>(c)] = 1 - volumes_[c].volume(positions) / task.volumes[c];
  }
  return out;
}

/// By direction and component: how fast the relative volume grows.
Eigen::MatrixXd TwinFrames::volume_slopes(const Task& task, const TwinDirections& directions,
                                          std::span<const Vec3> positions) const {
  Eigen::MatrixXd out =
      Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(directions.size()), static_cast<Eigen::Index>(volumes_.size()));
  std::vector<Vec3> gradient(positions.size(), Vec3::Zero());
  std::vector<Vec3> at_samples(samples_.size(), Vec3::Zero());
  for (std::size_t c = 0; c < volumes_.size(); ++c) {
    if (task.volumes[c] == 0 || !welded_.has_volume(c)) continue;
    volumes_[c].gradient(positions, gradient);
    for (std::size_t s = component_begin_[c]; s < component_begin_[c + 1]; ++s) {
      at_samples[s] = gradient[samples_[s].welded] / task.volumes[c];
    }
    const auto pull = task.system->pull(at_samples, component_begin_[c], component_begin_[c + 1]);
    out.col(static_cast<Eigen::Index>(c)) = project(directions, pull, 6);
  }
  return out;
}

/// By component: √n V / A, which is how far (root of the sum of squares) to move its vertices along their normals so
/// that its volume changes by about its size.
Eigen::VectorXd TwinFrames::swellings(const Task& task) const {
  Eigen::VectorXd out = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(volumes_.size()));
  std::vector<double> areas(task.skinned.size(), 0.0);
  for (std::size_t c = 0; c < volumes_.size(); ++c) {
    if (task.volumes[c] == 0 || !welded_.has_volume(c)) continue;
    volumes_[c].areas(task.skinned, areas);
    double area = 0;
    for (const Index v : volumes_[c].vertices()) area += areas[v];
    const auto count = static_cast<double>(volumes_[c].vertices().size());
    if (area > 0) out[static_cast<Eigen::Index>(c)] = std::sqrt(count) * std::abs(task.volumes[c]) / area;
  }
  return out;
}

/// Faces that lean too far, and by how much: kUpright - a · a₀ / |a₀|².
std::vector<TwinFrames::LeaningFace> TwinFrames::leaning(const Task& task, std::span<const Vec3> positions) const {
  std::vector<LeaningFace> out;
  for (std::size_t c = 0; c < volumes_.size(); ++c) {
    if (!std::isfinite(task.crushed[c])) continue;
    for_each_moved_face(volumes_[c], task.alone, positions,
                        [&](std::size_t ring, const Vec3& before, const Vec3& after) {
                          const double size = before.norm();
                          if (!(size > task.crushed[c])) return;
                          const double upright = before.dot(after) / (size * size);
                          if (upright < kUpright)
                            out.push_back({c, ring, before, kUpright - upright, after.norm() > task.crushed[c]});
                        });
  }
  return out;
}

std::size_t TwinFrames::turned(const Task& task, std::span<const Vec3> positions) const {
  const auto faces = leaning(task, positions);
  return static_cast<std::size_t>(std::count_if(
      faces.begin(), faces.end(), [](const LeaningFace& face) { return face.lacks > kUpright && face.counts; }));
}

/// By direction: how fast a face straightens. a = ½ Σ xᵢ × xᵢ₊₁, so that ∂(a · u)/∂xᵢ = ½ (xᵢ₊₁ - xᵢ₋₁) × u.
Eigen::VectorXd TwinFrames::face_slope(const Task& task, const TwinDirections& directions,
                                       std::span<const Vec3> positions, const LeaningFace& face) const {
  std::vector<Mat34> pull(twins_.size(), Mat34::Zero());
  const auto ring = volumes_[face.component].ring(face.ring);
  const Vec3 along = face.alone / face.alone.squaredNorm();
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const Index sample = sample_of_[ring[i]];
    if (sample == kNone) continue;
    const Vec3 across = positions[ring[(i + 1) % ring.size()]] - positions[ring[(i + ring.size() - 1) % ring.size()]];
    task.system->add_pull(static_cast<std::size_t>(sample), 0.5 * across.cross(along), pull);
  }
  return project(directions, pull, 6);
}

/// Newton's method on the volumes of all components and on all faces that lean too far, at once. Of all changes of
/// translation and scale that close the volumes and straighten the faces, the one that moves vertices least: z = H⁻¹ G
/// λ, with (Gᵀ H⁻¹ G) λ = what is missing, λ ≥ 0 for faces. Volumes are in units in which to swell a component evenly
/// is about 1, faces in those of their own size; what twins can bring only by moving vertices a hundred times as far
/// (components that have no twins of their own), or for a face a thousand times, is left.
std::vector<Transform> TwinFrames::closed(const Task& task, std::vector<Transform> motions,
                                          const TwinSolver& stretching, TwinFaces faces) const {
  const int most_steps = faces == TwinFaces::kept ? 20 : 60;
  constexpr double kClosed = 1e-12, kHard = 1e-4, kHardFace = 1e-6;
  const TwinDirections directions = twin_directions(task.carriers, motions, 6);
  const Eigen::VectorXd ease = swellings(task);
  struct State {
    std::vector<Vec3> positions;
    Eigen::VectorXd missing;
    std::vector<LeaningFace> faces;
    double excess = 0;
  };
  const auto look = [&](std::span<const Transform> at) {
    State out;
    out.positions = shown(task, displaced(task, at));
    out.missing = volume_errors(task, out.positions).cwiseProduct(ease);
    if (faces == TwinFaces::kept) out.faces = leaning(task, out.positions);
    out.excess = out.missing.cwiseAbs().sum();
    for (const LeaningFace& face : out.faces) out.excess += face.lacks * std::sqrt(face.alone.norm());
    return out;
  };
  State state = look(motions);
  const auto done = [&] { return worst_of(volume_errors(task, state.positions)) <= kClosed && state.faces.empty(); };
  for (int i = 0; i < most_steps && !done(); ++i) {
    const auto components = static_cast<Eigen::Index>(volumes_.size());
    const auto count = components + static_cast<Eigen::Index>(state.faces.size());
    Eigen::MatrixXd slopes(static_cast<Eigen::Index>(directions.size()), count);
    Eigen::VectorXd wanted(count);
    std::vector<double> hard(static_cast<std::size_t>(count), kHard);
    slopes.leftCols(components) = volume_slopes(task, directions, state.positions) * ease.asDiagonal();
    wanted.head(components) = state.missing;
    for (Eigen::Index f = components; f < count; ++f) {
      const LeaningFace& face = state.faces[static_cast<std::size_t>(f - components)];
      const double size = std::sqrt(face.alone.norm());
      slopes.col(f) = size * face_slope(task, directions, state.positions, face);
      wanted[f] = size * face.lacks;
      hard[static_cast<std::size_t>(f)] = kHardFace;
    }
    const Eigen::MatrixXd ways = stretching.solve(slopes);
    const Eigen::VectorXd step = ways * multipliers(slopes.transpose() * ways, wanted, components, hard);
    bool better = false;
    for (double share = 1; share > 0.05 && !better; share *= 0.5) {
      std::vector<Transform> next = stepped(motions, step, share);
      State there = look(next);
      better = there.excess < state.excess;
      if (!better) continue;
      motions = std::move(next);
      state = std::move(there);
    }
    if (!better) break;
  }
  return motions;
}

/// The motions as fitted, or as much of them as leaves every face on its side; if even half of them turns one over, the
/// volumes come first.
std::vector<Transform> TwinFrames::closed_with_faces(const Task& task, std::span<const Transform> fitted,
                                                     const TwinSolver& stretching) const {
  constexpr double kClosedWell = 1e-9;
  std::vector<Transform> best;
  std::size_t fewest = 0;
  for (const double share : {1.0, 0.8, 0.6}) {
    const std::vector<Transform> begun =
        share < 1 ? lessened(fitted, share) : std::vector<Transform>(fitted.begin(), fitted.end());
    std::vector<Transform> motions = closed(task, begun, stretching, TwinFaces::kept);
    std::vector<Vec3> positions = shown(task, displaced(task, motions));
    if (worst_of(volume_errors(task, positions)) > kClosedWell) {
      motions = closed(task, motions, stretching, TwinFaces::free);
      positions = shown(task, displaced(task, motions));
    }
    const std::size_t over = turned(task, positions);
    if (best.empty() || over < fewest) {
      best = std::move(motions);
      fewest = over;
    }
    if (fewest == 0) break;
  }
  return best;
}

}  // namespace isochor

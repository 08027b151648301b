#include "bake/twin_system.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace isochor {
namespace {

using Mat4 = TwinSystem::Mat4;

/// What a map may be, compared with what vertices say of it: a share of their own moments about the twin's pivot. Less:
/// maps of twins whose vertices lie in a plane grow without end; more: the fit falls short.
constexpr double kReluctance = 5e-3;

Eigen::Vector4d with_one(const Vec3& y) { return {y.x(), y.y(), y.z(), 1.0}; }

double dot(const Mat34& a, const Mat34& b) { return a.cwiseProduct(b).sum(); }

Mat3 cross_matrix(const Vec3& w) {
  Mat3 m;
  m << 0, -w.z(), w.y(), w.z(), 0, -w.x(), -w.y(), w.x(), 0;
  return m;
}

/// The lower half of a matrix with a dense block for each pair of neighbours, columns filled in order.
template <class Block>
void fill_blocks(const TwinSystem& system, std::size_t width, Eigen::SparseMatrix<double>& matrix,
                 const Block& element) {
  double* value = matrix.valuePtr();
  for (std::size_t q = 0; q < system.twin_count(); ++q) {
    for (std::size_t l = 0; l < width; ++l) {
      for (const TwinSystem::Neighbour& other : system.neighbours(q)) {
        const auto r = static_cast<std::size_t>(other.twin);
        if (r < q) continue;
        for (std::size_t k = r == q ? l : 0; k < width; ++k) *value++ = element(q, l, other, k);
      }
    }
  }
}

Eigen::SparseMatrix<double> block_pattern(const TwinSystem& system, std::size_t width) {
  const auto size = static_cast<Eigen::Index>(width * system.twin_count());
  Eigen::SparseMatrix<double> matrix(size, size);
  std::vector<Eigen::Triplet<double>> places;
  for (std::size_t q = 0; q < system.twin_count(); ++q) {
    for (const TwinSystem::Neighbour& other : system.neighbours(q)) {
      const auto r = static_cast<std::size_t>(other.twin);
      for (std::size_t l = 0; r >= q && l < width; ++l) {
        for (std::size_t k = r == q ? l : 0; k < width; ++k) {
          places.emplace_back(static_cast<int>(r * width + k), static_cast<int>(q * width + l), 1.0);
        }
      }
    }
  }
  matrix.setFromTriplets(places.begin(), places.end());
  matrix.makeCompressed();
  return matrix;
}

/// One step of all motions; scales stay positive.
std::vector<Transform> moved(std::span<const Transform> motions, const Eigen::VectorXd& step, std::size_t width) {
  constexpr double kMostTurn = 1;  // radians in one step: beyond it the linear model says nothing
  std::vector<Transform> out(motions.begin(), motions.end());
  for (std::size_t q = 0; q < out.size(); ++q) {
    const auto at = static_cast<Eigen::Index>(q * width);
    out[q].translation += step.segment<3>(at);
    out[q].scale = within_reach(out[q].scale + step.segment<3>(at + 3));
    if (width < 9) continue;
    Vec3 turn = step.segment<3>(at + 6);
    const double angle = turn.norm();
    if (angle > kMostTurn) turn *= kMostTurn / angle;
    const double size = turn.norm();
    if (size > 0) out[q].rotation = (Quat(Eigen::AngleAxisd(size, turn / size)) * out[q].rotation).normalized();
  }
  return out;
}

}  // namespace

Quat file_turn(const Quat& turn) { return Quat(turn.coeffs().cast<float>().cast<double>().eval()).normalized(); }

Vec3 within_reach(const Vec3& scale) {
  constexpr double kLeastScale = 0.05, kMostScale = 20;
  return scale.cwiseMax(kLeastScale).cwiseMin(kMostScale);
}

Mat34 twin_displacement(const Mat3& carrier, const Transform& motion) {
  Mat34 out;
  out.leftCols<3>() =
      carrier * (motion.rotation.toRotationMatrix() * motion.scale.asDiagonal() - Mat3(Mat3::Identity()));
  out.col(3) = carrier * motion.translation;
  return out;
}

std::vector<Mat34> twin_displacements(std::span<const Mat3> carriers, std::span<const Transform> motions) {
  std::vector<Mat34> out;
  out.reserve(motions.size());
  for (std::size_t q = 0; q < motions.size(); ++q) out.push_back(twin_displacement(carriers[q], motions[q]));
  return out;
}

TwinSystem::TwinSystem(std::vector<TwinShare> shares, std::size_t samples, std::size_t twins,
                       std::span<const double> importance)
    : shares_(std::move(shares)), samples_(samples), neighbours_(twins) {
  first_share_.assign(samples + 1, 0);
  for (const TwinShare& share : shares_) ++first_share_[static_cast<std::size_t>(share.sample) + 1];
  for (std::size_t s = 0; s < samples; ++s) first_share_[s + 1] += first_share_[s];
  std::vector<std::map<Index, Mat4>> moments(twins);
  for (std::size_t s = 0; s < samples; ++s) {
    const double factor = importance.empty() ? 1 : importance[s];
    for (std::size_t i = first_share_[s]; i < first_share_[s + 1]; ++i) {
      for (std::size_t k = first_share_[s]; k < first_share_[s + 1]; ++k) {
        auto [at, is_new] = moments[shares_[i].twin].try_emplace(shares_[k].twin, Mat4::Zero());
        at->second += factor * shares_[i].weight * shares_[k].weight * with_one(shares_[i].place) *
                      with_one(shares_[k].place).transpose();
      }
    }
  }
  for (std::size_t q = 0; q < twins; ++q) {
    moments[q].try_emplace(static_cast<Index>(q), Mat4::Zero());
    for (const auto& [other, moment] : moments[q]) neighbours_[q].push_back({other, moment});
  }
  regularise();
  Eigen::SparseMatrix<double> matrix = block_pattern(*this, 4);
  fill_blocks(*this, 4, matrix, [](std::size_t, std::size_t l, const Neighbour& other, std::size_t k) {
    return other.moment(static_cast<Eigen::Index>(l), static_cast<Eigen::Index>(k));
  });
  if (twins > 0) any_.compute(matrix);
}

void TwinSystem::regularise() {
  for (std::size_t q = 0; q < neighbours_.size(); ++q) {
    for (Neighbour& other : neighbours_[q]) {
      if (other.twin != static_cast<Index>(q)) continue;
      Mat4& m = other.moment;
      const double mass = std::max(m(3, 3), 1e-300);
      const double spread = std::max(m.topLeftCorner<3, 3>().trace() / 3, 1e-12 * mass);
      m.diagonal().head<3>().array() += kReluctance * spread;
      m(3, 3) += kReluctance * mass;
    }
  }
}

std::vector<Mat34> TwinSystem::pull(std::span<const Vec3> displacements, std::size_t begin, std::size_t end) const {
  std::vector<Mat34> out(twin_count(), Mat34::Zero());
  for (std::size_t i = first_share_[begin]; i < first_share_[end]; ++i) {
    const TwinShare& share = shares_[i];
    out[share.twin] += share.weight * displacements[share.sample] * with_one(share.place).transpose();
  }
  return out;
}

void TwinSystem::add_pull(std::size_t sample, const Vec3& displacement, std::span<Mat34> out) const {
  for (std::size_t i = first_share_[sample]; i < first_share_[sample + 1]; ++i) {
    const TwinShare& share = shares_[i];
    out[static_cast<std::size_t>(share.twin)] += share.weight * displacement * with_one(share.place).transpose();
  }
}

void TwinSystem::push(std::span<const Mat34> maps, std::span<Vec3> out) const {
  for (const TwinShare& share : shares_) out[share.sample] += share.weight * (maps[share.twin] * with_one(share.place));
}

std::vector<Mat34> TwinSystem::reaction(std::span<const Mat34> maps) const {
  std::vector<Mat34> out(twin_count(), Mat34::Zero());
  for (std::size_t q = 0; q < out.size(); ++q) {
    for (const Neighbour& other : neighbours_[q]) out[q] += maps[other.twin] * other.moment.transpose();
  }
  return out;
}

double TwinSystem::energy(std::span<const Mat34> maps, std::span<const Mat34> pull) const {
  const std::vector<Mat34> against = reaction(maps);
  double sum = 0;
  for (std::size_t q = 0; q < maps.size(); ++q) sum += dot(maps[q], against[q]) - 2 * dot(maps[q], pull[q]);
  return sum;
}

std::vector<Mat34> TwinSystem::any_maps(std::span<const Mat34> pull) const {
  // The three rows of the maps are three right sides.
  Eigen::MatrixXd right(static_cast<Eigen::Index>(4 * pull.size()), 3);
  for (std::size_t q = 0; q < pull.size(); ++q)
    right.middleRows<4>(static_cast<Eigen::Index>(4 * q)) = pull[q].transpose();
  std::vector<Mat34> out(pull.size(), Mat34::Zero());
  if (pull.empty() || any_.info() != Eigen::Success) return out;
  const Eigen::MatrixXd found = any_.solve(right);
  for (std::size_t q = 0; q < pull.size(); ++q) {
    out[q] = found.middleRows<4>(static_cast<Eigen::Index>(4 * q)).transpose();
  }
  return out;
}

TwinDirections twin_directions(std::span<const Mat3> carriers, std::span<const Transform> motions, std::size_t width) {
  TwinDirections out;
  out.reserve(motions.size() * width);
  for (std::size_t q = 0; q < motions.size(); ++q) {
    const Mat3 rotation = motions[q].rotation.toRotationMatrix();
    const Mat3 turned = carriers[q] * rotation;
    for (int k = 0; k < 3; ++k) {
      out.emplace_back(Mat34::Zero()).col(3) = carriers[q].col(k);
    }
    for (int k = 0; k < 3; ++k) {
      out.emplace_back(Mat34::Zero()).col(k) = turned.col(k);
    }
    if (width < 9) continue;
    const Mat3 linear = rotation * motions[q].scale.asDiagonal();
    for (int k = 0; k < 3; ++k) {
      out.emplace_back(Mat34::Zero()).leftCols<3>() = carriers[q] * cross_matrix(Vec3::Unit(k)) * linear;
    }
  }
  return out;
}

Eigen::VectorXd project(const TwinDirections& directions, std::span<const Mat34> pull, std::size_t width) {
  Eigen::VectorXd out(static_cast<Eigen::Index>(directions.size()));
  for (std::size_t i = 0; i < directions.size(); ++i) {
    out[static_cast<Eigen::Index>(i)] = dot(directions[i], pull[i / width]);
  }
  return out;
}

TwinSolver::TwinSolver(const TwinSystem& system, std::size_t width)
    : system_(system), width_(width), matrix_(block_pattern(system, width)) {
  if (system.twin_count() > 0) solver_.analyzePattern(matrix_);
}

void TwinSolver::factorise(const TwinDirections& directions, double damping) {
  // <C_qk M_qr, C_rl>; C M is the same for all k of a neighbour.
  std::vector<Mat34> carried(width_);
  std::size_t last_q = static_cast<std::size_t>(-1), last_l = 0;
  Index last_twin = kNone;
  fill_blocks(system_, width_, matrix_,
              [&](std::size_t q, std::size_t l, const TwinSystem::Neighbour& other, std::size_t k) {
                if (q != last_q || l != last_l || other.twin != last_twin) {
                  carried[0] = directions[q * width_ + l] * other.moment;
                  last_q = q;
                  last_l = l;
                  last_twin = other.twin;
                }
                return dot(carried[0], directions[static_cast<std::size_t>(other.twin) * width_ + k]);
              });
  // A bone that is scaled to nothing moves nothing: its twins rest.
  double largest = 0;
  for (Eigen::Index i = 0; i < matrix_.rows(); ++i) largest = std::max(largest, matrix_.coeff(i, i));
  for (Eigen::Index i = 0; i < matrix_.rows(); ++i) {
    matrix_.coeffRef(i, i) += damping * matrix_.coeff(i, i) + 1e-13 * largest + 1e-300;
  }
  solver_.factorize(matrix_);
}

Eigen::MatrixXd TwinSolver::solve(const Eigen::MatrixXd& right) const {
  if (solver_.info() != Eigen::Success) return Eigen::MatrixXd::Zero(right.rows(), right.cols());
  return solver_.solve(right);
}

std::vector<Transform> fit_twins(const TwinSystem& system, std::span<const Mat3> carriers, std::span<const Mat34> pull,
                                 TwinSolver& turning, TwinSolver& stretching) {
  constexpr int kMostSteps = 12;
  constexpr double kSettled = 1e-5;  // of what was gained so far
  const auto step = [&](std::span<const Transform> motions, TwinSolver& solver, std::size_t width, double damping) {
    const TwinDirections directions = twin_directions(carriers, motions, width);
    std::vector<Mat34> left = system.reaction(twin_displacements(carriers, motions));
    for (std::size_t q = 0; q < left.size(); ++q) left[q] = pull[q] - left[q];
    solver.factorise(directions, damping);
    return moved(motions, solver.solve(project(directions, left, width)), width);
  };
  const auto energy = [&](std::span<const Transform> motions) {
    return system.energy(twin_displacements(carriers, motions), pull);
  };
  std::vector<Transform> motions(pull.size());
  double best = 0;  // at rest
  double damping = 1e-4;
  for (int i = 0; i < kMostSteps; ++i) {
    std::vector<Transform> next = step(motions, turning, 9, damping);
    const double reached = energy(next);
    if (!(reached < best)) {
      damping *= 10;
      if (damping > 1e3) break;
      continue;
    }
    const double gain = best - reached;
    motions = std::move(next);
    best = reached;
    damping = std::max(damping * 0.1, 1e-9);
    if (gain < kSettled * -best) break;
  }
  // From here on turns are those of the file, and maps are linear in what is left.
  for (Transform& motion : motions) motion.rotation = file_turn(motion.rotation);
  std::vector<Transform> last = step(motions, stretching, 6, 0);
  return energy(last) <= energy(motions) ? last : motions;
}

}  // namespace isochor

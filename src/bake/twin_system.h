#pragma once

/// The least squares of twins, of which vertices are no longer a part (docs/design/twins.md, "The fit"). With X_q the
/// 3×4 map by which twin q displaces what follows it, and y the place of a vertex in the twin's own space, vertex v
/// moves by Σ_q h_vq X_q [y_vq; 1]. What is left of wanted displacements d_v is
///
///   E(X) = Σ_v |d_v|² - 2 Σ_q <X_q, K_q> + Σ_qr <X_q M_qr, X_r>,
///   K_q = Σ_v h_vq d_v [y_vq; 1]ᵀ (3×4),   M_qr = Σ_v h_vq h_vr [y_vq; 1] [y_vr; 1]ᵀ (4×4).

#include <Eigen/SparseCholesky>
#include <span>
#include <vector>

#include "isochor/rig/transform.h"

namespace isochor {

/// The share of one twin in one vertex.
struct TwinShare {
  Index sample = 0;  ///< the vertex
  Index twin = 0;
  double weight = 0;       ///< h
  Vec3 place = {0, 0, 0};  ///< y
};

/// A turn as a file's floats play it.
Quat file_turn(const Quat& turn);

/// A scale that a twin may have: twins are never turned inside out.
Vec3 within_reach(const Vec3& scale);

/// X = G [R S - 1 | t]: how a twin that moves by t, R, S on top of a bone with linear part G displaces.
Mat34 twin_displacement(const Mat3& carrier, const Transform& motion);

class TwinSystem {
 public:
  using Mat4 = Eigen::Matrix4d;

  /// `shares` in the order of samples. `importance` (#samples, or empty: 1) is a factor of each sample's squares.
  TwinSystem(std::vector<TwinShare> shares, std::size_t samples, std::size_t twins,
             std::span<const double> importance = {});

  std::size_t twin_count() const { return neighbours_.size(); }
  std::size_t sample_count() const { return samples_; }

  /// K of displacements (#samples) of the samples in [begin, end).
  std::vector<Mat34> pull(std::span<const Vec3> displacements, std::size_t begin, std::size_t end) const;
  std::vector<Mat34> pull(std::span<const Vec3> displacements) const { return pull(displacements, 0, samples_); }
  /// Adds that of one sample.
  void add_pull(std::size_t sample, const Vec3& displacement, std::span<Mat34> out) const;
  /// Adds Σ_q h X [y; 1] to each sample.
  void push(std::span<const Mat34> maps, std::span<Vec3> out) const;

  /// Σ_r X_r M_rq, by twin q.
  std::vector<Mat34> reaction(std::span<const Mat34> maps) const;
  /// E without its first sum, with what keeps badly known maps small.
  double energy(std::span<const Mat34> maps, std::span<const Mat34> pull) const;

  /// The maps of least energy, shear and all.
  std::vector<Mat34> any_maps(std::span<const Mat34> pull) const;

  struct Neighbour {
    Index twin = 0;
    Mat4 moment;  ///< M of this twin and the neighbour
  };
  /// Twins that share vertices with twin q, itself among them, increasing.
  std::span<const Neighbour> neighbours(std::size_t q) const { return neighbours_[q]; }

 private:
  void regularise();

  std::vector<TwinShare> shares_;
  std::vector<std::size_t> first_share_;  // #samples+1
  std::size_t samples_ = 0;
  std::vector<std::vector<Neighbour>> neighbours_;
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> any_;  // 4 #twins
};

/// The directions in which a twin's map changes with its translation, its scale and its turn, in this order.
using TwinDirections = std::vector<Mat34>;  // #twins × width

/// Newton's matrix <C_qk M_qr, C_rl> over some directions of each twin, factorised.
class TwinSolver {
 public:
  /// `width` directions for each twin.
  TwinSolver(const TwinSystem& system, std::size_t width);
  /// Diagonal elements are raised by `damping` times themselves.
  void factorise(const TwinDirections& directions, double damping);
  /// Zero where the matrix could not be factorised.
  Eigen::MatrixXd solve(const Eigen::MatrixXd& right) const;

 private:
  const TwinSystem& system_;
  std::size_t width_;
  Eigen::SparseMatrix<double> matrix_;  // its lower half
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> solver_;
};

/// Motions of twins (translation, rotation, scale) of least energy that can be found from rest. `turning` and
/// `stretching` are solvers of the system with 9 and 6 directions. Rotations are as floats hold them.
std::vector<Transform> fit_twins(const TwinSystem& system, std::span<const Mat3> carriers, std::span<const Mat34> pull,
                                 TwinSolver& turning, TwinSolver& stretching);

/// Directions of all twins at these motions: translation, scale, and with a width of 9 the turn.
TwinDirections twin_directions(std::span<const Mat3> carriers, std::span<const Transform> motions, std::size_t width);

/// <C, P> for all directions.
Eigen::VectorXd project(const TwinDirections& directions, std::span<const Mat34> pull, std::size_t width);

std::vector<Mat34> twin_displacements(std::span<const Mat3> carriers, std::span<const Transform> motions);

}  // namespace isochor

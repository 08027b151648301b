#pragma once

/// Frames of a held motion as twins show them: one frame at a time, fitted, its volumes closed, never worse than
/// skinning.

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bake/turned_faces.h"
#include "bake/twin_system.h"
#include "isochor/bake/twin_joints.h"
#include "isochor/mesh/volume.h"

namespace isochor {

/// A frame with its twins.
struct TwinFrame {
  std::vector<Transform> motions;  // #twins, relative to where they rest on their bones
  std::vector<double> brought;     // #twins: Σ |what it moves vertices by|²
  TwinFigures figures;             ///< of this frame
  std::size_t turned = 0;          ///< faces that could not be kept from turning over
};

/// What other motions of the twins get wrong in a frame.
struct TwinDeviation {
  double volume = 0;       ///< of the worst component, relative
  double places = 0;       ///< Σ |distance from what was fitted|²
  std::size_t turned = 0;  ///< faces that are turned over
};

/// A vertex of the file that leads its welded vertex, or goes its own way.
struct TwinSample {
  std::size_t part = 0, vertex = 0;
  Index welded = kNone;
  Index stray = kNone;  ///< among WeldedCharacter::strays()
};

/// What a frame says of shares: how the twins move what follows them, and where vertices should go.
struct TwinLesson {
  std::vector<Mat34> maps;   // #twins
  std::vector<Vec3> rest;    // #samples
  std::vector<Vec3> wanted;  // #samples: displacements; empty if there are none
  double size = 0;           ///< the diagonal of the box around the skin
};

/// What a frame asks of the twins.
struct TwinForces {
  std::vector<Mat3> carriers;  // #twins: the linear parts of their bones
  std::vector<Mat34> pull;     // #twins: K
};

/// What some motions of the twins show of a frame.
struct TwinPlayed {
  double correction = 0, left = 0;            ///< Σ |wanted - skinned|², Σ |wanted - shown|²
  double volume_before = 0, volume_left = 0;  ///< of the worst component, relative
};

/// Whether closing the volumes also keeps faces from turning over.
enum class TwinFaces { free, kept };

class TwinFrames {
 public:
  /// `weights` as share_weights() or fit_shares() gave them; `importance` (#samples, or empty: 1) says how much the
  /// squares of a vertex count in the fit.
  /// `alone`: the deformer that faces must not turn over against.
  TwinFrames(const WeldedCharacter& welded, std::span<const Twin> twins, std::span<const SkinWeights> weights,
             std::span<const double> importance = {}, Deforming alone = Deformer::lbs);

  /// The memory that frames are found in, one after another.
  struct Worker {
    std::unique_ptr<TwinSystem> own;  ///< of a frame whose rest shape is not that of the file
    std::unique_ptr<TwinSolver> turning, stretching;
    std::vector<Vec3> known_rest, known_stray_rest;  ///< that the solvers are for; empty: that of the file
    PosedSkin posed;
  };
  /// Twins that are not active (#twins) rest.
  TwinFrame fit(const HeldClip& clip, const HeldFrame& frame, std::span<const char> active, Worker& worker) const;
  /// Of other motions than those that were fitted.
  TwinDeviation deviation(const HeldClip& clip, const HeldFrame& frame, std::span<const Transform> motions,
                          std::span<const Transform> fitted, Worker& worker) const;
  /// By any affine maps, nothing closed: what twins bring, at the cost of a glance.
  TwinFrame glance(const HeldClip& clip, const HeldFrame& frame, Worker& worker) const;
  /// Twins fitted, nothing closed.
  TwinLesson lesson(const HeldClip& clip, const HeldFrame& frame, Worker& worker) const;
  TwinPlayed play(const HeldClip& clip, const HeldFrame& frame, std::span<const Transform> motions,
                  Worker& worker) const;
  TwinForces forces(const HeldClip& clip, const HeldFrame& frame, Worker& worker) const;
  /// Of the shape that the file has.
  const TwinSystem& system() const { return *system_; }
  /// Vertices that twins are fitted to.
  std::span<const TwinSample> samples() const { return samples_; }

 private:
  /// What a frame asks for.
  struct Task {
    const TwinSystem* system = nullptr;
    std::vector<Mat3> carriers;       // #twins
    std::vector<Vec3> skinned;        // #V of the welded surface
    std::vector<Vec3> wanted;         // #samples: displacements
    std::vector<Mat34> pull;          // #twins
    double correction = 0;            ///< Σ |wanted|²
    std::span<const double> volumes;  ///< by component; 0: none to keep
    std::vector<Vec3> alone;          // #V: what the deformer alone makes of the frame
    std::vector<double> crushed;      // by component: TurnedFaces::crushed()
  };
  /// A face that is turned over, or nearly.
  struct LeaningFace {
    std::size_t component = 0, ring = 0;
    Vec3 alone;          ///< its area vector by the deformer alone
    double lacks = 0;    ///< of the margin
    bool counts = true;  ///< it is large enough to have a side
  };

  void take_samples();
  std::unique_ptr<TwinSystem> make_system(const PosedSkin& posed) const;
  const TwinSystem& system_of(Worker& worker) const;
  Task task(const HeldClip& clip, const HeldFrame& frame, Worker& worker) const;

  std::vector<Vec3> displaced(const Task& task, std::span<const Transform> motions) const;
  std::vector<Vec3> shown(const Task& task, std::span<const Vec3> displacements) const;
  double left(const Task& task, std::span<const Vec3> displacements) const;
  Eigen::VectorXd volume_errors(const Task& task, std::span<const Vec3> positions) const;
  Eigen::VectorXd swellings(const Task& task) const;
  std::vector<LeaningFace> leaning(const Task& task, std::span<const Vec3> positions) const;
  std::size_t turned(const Task& task, std::span<const Vec3> positions) const;
  Eigen::VectorXd face_slope(const Task& task, const TwinDirections& directions, std::span<const Vec3> positions,
                             const LeaningFace& face) const;
  std::vector<Transform> closed(const Task& task, std::vector<Transform> motions, const TwinSolver& stretching,
                                TwinFaces faces) const;
  std::vector<Transform> closed_with_faces(const Task& task, std::span<const Transform> fitted,
                                           const TwinSolver& stretching) const;
  Eigen::MatrixXd volume_slopes(const Task& task, const TwinDirections& directions,
                                std::span<const Vec3> positions) const;

  const WeldedCharacter& welded_;
  std::span<const Twin> twins_;
  std::span<const SkinWeights> weights_;
  std::span<const double> importance_;
  std::vector<TwinSample> samples_;           // those that lead come first, component by component
  std::vector<std::size_t> component_begin_;  // #components+1 into samples_
  std::vector<Index> sample_of_;              // #V of the welded surface: the sample that leads it
  std::vector<VolumeFunctional> volumes_;     // by component
  std::optional<TurnedFaces> turned_faces_;
  Deforming alone_;
  std::vector<Vec3> file_rest_;         // #V: the bind shape without any morph
  std::vector<Vec3> file_stray_rest_;   // #strays
  std::unique_ptr<TwinSystem> system_;  // for it
};

}  // namespace isochor

#pragma once

/// One correction field, one volume: how far the skin has to move along it (Rohmer 2008 and 2009;
/// docs/design/volume.md, "One field").
/// The sign is ours: ΔV = V_target - V(p).

#include <array>
#include <span>
#include <vector>

#include "isochor/base/options.h"
#include "isochor/mesh/volume.h"
#include "isochor/volume/field.h"

namespace isochor {

enum class VolumeSolver {
  exact,       ///< along one direction to the root of a cubic: exact, and free of any order of axes
  three_step,  ///< one axis after another, largest share first, gradient recomputed (Rohmer 2009, 2.2): exact
  linear,      ///< one step along the gradient's prediction: approximate
};
template <>
struct EnumNames<VolumeSolver> {
  static constexpr std::array names{"exact", "three-step", "linear"};
};

/// The norm of the displacement that is kept small: Σ A_k u_k² / γ_k.
enum class FieldNorm {
  area,    ///< A_k the area around the vertex: the displacement does not know how the surface was cut into faces
  vertex,  ///< A_k = 1, as in the papers: larger where faces are larger
};
template <>
struct EnumNames<FieldNorm> {
  static constexpr std::array names{"area", "vertex"};
};

/// How a correction ended.
enum class VolumeOutcome {
  exact,     ///< on target
  nothing,   ///< there was nothing to do, or nowhere to do it: no field, no volume
  widened,   ///< on target, but the field had no hold and was spread over the whole patch
  linear,    ///< the linear solver's answer, with its residual
  no_root,   ///< no amount along the field reaches the target: the nearest was taken, and the residual is left
  no_hold,   ///< nothing that could move changes the volume: left alone
  folded,    ///< more would turn faces over: the residual is left
  touching,  ///< more would push skin through skin: the residual is left
};
template <>
struct EnumNames<VolumeOutcome> {
  static constexpr std::array names{"exact",   "nothing", "widened", "linear",
                                    "no-root", "no-hold", "folded",  "touching"};
};

/// t with cubic(t) = delta on the branch that continues from t = 0: the first t at which it is reached. Where the
/// branch turns back before, the turning point, with found = false. Never NaN for finite input.
struct CubicRoot {
  double t = 0;
  bool found = false;
};
CubicRoot continuing_root(const VolumeCubic& cubic, double delta);

struct SolveOptions {
  VolumeSolver solver = VolumeSolver::exact;
  FieldNorm norm = FieldNorm::area;

  bool operator==(const SolveOptions&) const = default;
};

template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, SolveOptions>
void describe(Options& options, Visitor&& visit) {
  visit(options.solver, FieldInfo{.name = "volume-solver", .help = "how the amount along a correction field is found"});
  visit(options.norm, FieldInfo{.name = "volume-norm",
                                .help = "what is kept small: displacement by area, or by vertex as in the papers",
                                .expert = true});
}

/// What a field meets in a pose.
struct FieldSetting {
  std::span<const Vec3> gradient = {};  ///< #V: ∇V
  std::span<const double> areas = {};   ///< #V: A_k
  FieldNorm norm = FieldNorm::area;
};
/// Writes out[i] = d_k for vertex k = field.vertices[i], pointing so that V grows. Along axes c1 is 1, and the shares
/// as used are returned: an axis that moves no volume hands its share to the others.
Vec3 field_directions(const CorrectionField& field, const FieldSetting& at, std::span<Vec3> out);

/// The unit normal ∇V / |∇V|, fading to nothing where the skin is folded so that ∇V falls below a twentieth of the
/// vertex's area.
Vec3 guarded_normal(const Vec3& gradient, double area);

struct SolveResult {
  VolumeOutcome outcome = VolumeOutcome::nothing;
  double requested = 0;        ///< ΔV
  double residual = 0;         ///< V_target - V(p + u)
  double largest = 0;          ///< largest displacement
  Vec3 shares = Vec3::Zero();  ///< μ as used: axes without hold hand theirs over (axes only)
};

/// Moves `positions` along `field` so that the volume of `functional` changes by `delta`. Every vertex of the field
/// must be one of the functional's.
class FieldSolver {
 public:
  /// Room for `vertex_count` vertices, once; solve() then allocates only if a support is larger than any before it.
  FieldSolver(std::size_t vertex_count, const SolveOptions& options);

  SolveResult solve(const VolumeFunctional& functional, const CorrectionField& field, double delta,
                    std::span<Vec3> positions);
  /// The order in which three-step takes the axes: by decreasing share, ties by index; or as told here.
  void set_axis_order(std::array<int, 3> order) { axis_order_ = order; }

 private:
  std::vector<Vec3> gradient_, direction_, moves_;
  std::vector<double> areas_;
  CorrectionField wide_;
  SolveOptions options_;
  std::array<int, 3> axis_order_ = {-1, -1, -1};

  bool has_hold(const VolumeFunctional& functional, const CorrectionField& field, std::span<const Vec3> positions);
  void run(const VolumeFunctional& functional, const CorrectionField& field, std::span<Vec3> positions,
           SolveResult& result);
  FieldSetting setting() const { return {.gradient = gradient_, .areas = areas_, .norm = options_.norm}; }
  void one_direction(const VolumeFunctional& functional, const CorrectionField& field, std::span<Vec3> positions,
                     SolveResult& result);
  void three_step(const VolumeFunctional& functional, const CorrectionField& field, std::span<Vec3> positions,
                  SolveResult& result);
};

}  // namespace isochor

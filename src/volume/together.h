#pragma once

/// All joints of a component at once: how much each gives, so that every region comes as near to its rest volume as its
/// neighbours allow while the total is exact. See docs/design/volume.md.

#include <span>
#include <vector>

#include "volume/balance.h"
#include "volume/together_plan.h"

namespace isochor::volume {

/// A joint with less activity than this does not move.
constexpr double kAsleep = 1e-9;

/// The working memory of a frame, and the solve itself.
class TogetherSolver {
 public:
  /// `plan` must outlive it.
  explicit TogetherSolver(const TogetherPlan& plan);

  /// Corrects one component in `out`, whose positions are those of `posed` and whose offsets are zero there.
  void solve(std::size_t part, const PosedSkin& posed, std::span<const JointField> fields, CorrectedFrame& out);

 private:
  /// One unknown of the balance.
  struct Giver {
    Index region = kNone;    // into the plan's regions; kNone for a joint that blends nothing here
    double activity = 0;     // 0 where the joint's maps are all the same, towards 1 where they differ
    double collapse = 0;     // q: the share of the squared radius that the deformer loses in the middle of the joint
    double collapsed = 0;    // 1 where that is so much that the joint must be twisted, 0 where it may be bent
    bool own_field = false;  // its vectors are moves_[first .. last)
    std::size_t first = 0, last = 0;
    double closing = 0;  // its part in the direction along which the total is made exact
    double amount = 0;   // the displacement in radii of the body, where γ = 1
  };
  struct Move {
    Index vertex;
    Vec3 d;
  };

  const TogetherPlan& plan_;
  const ComponentPlan* part_ = nullptr;
  const PosedSkin* posed_ = nullptr;
  double ratio_ = 1;  // target over rest
  double target_ = 0;
  double start_volume_ = 0, untouched_volume_ = 0;
  Vec3 origin_ = Vec3::Zero();  // rings are no closed surface by themselves: it stays where it is for the frame

  std::vector<Giver> givers_;
  std::vector<Index> giver_of_region_;  // kNone where the region's joint has a field of its own
  std::vector<Move> moves_;
  std::vector<Vec3> own_directions_;
  CorrectionField own_field_, axis_field_;
  bool wide_ = false;    // fields of their own reach beyond the plan's support
  bool dozing_ = false;  // joints that do not move are left out of the frame, with all that only they would move
  double idle_ = 0;      // the activity of a joint that does not move
  std::span<const Index> support_, rings_;        // what may move, and the rings of `touched` around it
  std::vector<Index> own_support_, awake_rings_;  // the memory of these, where they are not the plan's
  std::vector<char> awake_;                       // #V

  // #V, valid on the support. normal_ is as long as the body is thick.
  std::vector<Vec3> normal_, gradient_, rim_gradient_, own_shift_, positions_, closing_, closing_offset_;
  std::vector<double> height_, slope_, own_slope_, limit_, loss_, areas_, closing_height_;
  std::vector<double> gamma_;       // of the plan's blends, where this pose shapes them
  std::span<const double> shaped_;  // these, or the plan's own
  std::vector<double> ring_volume_;
  std::vector<double> region_target_, region_error_, activity_, collapse_;  // by region
  struct Amounts {
    double height = 0, closing = 0;
  };
  std::vector<Amounts> amounts_;  // by region: those of its giver, or nothing

  BalanceProblem problem_;
  Balance balance_;
  FieldSolver axis_solver_;

  const VolumeFunctional& around() const { return wide_ ? part_->whole : part_->touched; }
  bool asleep(Index region) const;

  void begin(std::size_t part, const PosedSkin& posed, std::span<const JointField> fields);
  void gather_support(std::span<const JointField> fields);
  void read_activity();
  double idle_activity() const;
  void leave_sleepers_out();
  void read_maps();
  double mean_rest_area() const;
  void gather_givers(std::span<const JointField> fields);
  void add_own_fields(std::span<const JointField> fields);
  void add_own_moves(const CorrectionField& field, Giver& giver);
  void shape_blends();

  void measure_start();
  void measure_rings();
  void measure_lids();
  double scaled_size(Index region) const;
  double current_volume() const;
  void measure_regions();

  void give();
  void fill_effects();
  void fill_steepness();
  void add_inner_effects();
  void add_rim_effects();
  void fill_wanted();
  void displace();
  Vec3 saturated_own_shift(Index v);

  VolumeOutcome finish(CorrectedFrame& out);
  void fill_closing();
  void step_along_axes();
  void realise(CorrectedFrame& out);
  VolumeOutcome close(CorrectedFrame& out);
  VolumeCubic expand_closing();
  double closing_effect() const;
};

}  // namespace isochor::volume

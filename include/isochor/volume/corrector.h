#pragma once

/// Exact volume for a whole character, all its joints at once or one after another (design, section 4).
///
///   Playback playback(character);
///   WeldedSkin skin(playback);
///   VolumeCorrector corrector = VolumeCorrector::prepare(skin, {});
///   PosedSkin posed;  CorrectedFrame corrected;  VolumeReport report(corrector);
///   for (each pose) {
///     skin.pose(pose, Deformer::lbs, posed, context);
///     corrector.apply(posed, {}, corrected);       // corrected.positions, corrected.offsets
///     report.add(corrected);
///   }

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "isochor/deform/welded_skin.h"
#include "isochor/volume/field.h"
#include "isochor/volume/solve.h"

namespace isochor {

enum class JointTreatment {
  together,  ///< one pose, every joint's own volume as near to its rest as its neighbours allow: no order, smooth in
             ///< time
  sequence,  ///< joints one after another, parents first, each correcting what it changed (Rohmer 2009, 3.2)
};
template <>
struct EnumNames<JointTreatment> {
  static constexpr std::array names{"together", "sequence"};
};

struct CorrectorOptions {
  JointTreatment joints = JointTreatment::together;
  SolveOptions solve;
  double stiffness = 0.05;
  double smoothness = 2;
  double reach = 0.37;
};

template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, CorrectorOptions>
void describe(Options& options, Visitor&& visit) {
  visit(options.joints,
        FieldInfo{.name = "joints", .help = "all joints at once, or one after another as in the paper"});
  describe(options.solve, visit);
  visit(options.stiffness, FieldInfo{.name = "volume-stiffness",
                                     .help = "how much a joint's displacement counts against the volume it brings back",
                                     .min = 1e-6,
                                     .max = 1e6});
  visit(
      options.smoothness,
      FieldInfo{.name = "volume-smoothness",
                .help = "how much a smooth displacement counts against the volume that every single joint brings back",
                .min = 0,
                .max = 1e6});
  visit(options.reach, FieldInfo{.name = "volume-reach",
                                 .help = "how far a vertex may be displaced before the others take over",
                                 .unit = "of the body's local radius",
                                 .min = 0.01,
                                 .max = 100});
}

/// A field that takes the place of a joint's `blend` in one pose. An empty support keeps the joint from giving
/// anything.
struct JointField {
  Index joint = kNone;  ///< into the skeleton
  CorrectionField field;
};

struct ComponentVolume {
  double target = 0, before = 0, after = 0;  ///< signed
  double residual = 0;                       ///< target - after, where the outcome is not exact
  VolumeOutcome outcome = VolumeOutcome::nothing;
  bool has_volume = false;  ///< false: passed through

  double error_before() const { return relative_volume_error(before, target); }
  double error_after() const { return relative_volume_error(after, target); }
};

/// The volume of a joint's own region, closed by caps, against what it was at rest.
struct JointVolume {
  double error_before = 0, error_after = 0;  ///< relative
};

struct CorrectedFrame {
  std::vector<Vec3> positions;              ///< #V; as they came, bit for bit, outside all supports
  std::vector<Vec3> offsets;                ///< #V, in rest space: positions = maps [rest + offsets; 1]
  std::vector<ComponentVolume> components;  ///< by component of the surface
  std::vector<JointVolume> joints;          ///< by VolumeCorrector::regions()
  double max_displacement = 0;
  Index max_displacement_vertex = kNone;
  std::vector<Index> wild_joints;  ///< sequence: joints whose step asked for more than the body's radius, and was cut
};

class VolumeCorrector {
 public:
  /// `skin` must outlive the corrector.
  static VolumeCorrector prepare(const WeldedSkin& skin, const CorrectorOptions& options = {});

  VolumeCorrector(VolumeCorrector&&) noexcept;
  VolumeCorrector& operator=(VolumeCorrector&&) noexcept;
  ~VolumeCorrector();

  const WeldedSkin& skin() const;
  const CorrectorOptions& options() const;

  /// Where the skin of one component bends or twists with a joint: 4 s (1 - s) > 0, s the weight of the joint's
  /// subtree.
  struct Region {
    Index joint = kNone;
    Index component = kNone;
    double rest_volume = 0;  ///< signed, capped
    std::span<const Index> vertices;
    std::span<const double> gamma;
  };
  std::span<const Region> regions() const;

  /// Joints together. Allocates nothing after the first call with the same `out`, where `fields` is empty.
  void apply(const PosedSkin& posed, std::span<const JointField> fields, CorrectedFrame& out);

  /// What apply_in_sequence() asks of its caller: the skin in a partial pose, and the fields of one joint there (none:
  /// its blend field).
  struct Poses {
    std::function<void(const Pose&, PosedSkin&)> skin;
    std::function<void(Index joint, const Pose&, const PosedSkin&, std::vector<JointField>&)> fields;
  };
  /// Joints in sequence.
  void apply_in_sequence(const Pose& pose, const Poses& poses, CorrectedFrame& out);

 private:
  struct Prepared;
  explicit VolumeCorrector(std::unique_ptr<Prepared> prepared);
  std::unique_ptr<Prepared> prepared_;
};

/// The evidence of many frames.
class VolumeReport {
 public:
  explicit VolumeReport(const VolumeCorrector& corrector);
  void add(const CorrectedFrame& frame);

  struct Component {
    double rest = 0, max_error_before = 0, max_error_after = 0;
    bool corrected = false;
  };
  struct Joint {
    Index joint = kNone, component = kNone;
    double max_error_before = 0, max_error_after = 0;
    double mean_error_before = 0, mean_error_after = 0;  ///< over frames
  };
  const std::vector<Component>& components() const { return components_; }
  const std::vector<Joint>& joints() const { return joints_; }
  double max_displacement() const { return max_displacement_; }
  int frames() const { return frames_; }
  /// What a user should know: components passed through, targets not reached, fields widened, wild steps.
  Problems problems() const;

 private:
  std::vector<Component> components_;
  std::vector<Joint> joints_;
  double max_displacement_ = 0;
  int frames_ = 0;
  std::vector<Index> without_volume_, untouched_, widened_, unreached_, wild_;
};

}  // namespace isochor

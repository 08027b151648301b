#pragma once

/// Exact volume for a whole character, all its joints at once or one after another (docs/design/volume.md).
///
///   const WeldedCharacter welded(character);
///   VolumeCorrector corrector = VolumeCorrector::prepare(welded, {}, context);
///   PosedSkin posed;  CorrectedFrame corrected;  VolumeReport report(corrector);
///   for (each pose) {
///     pose_skin(welded, pose, Deformer::lbs, posed, context);
///     corrector.apply(posed, {}, corrected);       // corrected.positions, corrected.offsets
///     report.add(corrected);
///   }
///
/// CorrectedPlayback (corrected_playback.h) does this with effects and volumes that change in time.

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "isochor/deform/posed_skin.h"
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

/// What becomes of faces that a correction would turn over.
enum class FaceTreatment {
  keep,  ///< what would turn them is held back, and the skin around makes up for the volume
  free,  ///< they turn, as in the papers
};
template <>
struct EnumNames<FaceTreatment> {
  static constexpr std::array names{"keep", "free"};
};

/// What becomes of skin that the correction pushes through other skin.
enum class ContactTreatment {
  off,      ///< it is not looked for
  count,    ///< pairs of faces that cross are counted
  hold,     ///< what makes them cross is held back, and the skin around makes up for the volume
  resolve,  ///< and skin that the deformer itself brings through other skin is pushed out of it
};
template <>
struct EnumNames<ContactTreatment> {
  static constexpr std::array names{"off", "count", "hold", "resolve"};
};

struct VolumeOptions {
  JointTreatment treatment = JointTreatment::together;
  FaceTreatment faces = FaceTreatment::keep;
  ContactTreatment contact = ContactTreatment::off;
  SolveOptions solve;
  double stiffness = 0.05;
  double smoothness = 2;
  double reach = 0.37;

  bool operator==(const VolumeOptions&) const = default;
};

template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, VolumeOptions>
void describe(Options& options, Visitor&& visit) {
  visit(options.treatment,
        FieldInfo{.name = "treatment",
                  .help = "all joints at once (smooth, no order), or one after another as in the paper of 2009",
                  .former = "joints"});
  visit(options.faces, FieldInfo{.name = "volume-faces",
                                 .help = "keep: no face of the skin turns over; free: as in the papers",
                                 .expert = true});
  visit(
      options.contact,
      FieldInfo{.name = "contact",
                .help = "hold: skin that the correction would push through other skin is held back; resolve: skin that "
                        "skinning itself brings through other skin is pushed apart too; count: pairs of faces that "
                        "cross are in the report",
                .alone = "hold"});
  describe(options.solve, visit);
  visit(options.stiffness, FieldInfo{.name = "volume-stiffness",
                                     .help = "higher: smaller displacements, larger local errors around each joint",
                                     .min = 1e-6,
                                     .max = 1e6,
                                     .expert = true});
  visit(options.smoothness,
        FieldInfo{.name = "volume-smoothness",
                  .help = "higher: smoother bulges that neighbouring joints share, larger local errors",
                  .min = 0,
                  .max = 1e6,
                  .expert = true});
  visit(options.reach, FieldInfo{.name = "volume-reach",
                                 .help = "higher: vertices may be displaced farther before others take over",
                                 .unit = "of the body's local radius",
                                 .min = 0.01,
                                 .max = 100,
                                 .expert = true});
}

/// A field that takes the place of a joint's `blend` in one pose. An empty support keeps the joint from giving
/// anything.
struct JointField {
  Index joint = kNone;  ///< into the skeleton
  CorrectionField field;
};

struct ComponentVolume {
  double target = 0, before = 0, after = 0;  ///< signed
  double residual = 0;                       ///< target - after, if the outcome is not exact
  VolumeOutcome outcome = VolumeOutcome::nothing;
  bool has_volume = false;  ///< false: passed through

  double error_before() const { return relative_volume_error(before, target); }
  double error_after() const { return relative_volume_error(after, target); }
};

/// The volume of a joint's own region, closed by caps, against what it was at rest.
struct JointVolume {
  double error_before = 0, error_after = 0;  ///< relative
};

/// Pairs of faces that cross, without a common vertex, and were apart at rest.
struct ContactCounts {
  std::size_t skinned = 0;       ///< under skinning alone
  std::size_t before = 0;        ///< corrected, before anything is held back
  std::size_t added_before = 0;  ///< of these, those that skinning does not cross
  std::size_t after = 0;         ///< at the end
  std::size_t added_after = 0;
};

/// What a report needs of a frame.
struct CorrectionEvidence {
  std::vector<ComponentVolume> components;  ///< by component of the surface
  std::vector<JointVolume> joints;          ///< by VolumeCorrector::regions()
  double max_displacement = 0;
  Index max_displacement_vertex = kNone;
  std::size_t turned_faces = 0;    ///< whose normal is more than 90° away from the deformer's
  double largest_turn = 0;         ///< of a face, against the deformer's, in radians
  std::size_t held_vertices = 0;   ///< that were held back or moved aside, so that no face turns over
  ContactCounts contact;           ///< zero unless contact is looked for
  std::vector<Index> wild_joints;  ///< sequence: joints whose step asked for more than the body's radius, and was cut
};

struct CorrectedFrame : CorrectionEvidence {
  std::vector<Vec3> positions;  ///< #V; as they came, bit for bit, outside all supports
  std::vector<Vec3> offsets;    ///< #V, in rest space: positions = maps [rest + offsets; 1]
};

class VolumeCorrector {
 public:
  /// `welded` must outlive the corrector.
  static VolumeCorrector prepare(const WeldedCharacter& welded, const VolumeOptions& options, const Context& context);

  /// Another one after WeldedCharacter::take_weights(): what the shape alone decides is taken over, and not found anew.
  VolumeCorrector reweighed() const;

  /// Another one with the same plan and working memory of its own, so that both correct at the same time.
  VolumeCorrector twin() const;

  VolumeCorrector(VolumeCorrector&&) noexcept;
  VolumeCorrector& operator=(VolumeCorrector&&) noexcept;
  ~VolumeCorrector();

  const WeldedCharacter& welded() const;
  const VolumeOptions& options() const;

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

  /// Joints together; one call at a time. Allocates nothing after the first call with the same `out`, if `fields` is
  /// empty.
  void apply(const PosedSkin& posed, std::span<const JointField> fields, CorrectedFrame& out);

  /// What apply_in_sequence() asks of its caller: the skin in a partial pose, and the fields of one joint there (none:
  /// its blend field).
  struct Poses {
    std::function<void(const Pose&, PosedSkin&)> skin;
    std::function<void(Index joint, const Pose&, const PosedSkin&, std::vector<JointField>&)> fields;
  };
  /// Joints in sequence. `posed` is the skin in `pose`.
  void apply_in_sequence(const Pose& pose, const PosedSkin& posed, const Poses& poses, CorrectedFrame& out);

 private:
  struct Shared;
  struct Prepared;
  explicit VolumeCorrector(std::unique_ptr<Prepared> prepared);
  std::unique_ptr<Prepared> prepared_;
};

/// The evidence of many frames.
class VolumeReport {
 public:
  VolumeReport() = default;  ///< of nothing
  explicit VolumeReport(const VolumeCorrector& corrector);
  /// Of a character that is not corrected: the errors of its components alone.
  explicit VolumeReport(const WeldedCharacter& welded);
  void add(const CorrectionEvidence& frame);

  struct Component {
    std::size_t vertices = 0;  ///< of the welded surface
    double rest = 0;           ///< the volume of the bind shape, signed
    double max_error_before = 0, max_error_after = 0;
    bool has_volume = false;
  };
  struct Joint {
    Index joint = kNone, component = kNone;
    double max_error_before = 0, max_error_after = 0;
    double mean_error_before = 0, mean_error_after = 0;  ///< over frames
  };
  const std::vector<Component>& components() const { return components_; }
  const std::vector<Joint>& joints() const { return joints_; }
  double max_displacement() const { return max_displacement_; }
  /// Of one frame: the most faces that are turned over against skinning alone, and the most vertices held back so that
  /// none is; the largest turn of a face, in radians.
  std::size_t max_turned_faces() const { return max_turned_faces_; }
  std::size_t max_held_vertices() const { return max_held_vertices_; }
  double largest_turn() const { return largest_turn_; }
  /// The most of one frame, each by itself.
  const ContactCounts& max_contact() const { return max_contact_; }
  /// The largest error of any component, before and after.
  double max_error_before() const;
  double max_error_after() const;
  std::size_t frames() const { return frames_; }
  /// Whether these are frames of a corrector.
  bool corrects() const { return corrects_; }
  /// What a user should know: components passed through, targets not reached, fields widened, wild steps.
  Problems problems() const;

 private:
  std::vector<Component> components_;
  std::vector<Joint> joints_;
  double max_displacement_ = 0, largest_turn_ = 0;
  std::size_t max_turned_faces_ = 0, max_held_vertices_ = 0;
  ContactCounts max_contact_;
  std::size_t frames_ = 0;
  bool corrects_ = false;
  std::vector<Index> without_volume_, untouched_, widened_, unreached_, folded_, touching_, wild_;
};

}  // namespace isochor

#include <algorithm>

#include "isochor/volume/corrector.h"

namespace isochor {
namespace {

/// A report calls a volume exact where it is this near to its target, relative to it: what the tests hold us to.
constexpr double kReportedExact = 1e-9;

void note(std::vector<Index>& list, Index element) {
  const auto at = std::lower_bound(list.begin(), list.end(), element);
  if (at == list.end() || *at != element) list.insert(at, element);
}

void report(Problems& out, const std::vector<Index>& elements, Severity severity, const char* code,
            const char* sentence) {
  ProblemCollector collector;
  for (const Index e : elements) collector.add(e);
  collector.report(out, severity, code, sentence);
}

}  // namespace

VolumeReport::VolumeReport(const WeldedCharacter& welded) {
  for (std::size_t c = 0; c < welded.rest_volumes().size(); ++c) {
    components_.push_back({.vertices = welded.topology().components[c].vertices.size(),
                           .rest = welded.rest_volumes()[c],
                           .has_volume = welded.has_volume(c)});
    if (!welded.has_volume(c)) without_volume_.push_back(static_cast<Index>(c));
  }
}

VolumeReport::VolumeReport(const VolumeCorrector& corrector) : VolumeReport(corrector.welded()) {
  corrects_ = true;
  for (const auto& region : corrector.regions()) {
    joints_.push_back({.joint = region.joint, .component = region.component});
  }
}

double VolumeReport::max_error_before() const {
  double largest = 0;
  for (const Component& component : components_) largest = std::max(largest, component.max_error_before);
  return largest;
}

double VolumeReport::max_error_after() const {
  double largest = 0;
  for (const Component& component : components_) largest = std::max(largest, component.max_error_after);
  return largest;
}

void VolumeReport::add(const CorrectionEvidence& frame) {
  ++frames_;
  for (std::size_t c = 0; c < components_.size(); ++c) {
    const ComponentVolume& volume = frame.components[c];
    if (!volume.has_volume) continue;
    components_[c].max_error_before = std::max(components_[c].max_error_before, volume.error_before());
    components_[c].max_error_after = std::max(components_[c].max_error_after, volume.error_after());
    if (!corrects_) continue;
    const auto index = static_cast<Index>(c);
    if (volume.outcome == VolumeOutcome::widened) note(widened_, index);
    if (volume.error_after() <= kReportedExact || volume.outcome == VolumeOutcome::linear) continue;
    if (volume.outcome == VolumeOutcome::nothing) {
      note(untouched_, index);
    } else {
      const bool touching = volume.outcome == VolumeOutcome::touching;
      note(volume.outcome == VolumeOutcome::folded ? folded_ : touching ? touching_ : unreached_, index);
    }
  }
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    Joint& joint = joints_[j];
    const JointVolume& volume = frame.joints[j];
    joint.max_error_before = std::max(joint.max_error_before, volume.error_before);
    joint.max_error_after = std::max(joint.max_error_after, volume.error_after);
    joint.mean_error_before += (volume.error_before - joint.mean_error_before) / static_cast<double>(frames_);
    joint.mean_error_after += (volume.error_after - joint.mean_error_after) / static_cast<double>(frames_);
  }
  max_displacement_ = std::max(max_displacement_, frame.max_displacement);
  max_turned_faces_ = std::max(max_turned_faces_, frame.turned_faces);
  max_held_vertices_ = std::max(max_held_vertices_, frame.held_vertices);
  largest_turn_ = std::max(largest_turn_, frame.largest_turn);
  const auto most = [&](std::size_t ContactCounts::*count) {
    max_contact_.*count = std::max(max_contact_.*count, frame.contact.*count);
  };
  most(&ContactCounts::skinned);
  most(&ContactCounts::before);
  most(&ContactCounts::added_before);
  most(&ContactCounts::after);
  most(&ContactCounts::added_after);
  for (const Index joint : frame.wild_joints) note(wild_, joint);
}

Problems VolumeReport::problems() const {
  Problems problems;
  report(problems, without_volume_, Severity::note, "volume-none",
         "{} component{|s} {is a sheet|are sheets} or cannot be oriented, so that {it has|they have} no volume to "
         "keep; {it is|they are} passed through");
  report(problems, untouched_, Severity::warning, "volume-untouched",
         "{} component{|s} change{s|} {its|their} volume, but no joint bends {its|their} skin: {it is|they are} passed "
         "through");
  report(problems, widened_, Severity::warning, "volume-widened",
         "{} component{|s} could not keep {its|their} volume where {its|their} joints blend, and {was|were} corrected "
         "all over");
  report(
      problems, unreached_, Severity::warning, "volume-not-reached",
      "{} component{|s} could not be brought to {its|their} volume in every frame; the largest error is in the report");
  report(problems, folded_, Severity::warning, "volume-folded",
         "{} component{|s} could not be brought to {its|their} volume in every frame without turning faces over; the "
         "largest "
         "error is in the report");
  report(problems, touching_, Severity::warning, "volume-touching",
         "{} component{|s} could not be brought to {its|their} volume in every frame without pushing skin through "
         "skin; the "
         "largest error is in the report");
  report(problems, wild_, Severity::note, "volume-wild-steps",
         "{} joint{|s}, moved before the others, tear{s|} the skin in poses that are never seen; these steps were cut "
         "short, and "
         "the last one made up for them (joints together has no such steps)");
  return problems;
}

}  // namespace isochor

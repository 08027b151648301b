#include <algorithm>
#include <cmath>
#include <numbers>

#include "io/text.h"
#include "isochor/io/bvh.h"

namespace isochor {

namespace {

constexpr double kDegree = 180 / std::numbers::pi;
constexpr std::int64_t kMaxFrames = 10'000'000;

/// R = Rz(a) Ry(b) Rx(c), in degrees. At b = ±90° only a ∓ c counts: c is 0 there.
Vec3 euler_zyx(const Quat& rotation) {
  const Mat3 R = rotation.normalized().toRotationMatrix();
  const double sine = std::clamp(-R(2, 0), -1.0, 1.0);
  if (std::abs(sine) > 1 - 1e-12) return Vec3(std::atan2(-R(0, 1), R(1, 1)), std::asin(sine), 0) * kDegree;
  return Vec3(std::atan2(R(1, 0), R(0, 0)), std::asin(sine), std::atan2(R(2, 1), R(2, 2))) * kDegree;
}

class BvhWriter {
 public:
  BvhWriter(const Skeleton& skeleton, const Clip& clip) : skeleton_(skeleton), clip_(clip) {
    children_.resize(skeleton.size());
    translated_.resize(skeleton.size());
    for (std::size_t j = 0; j < skeleton.size(); ++j) {
      const Index parent = skeleton.joints[j].parent;
      if (parent == kNone) {
        translated_[j] = true;
      } else {
        children_[parent].push_back(static_cast<Index>(j));
      }
    }
    for (const Channel& channel : clip.channels) {
      if (channel.path == ChannelPath::translation) translated_[channel.joint] = true;
    }
  }

  std::string write(double frame_time) {
    out_ = "HIERARCHY\n";
    for (std::size_t j = 0; j < skeleton_.size(); ++j) {
      if (skeleton_.joints[j].parent == kNone) tree(static_cast<Index>(j));
    }
    motion(frame_time);
    return std::move(out_);
  }

 private:
  /// Depth first without recursion: BVH nests as deep as the skeleton does.
  void tree(Index root) {
    struct Open {
      Index joint;
      std::size_t next_child = 0;
    };
    std::vector<Open> open = {{root}};
    begin_joint(root, 0);
    while (!open.empty()) {
      Open& top = open.back();
      const auto& children = children_[top.joint];
      if (top.next_child < children.size()) {
        const Index child = children[top.next_child++];
        begin_joint(child, open.size());
        open.push_back({child});
      } else {
        if (children.empty()) end_site(top.joint, open.size());
        open.pop_back();
        line(open.size(), "}");
      }
    }
  }

  void begin_joint(Index j, std::size_t depth) {
    const Joint& joint = skeleton_.joints[j];
    line(depth, (depth == 0 ? "ROOT " : "JOINT ") + joint.name);
    line(depth, "{");
    offset(depth + 1, joint.rest.translation);
    line(depth + 1, translated_[j] ? "CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation"
                                   : "CHANNELS 3 Zrotation Yrotation Xrotation");
    order_.push_back(j);
  }

  void end_site(Index j, std::size_t depth) {
    line(depth, "End Site");
    line(depth, "{");
    offset(depth + 1, skeleton_.joints[j].tail.value_or(Vec3::Zero()));
    line(depth, "}");
  }

  void motion(double frame_time) {
    const double frames_exact = std::floor(clip_.duration() / frame_time + 1e-6);
    if (!(frames_exact < static_cast<double>(kMaxFrames))) throw_unsupported("the BVH would have too many frames");
    const auto frames = static_cast<std::int64_t>(frames_exact) + 1;
    out_ += "MOTION\nFrames: " + std::to_string(frames) + "\nFrame Time: ";
    text::append_number(out_, frame_time);
    out_.push_back('\n');
    Pose pose = rest_pose(skeleton_);
    for (std::int64_t f = 0; f < frames; ++f) {
      sample(clip_, skeleton_, clip_.start() + static_cast<double>(f) * frame_time, pose);
      for (const Index j : order_) append_joint(j, pose.local[j]);
      out_.back() = '\n';
    }
  }

  void append_joint(Index j, const Transform& local) {
    if (!local.scale.isOnes(1e-6) || !local.shear.isIdentity(1e-6)) {
      throw_unsupported("the joint " + text::quoted(skeleton_.joints[j].name) + " is scaled, which BVH cannot express",
                        j);
    }
    if (translated_[j]) append(local.translation);
    append(euler_zyx(local.rotation));
  }

  void append(const Vec3& v) {
    for (const double x : v) {
      text::append_number(out_, x);
      out_.push_back(' ');
    }
  }

  void offset(std::size_t depth, const Vec3& v) {
    std::string text = "OFFSET";
    for (const double x : v) {
      text.push_back(' ');
      text::append_number(text, x);
    }
    line(depth, text);
  }

  void line(std::size_t depth, const std::string& text) { out_.append(depth, '\t').append(text).push_back('\n'); }

  const Skeleton& skeleton_;
  const Clip& clip_;
  std::vector<std::vector<Index>> children_;
  std::vector<bool> translated_;
  std::vector<Index> order_;
  std::string out_;
};

}  // namespace

std::string format_bvh(const Skeleton& skeleton, const Clip& clip, double frame_time) {
  if (!(frame_time >= 1e-9 && frame_time <= 1e6))
    throw_bad_input("the frame time must lie between 1e-9 and 1e6 seconds");
  if (skeleton.joints.empty()) throw_bad_input("a BVH needs at least one joint");
  return BvhWriter(skeleton, clip).write(frame_time);
}

}  // namespace isochor

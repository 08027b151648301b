#include "sample/poser.h"

#include <algorithm>
#include <cmath>

#include "isochor/base/error.h"

namespace isochor::model {
namespace {

/// Orthonormal axes, the first along `direction` and the third normal to the plane of direction and pole.
Mat3 axes_of_bend(const Vec3& direction, const Vec3& pole) {
  const Vec3 x = direction.normalized();
  Vec3 z = x.cross(pole);
  z = z.norm() > 1e-9 ? z.normalized() : x.unitOrthogonal();
  Mat3 axes;
  axes << x, z.cross(x), z;
  return axes;
}

/// The channel of one property over all frames; empty where it never leaves the rest value.
Channel make_channel(Index joint, ChannelPath path, const std::vector<double>& times) {
  Channel channel;
  channel.joint = joint;
  channel.path = path;
  channel.times = times;
  channel.width = path == ChannelPath::rotation ? 4 : 3;
  return channel;
}

void add_translation(const std::vector<Pose>& poses, const Transform& rest, Channel channel, Clip& clip) {
  bool moves = false;
  for (const Pose& pose : poses) {
    const Vec3& t = pose.local[channel.joint].translation;
    moves |= (t - rest.translation).norm() > 1e-9;
    channel.values.insert(channel.values.end(), {t.x(), t.y(), t.z()});
  }
  if (moves) clip.channels.push_back(std::move(channel));
}

void add_rotation(const std::vector<Pose>& poses, const Transform& rest, Channel channel, Clip& clip) {
  bool moves = false;
  Quat last = rest.rotation;
  for (const Pose& pose : poses) {
    Quat q = pose.local[channel.joint].rotation.normalized();
    if (q.dot(last) < 0) q.coeffs() = -q.coeffs();
    moves |= q.angularDistance(rest.rotation) > 1e-6;
    channel.values.insert(channel.values.end(), {q.x(), q.y(), q.z(), q.w()});
    last = q;
  }
  if (moves) clip.channels.push_back(std::move(channel));
}

}  // namespace

Poser::Poser(const Skeleton& skeleton)
    : skeleton_(skeleton), rest_(rest_pose(skeleton)), pose_(rest_), rest_global_(global_transforms(skeleton, rest_)) {}

Index Poser::index(std::string_view joint) const {
  const Index found = skeleton_.find(joint);
  if (found == kNone) throw_bad_input("the skeleton has no joint named " + std::string(joint));
  return found;
}

Quat Poser::rest_rotation(Index joint) const { return Quat(rest_global_[joint].linear()); }

Quat Poser::global_rotation(Index joint) const {
  Quat rotation = Quat::Identity();
  for (Index j = joint; j != kNone; j = skeleton_.joints[j].parent) rotation = pose_.local[j].rotation * rotation;
  return rotation;
}

void Poser::set_global_rotation(Index joint, const Quat& rotation) {
  const Index parent = skeleton_.joints[joint].parent;
  const Quat above = parent == kNone ? Quat::Identity() : global_rotation(parent);
  pose_.local[joint].rotation = (above.conjugate() * rotation).normalized();
}

void Poser::turn(std::string_view joint, const Vec3& axis, double degrees) {
  const Index j = index(joint);
  const Quat world(Eigen::AngleAxisd(degrees * kPi / 180, axis));
  const Quat rest = rest_rotation(j);
  Quat& local = pose_.local[j].rotation;
  local = (local * (rest.conjugate() * world * rest)).normalized();
}

void Poser::turn(std::string_view joint, const Vec3& degrees) {
  turn(joint, Vec3::UnitX(), degrees.x());
  turn(joint, Vec3::UnitY(), degrees.y());
  turn(joint, Vec3::UnitZ(), degrees.z());
}

void Poser::move(std::string_view joint, const Vec3& offset) { pose_.local[index(joint)].translation += offset; }

void Poser::reach(const Limb& limb, const Vec3& target, const Quat& end_turn) {
  const Index upper = index(limb.upper);
  const Index lower = index(limb.lower);
  const Index end = index(limb.end);
  const Vec3 rest_upper = rest_global_[lower].translation() - rest_global_[upper].translation();
  const Vec3 rest_lower = rest_global_[end].translation() - rest_global_[lower].translation();
  const double a = rest_upper.norm();
  const double b = rest_lower.norm();
  const Vec3 root = position(limb.upper);
  const Vec3 towards = target - root;
  const double distance = std::clamp(towards.norm(), std::abs(a - b) * 1.001 + 1e-6, (a + b) * 0.9995);

  const Index parent = skeleton_.joints[upper].parent;
  const Quat carried = parent == kNone ? Quat::Identity() : global_rotation(parent) * rest_rotation(parent).conjugate();
  const Mat3 plane = axes_of_bend(towards, carried * limb.pole);
  const double along = (a * a + distance * distance - b * b) / (2 * distance);
  const double aside = std::sqrt(std::max(a * a - along * along, 0.0));
  const Vec3 knee = along * plane.col(0) + aside * plane.col(1);
  const Vec3 shin = distance * plane.col(0) - knee;

  const Vec3 posed_pole = plane.col(1);
  const auto bone_turn = [&](const Vec3& rest, const Vec3& posed) {
    return Quat(Mat3(axes_of_bend(posed, posed_pole) * axes_of_bend(rest, limb.pole).transpose()));
  };
  set_global_rotation(upper, bone_turn(rest_upper, knee) * rest_rotation(upper));
  set_global_rotation(lower, bone_turn(rest_lower, shin) * rest_rotation(lower));
  set_global_rotation(end, end_turn * rest_rotation(end));
}

Vec3 Poser::rest_position(std::string_view joint) const { return rest_global_[index(joint)].translation(); }

Vec3 Poser::position(std::string_view joint) const {
  Affine global = Affine::Identity();
  for (Index j = index(joint); j != kNone; j = skeleton_.joints[j].parent) global = to_matrix(pose_.local[j]) * global;
  return global.translation();
}

Clip record(const Skeleton& skeleton, const std::string& name, const Timing& timing,
            const std::function<void(Poser&, double)>& animate) {
  Poser poser(skeleton);
  const int frames = std::max(static_cast<int>(std::lround(timing.duration * timing.rate)), 1);
  std::vector<double> times;
  std::vector<Pose> poses;
  for (int f = 0; f <= frames; ++f) {
    times.push_back(timing.duration * f / frames);
    poser.reset();
    animate(poser, static_cast<double>(f) / frames);
    poses.push_back(poser.pose());
  }
  Clip clip;
  clip.name = name;
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    const Transform& rest = skeleton.joints[j].rest;
    const auto joint = static_cast<Index>(j);
    add_translation(poses, rest, make_channel(joint, ChannelPath::translation, times), clip);
    add_rotation(poses, rest, make_channel(joint, ChannelPath::rotation, times), clip);
  }
  return clip;
}

double wave(double turns) { return std::sin(2 * kPi * turns); }

}  // namespace isochor::model

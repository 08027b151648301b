#include "isochor/io/bvh.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <set>

#include "io/text.h"

namespace isochor {

namespace {

using text::throw_at;

constexpr double kRadian = std::numbers::pi / 180;
/// Deep enough for any creature; keeps a hostile file from building a skeleton that recursion elsewhere cannot walk.
constexpr std::size_t kMaxJointDepth = 1000;

struct BvhChannel {
  bool rotation = false;
  int axis = 0;
};

struct BvhJoint {
  std::vector<BvhChannel> channels;
  std::size_t first = 0;  ///< the place of its first value in a frame

  bool has(bool rotation) const {
    for (const BvhChannel& c : channels) {
      if (c.rotation == rotation) return true;
    }
    return false;
  }
};

class BvhParser {
 public:
  explicit BvhParser(std::string_view text) : words_(text), bytes_(text.size()) {}

  Character parse() {
    if (text::lower(words_.next()) != "hierarchy")
      throw_bad_input("the file does not begin with HIERARCHY: it is no BVH");
    std::string word = hierarchy();
    if (character_.skeleton.joints.empty()) throw_bad_input("the BVH has no joint");
    if (word == "motion") motion();
    rest_position_mode();
    build_clip();
    repeated_.report(character_.problems, Severity::warning, "joint-names-repeated",
                     "{} joint{|s} {has|have} a name that another joint has: a number was added");
    return std::move(character_);
  }

 private:
  /// All ROOTs; returns the word after them, in lower case.
  std::string hierarchy() {
    std::string word = text::lower(words_.next());
    while (word == "root") {
      std::vector<Index> open;
      begin_joint(open);
      while (!open.empty()) statement(open);
      word = text::lower(words_.next());
    }
    if (!word.empty() && word != "motion") {
      throw_at(words_.line(), text::quoted(word) + " stands where ROOT or MOTION should");
    }
    return word;
  }

  void begin_joint(std::vector<Index>& open) {
    std::string_view name = words_.rest_of_line();
    const bool brace_on_line = !name.empty() && name.back() == '{';
    if (brace_on_line) name = text::trim(name.substr(0, name.size() - 1));
    Joint joint;
    joint.parent = open.empty() ? kNone : open.back();
    joint.name = unique_name(name);
    if (!brace_on_line) expect("{");
    open.push_back(static_cast<Index>(character_.skeleton.joints.size()));
    if (open.size() > kMaxJointDepth) throw_at(words_.line(), "the joints are nested more than 1000 deep");
    character_.skeleton.joints.push_back(std::move(joint));
    joints_.emplace_back();
  }

  std::string unique_name(std::string_view name) {
    const std::string base = name.empty() ? "joint" : std::string(name);
    std::string result = base;
    if (names_.count(result) != 0) repeated_.add(static_cast<Index>(joints_.size()));
    for (int& n = next_number_[base]; names_.count(result) != 0;) result = base + "." + std::to_string(++n);
    names_.insert(result);
    return result;
  }

  void statement(std::vector<Index>& open) {
    const std::string word = text::lower(words_.next());
    if (word == "joint") {
      begin_joint(open);
    } else if (word == "offset") {
      character_.skeleton.joints[open.back()].rest.translation = vec3();
    } else if (word == "channels") {
      channels(joints_[open.back()]);
    } else if (word == "end") {
      character_.skeleton.joints[open.back()].tail = end_site();
    } else if (word == "}") {
      open.pop_back();
    } else if (word.empty()) {
      throw_bad_input("the BVH ends inside its HIERARCHY");
    } else {
      throw_at(words_.line(), "unknown word " + text::quoted(word) + " in the HIERARCHY");
    }
  }

  void channels(BvhJoint& joint) {
    const std::int64_t count = words_.integer();
    if (count < 0 || count > 6) throw_at(words_.line(), "CHANNELS needs a count from 0 to 6");
    if (!joint.channels.empty()) throw_at(words_.line(), "a joint has CHANNELS twice");
    joint.first = values_per_frame_;
    std::set<std::pair<bool, int>> seen;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::string word = text::lower(words_.next());
      const bool rotation = word.ends_with("rotation");
      if (word.empty() || word[0] < 'x' || word[0] > 'z' || (!rotation && !word.ends_with("position")) ||
          word.size() != 9) {
        throw_at(words_.line(), "unknown channel " + text::quoted(word));
      }
      joint.channels.push_back({rotation, word[0] - 'x'});
      if (!seen.insert({rotation, word[0] - 'x'}).second) {
        throw_at(words_.line(), "the channel " + text::quoted(word) + " stands twice in one joint");
      }
    }
    values_per_frame_ += joint.channels.size();
  }

  Vec3 end_site() {
    words_.rest_of_line();  // "Site", and with some writers a name
    Vec3 offset = Vec3::Zero();
    expect("{");
    for (std::string word = text::lower(words_.next()); word != "}"; word = text::lower(words_.next())) {
      if (word == "offset") {
        offset = vec3();
      } else if (word == "channels" && words_.next() == "0") {
        continue;
      } else {
        throw_at(words_.line(), "unknown word " + text::quoted(word) + " in an End Site");
      }
    }
    return offset;
  }

  void expect(const char* wanted) {
    const std::string_view word = words_.next();
    if (word != wanted) {
      throw_at(words_.line(), text::quoted(word) + " stands where \"" + wanted + "\" should");
    }
  }

  Vec3 vec3() {
    const double x = words_.finite();
    const double y = words_.finite();
    return {x, y, words_.finite()};
  }

  void motion() {
    if (text::lower(words_.next()) != "frames:") throw_at(words_.line(), "\"Frames:\" should follow MOTION");
    const std::int64_t announced = words_.integer();
    if (announced < 0) throw_at(words_.line(), "the number of frames is negative");
    if (text::lower(words_.next()) != "frame" || text::lower(words_.next()) != "time:") {
      throw_at(words_.line(), "\"Frame Time:\" should follow the number of frames");
    }
    frame_time_ = words_.finite();
    if (frame_time_ < 1e-9 || frame_time_ > 1e6) {
      throw_at(words_.line(), "the frame time must lie between 1e-9 and 1e6 seconds");
    }
    read_values(announced);
  }

  /// Reads what is there, not what is announced: memory is bounded by the file's size.
  void read_values(std::int64_t announced) {
    const std::size_t width = values_per_frame_;
    if (width == 0) return;
    // Each value takes two bytes at least.
    const std::size_t possible = bytes_ / (2 * width) + 1;
    const std::size_t limit = std::min<std::size_t>(static_cast<std::size_t>(announced), possible) * width;
    values_.reserve(limit);
    std::string_view word = words_.next();
    while (!word.empty() && values_.size() < limit) {
      const auto value = text::to_double(word);
      if (!value) throw_at(words_.line(), text::quoted(word) + " stands where a number should");
      if (!std::isfinite(*value)) throw_at(words_.line(), "a number is not finite");
      values_.push_back(*value);
      word = words_.next();
    }
    const std::size_t partial = values_.size() % width;
    values_.resize(values_.size() - partial);
    frames_ = values_.size() / width;
    if (static_cast<std::int64_t>(frames_) < announced) {
      warn("bvh-fewer-frames", std::to_string(announced) + " frames are announced, but only " +
                                   std::to_string(frames_) + " are complete: the rest is left out");
    } else if (!word.empty()) {
      warn("bvh-more-values", "values follow after the last announced frame: they are left out");
    }
  }

  void warn(const char* code, std::string sentence) {
    character_.problems.push_back({Severity::warning, code, std::move(sentence), {}, 1});
  }

  /// Most writers give a joint's whole local translation in its position channels, some (MakeHuman) the part that is
  /// added to the OFFSET. Roots are read in the first way; for the others the values tell: they lie near the OFFSETs,
  /// or near zero.
  void rest_position_mode() {
    double from_offset = 0;
    double from_zero = 0;
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      if (character_.skeleton.joints[j].parent == kNone) continue;
      const Vec3& offset = character_.skeleton.joints[j].rest.translation;
      for_positions(joints_[j], [&](int axis, double value) {
        from_offset += std::abs(value - offset[axis]);
        from_zero += std::abs(value);
      });
    }
    added_to_offset_ = from_zero < from_offset;
    if (added_to_offset_) {
      character_.problems.push_back({Severity::note,
                                     "bvh-positions-added",
                                     "position channels below the root are near zero: they are added to the OFFSET",
                                     {},
                                     1});
    }
  }

  template <class Visit>
  void for_positions(const BvhJoint& joint, Visit&& visit) const {
    for (std::size_t c = 0; c < joint.channels.size(); ++c) {
      if (joint.channels[c].rotation) continue;
      for (std::size_t f = 0; f < frames_; ++f) {
        visit(joint.channels[c].axis, values_[f * values_per_frame_ + joint.first + c]);
      }
    }
  }

  void build_clip() {
    if (frames_ == 0) return;
    Clip clip;
    clip.name = "motion";
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      if (joints_[j].has(/*rotation=*/false)) clip.channels.push_back(translations(j));
      if (joints_[j].has(/*rotation=*/true)) clip.channels.push_back(rotations(j));
    }
    character_.clips.push_back(std::move(clip));
  }

  Channel channel(std::size_t joint, ChannelPath path, Index width) const {
    Channel channel;
    channel.joint = static_cast<Index>(joint);
    channel.path = path;
    channel.width = width;
    channel.times.resize(frames_);
    for (std::size_t f = 0; f < frames_; ++f) channel.times[f] = static_cast<double>(f) * frame_time_;
    channel.values.reserve(frames_ * static_cast<std::size_t>(width));
    return channel;
  }

  Channel translations(std::size_t j) const {
    Channel result = channel(j, ChannelPath::translation, 3);
    const Joint& joint = character_.skeleton.joints[j];
    const bool add = added_to_offset_ && joint.parent != kNone;
    for (std::size_t f = 0; f < frames_; ++f) {
      Vec3 t = joint.rest.translation;
      const double* values = values_.data() + f * values_per_frame_ + joints_[j].first;
      for (std::size_t c = 0; c < joints_[j].channels.size(); ++c) {
        const BvhChannel& ch = joints_[j].channels[c];
        if (!ch.rotation) t[ch.axis] = values[c] + (add ? t[ch.axis] : 0);
      }
      result.values.insert(result.values.end(), {t[0], t[1], t[2]});
    }
    return result;
  }

  Channel rotations(std::size_t j) const {
    Channel result = channel(j, ChannelPath::rotation, 4);
    Quat last = Quat::Identity();
    for (std::size_t f = 0; f < frames_; ++f) {
      Quat q = Quat::Identity();
      const double* values = values_.data() + f * values_per_frame_ + joints_[j].first;
      for (std::size_t c = 0; c < joints_[j].channels.size(); ++c) {
        const BvhChannel& ch = joints_[j].channels[c];
        if (ch.rotation) q = q * Quat(Eigen::AngleAxisd(values[c] * kRadian, Vec3::Unit(ch.axis)));
      }
      if (q.dot(last) < 0) q.coeffs() = -q.coeffs();
      last = q;
      result.values.insert(result.values.end(), {q.x(), q.y(), q.z(), q.w()});
    }
    return result;
  }

  text::Words words_;
  std::size_t bytes_;
  Character character_;
  std::vector<BvhJoint> joints_;
  std::set<std::string> names_;
  std::map<std::string, int> next_number_;
  ProblemCollector repeated_;
  std::size_t values_per_frame_ = 0;
  std::size_t frames_ = 0;
  double frame_time_ = 0;
  bool added_to_offset_ = false;
  std::vector<double> values_;
};

}  // namespace

Character parse_bvh(std::string_view text) { return BvhParser(text).parse(); }

Character read_bvh(const std::filesystem::path& path) {
  return text::read_named(path, [&](std::string_view bytes) {
    Character character = parse_bvh(bytes);
    character.name = path.stem().string();
    for (Clip& clip : character.clips) clip.name = character.name;
    return character;
  });
}

}  // namespace isochor

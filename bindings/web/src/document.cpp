#include "document.h"

#include <algorithm>
#include <utility>

#include "isochor/base/error.h"
#include "isochor/io/playback.h"
#include "isochor/io/written_character.h"
#include "isochor/sample/sample.h"

namespace isochor::web {
namespace {

namespace fs = std::filesystem;

/// glTF marks joints by skins alone; a skeleton without one, as after attach_skeleton(), would be forgotten.
void carry_over_joints(const Loaded& from, const GltfMap& written, const GltfMap& read, Character& to) {
  for (std::size_t j = 0; j < written.node_of_joint.size() && j < from.character.skeleton.size(); ++j) {
    const Joint& was = from.character.skeleton.joints[j];
    const Index at = read.joint_of_node[written.node_of_joint[j]];
    if (at == kNone || !was.deforms) continue;
    to.skeleton.joints[at].deforms = true;
    if (was.tail) to.skeleton.joints[at].tail = was.tail;
  }
}

const Quat* turn_of(const std::vector<JointTurn>& turns, Index joint) {
  for (const JointTurn& turn : turns) {
    if (turn.joint == joint) return &turn.turn;
  }
  return nullptr;
}

/// The turn acts on the right of each value; tangents of splines go the same way, as the product is linear.
void turn_keys(Channel& channel, const Quat& turn) {
  for (std::size_t i = 0; i + 3 < channel.values.size(); i += 4) {
    Eigen::Map<Eigen::Vector4d> value(channel.values.data() + i);
    value = (Quat(value) * turn).coeffs();
  }
}

Clip pose_as_clip(const Skeleton& skeleton, const std::vector<JointTurn>& turns) {
  Clip clip;
  clip.name = "pose";
  for (const JointTurn& turn : turns) {
    const Quat rest = skeleton.joints[turn.joint].rest.rotation;
    const Quat turned = rest * turn.turn;
    Channel channel{.joint = turn.joint, .path = ChannelPath::rotation, .times = {0, 1}, .width = 4};
    channel.values.assign(rest.coeffs().begin(), rest.coeffs().end());
    channel.values.insert(channel.values.end(), turned.coeffs().begin(), turned.coeffs().end());
    clip.channels.push_back(std::move(channel));
  }
  return clip;
}

/// Everything in one piece: what is saved later has no folder to find buffers and images in.
void take_in(GltfDocument& document) {
  if (document.external_files().empty()) return;
  document = GltfDocument::parse(document.to_whole_glb());
}

}  // namespace

Clip turned(const Clip& clip, const Skeleton& skeleton, const std::vector<JointTurn>& turns) {
  Clip out = clip;
  for (const JointTurn& turn : turns) {
    const auto found = std::find_if(out.channels.begin(), out.channels.end(), [&](const Channel& c) {
      return c.joint == turn.joint && c.path == ChannelPath::rotation;
    });
    if (found != out.channels.end()) continue;
    const Eigen::Vector4d value = (skeleton.joints[turn.joint].rest.rotation * turn.turn).coeffs();
    Channel channel{.joint = turn.joint, .path = ChannelPath::rotation, .times = {clip.start()}, .width = 4};
    channel.values.assign(value.begin(), value.end());
    out.channels.push_back(std::move(channel));
  }
  for (std::size_t c = 0; c < clip.channels.size(); ++c) {
    Channel& channel = out.channels[c];
    const Quat* turn = channel.path == ChannelPath::rotation ? turn_of(turns, channel.joint) : nullptr;
    if (turn != nullptr) turn_keys(channel, *turn);
  }
  return out;
}

Document Document::from(const Loaded& loaded) {
  WrittenCharacter written = as_written(loaded);
  take_in(written.source().document);
  const GltfReadOptions read{.require_triangles = false};
  Document document;
  document.file_ = std::make_unique<Loaded>();
  GltfCharacter polygons = read_gltf(written.source().document, read);
  document.file_->character = std::move(polygons.character);
  document.file_->character.name = loaded.character.name;
  document.file_->character.problems = loaded.character.problems;
  for (const Problem& problem : written.problems()) document.file_->character.problems.push_back(problem);
  document.file_->path = loaded.path;
  carry_over_joints(loaded, written.source().map, polygons.map, document.file_->character);
  document.settings_ = plan_volume(&written.source()).value();
  document.file_->as_read = GltfSource{std::move(written.source().document), std::move(polygons.map)};

  GltfReadOptions triangles = read;
  triangles.polygons = false;
  document.shown_ = std::make_unique<Character>(read_gltf(document.file_->as_read->document, triangles).character);
  document.shown_->skeleton = document.file_->character.skeleton;
  document.shown_->name = document.file_->character.name;
  document.shown_->problems = document.file_->character.problems;
  return document;
}

Document Document::open(const fs::path& file, const fs::path& skeleton, Context& context) {
  Loaded loaded = load_character(file, {}, context);
  if (!skeleton.empty()) attach_skeleton(loaded.character, skeleton, context);
  return from(loaded);
}

Document Document::sample(const std::string& name, Context& context) {
  Loaded loaded;
  loaded.character = make_sample(name, {}, context);
  loaded.path = name + ".glb";
  return from(loaded);
}

void Document::take(const BindResult& result) {
  apply(result, *shown_);
  weights_ = result;
  bound_ = true;
}

BindResult Document::bind(const BindOptions& options, const std::string& key, Context& context) {
  const Falloffs falloffs{options.falloff, options.joint_falloff};
  if (binding_ && binding_key_ == key) return weigh(falloffs, context);
  // If it is stopped on the way, the old distances go on with the old weights.
  CharacterBinding binding(file_->character, options, context);
  BindResult result = binding.weigh(falloffs, context);
  binding_ = std::move(binding);
  binding_key_ = key;
  take(result);
  return result;
}

BindResult Document::weigh(const Falloffs& falloffs, Context& context) {
  if (!binding_) throw_bad_input("the character has not been bound yet, so its falloff cannot change");
  BindResult result = binding_->weigh(falloffs, context);
  take(result);
  return result;
}

void Document::unbind() {
  const Character& file = file_->character;
  for (std::size_t p = 0; p < file.parts.size(); ++p) {
    // Everything but the faces, which are triangles here.
    Part part = file.parts[p];
    part.surface = std::move(shown_->parts[p].surface);
    part.face_material = std::move(shown_->parts[p].face_material);
    shown_->parts[p] = std::move(part);
  }
  for (std::size_t j = 0; j < file.skeleton.size(); ++j) {
    shown_->skeleton.joints[j].deforms = file.skeleton.joints[j].deforms;
  }
  weights_.reset();
  bound_ = false;
}

BroughtMotion Document::add_motion(const fs::path& file, const MotionOptions& options, Context& context) {
  BroughtMotion motion = bring_motion(*shown_, file, options, context);
  file_->character.clips.push_back(shown_->clips.back());
  return motion;
}

void Document::remove_clip(Index clip) {
  if (clip < 0 || static_cast<std::size_t>(clip) >= shown_->clips.size()) throw_bad_input("there is no such clip");
  shown_->clips.erase(shown_->clips.begin() + clip);
  file_->character.clips.erase(file_->character.clips.begin() + clip);
}

Loaded Document::to_save(const std::vector<JointTurn>& turns) const {
  Loaded out = *file_;
  if (weights_) apply(*weights_, out.character);
  if (turns.empty()) return out;
  if (out.character.clips.empty()) {
    out.character.clips.push_back(pose_as_clip(out.character.skeleton, turns));
    return out;
  }
  for (Clip& clip : out.character.clips) clip = turned(clip, out.character.skeleton, turns);
  return out;
}

}  // namespace isochor::web

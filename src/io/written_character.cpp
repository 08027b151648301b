#include "isochor/io/written_character.h"

#include <algorithm>

#include "isochor/base/error.h"
#include "isochor/io/gltf_edit.h"
#include "isochor/io/gltf_write.h"
#include "read_again.h"

namespace isochor {
namespace {

bool same(const Skin& a, const Skin& b) {
  return a.joints == b.joints &&
         std::equal(a.inverse_bind.begin(), a.inverse_bind.end(), b.inverse_bind.begin(), b.inverse_bind.end(),
                    [](const Affine& x, const Affine& y) { return x.matrix() == y.matrix(); });
}

bool same(const Transform& a, const Transform& b) {
  return a.translation == b.translation && a.rotation.coeffs() == b.rotation.coeffs() && a.scale == b.scale &&
         a.shear == b.shear;
}

bool same(const Channel& a, const Channel& b) {
  return a.joint == b.joint && a.path == b.path && a.interpolation == b.interpolation && a.width == b.width &&
         a.times == b.times && a.values == b.values;
}

bool same(const Clip& a, const Clip& b) {
  return a.name == b.name && std::equal(a.channels.begin(), a.channels.end(), b.channels.begin(), b.channels.end(),
                                        [](const Channel& x, const Channel& y) { return same(x, y); });
}

[[noreturn]] void refuse(const std::string& what) {
  throw_unsupported(what +
                    " changed since the file was read, which its document cannot take over; save the character "
                    "alone to write a new file");
}

void check_geometry(const Character& known, const Character& character) {
  if (known.parts.size() != character.parts.size()) refuse("the number of meshes");
  for (std::size_t p = 0; p < known.parts.size(); ++p) {
    const Surface& a = known.parts[p].surface;
    const Surface& b = character.parts[p].surface;
    if (a.positions != b.positions || a.corners != b.corners || a.face_begin != b.face_begin) {
      refuse("the mesh " + character.parts[p].name);
    }
  }
}

void check_joints(const Skeleton& known, const Skeleton& skeleton) {
  if (skeleton.size() < known.size()) refuse("the number of joints");
  for (std::size_t j = 0; j < known.size(); ++j) {
    const Joint& a = known.joints[j];
    const Joint& b = skeleton.joints[j];
    if (a.name != b.name || a.parent != b.parent || !same(a.rest, b.rest)) refuse("the joint " + b.name);
  }
}

bool update_skins(GltfSource& source, const Character& known, const Character& character) {
  bool changed = false;
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const Part& was = known.parts[p];
    const Part& part = character.parts[p];
    if (same(was.skin, part.skin) && was.weights == part.weights) continue;
    changed = true;
    if (part.skinned()) {
      replace_weights(source, static_cast<Index>(p), part.skin, part.weights);
    } else {
      remove_skin(source, static_cast<Index>(p));
    }
  }
  return changed;
}

bool update_clips(GltfSource& source, const Character& known, const Character& character, std::vector<Index>& clip) {
  clip.assign(character.clips.size(), kNone);
  std::vector<Index> kept;
  for (std::size_t i = 0; i < clip.size(); ++i) {
    for (std::size_t k = 0; k < known.clips.size(); ++k) {
      const auto index = static_cast<Index>(k);
      if (!same(known.clips[k], character.clips[i]) || std::find(kept.begin(), kept.end(), index) != kept.end())
        continue;
      clip[i] = index;
      kept.push_back(index);
      break;
    }
  }
  bool changed = false;
  if (kept.size() < known.clips.size()) {
    remove_clips_except(source, kept);
    std::sort(kept.begin(), kept.end());
    for (Index& c : clip) {
      if (c != kNone) c = static_cast<Index>(std::lower_bound(kept.begin(), kept.end(), c) - kept.begin());
    }
    changed = true;
  }
  for (std::size_t i = 0; i < clip.size(); ++i) {
    if (clip[i] != kNone) continue;
    clip[i] = add_clip(source, character.clips[i]);
    changed = true;
  }
  return changed;
}

/// The clips that were read which stand for those of the map that the document was made by.
void find_clips(std::span<const Index> animations, const GltfMap& read, std::vector<Index>& clips) {
  for (Index& clip : clips) {
    const Index animation = clip == kNone ? kNone : animations[clip];
    const auto found = std::find(read.animation_of_clip.begin(), read.animation_of_clip.end(), animation);
    const bool there = animation != kNone && found != read.animation_of_clip.end();
    clip = there ? static_cast<Index>(found - read.animation_of_clip.begin()) : kNone;
  }
}

/// By joint of the loaded character, of which `made` knows the nodes.
std::vector<Index> find_joints(const GltfMap& made, const GltfMap& read) {
  std::vector<Index> joints;
  for (const Index node : made.node_of_joint) joints.push_back(node == kNone ? kNone : read.joint_of_node[node]);
  return joints;
}

/// A mesh that cannot hang from its joint's own node has one of its own, which has its weights too.
std::vector<Index> find_carriers(const Character& loaded, const GltfMap& made, const GltfMap& read,
                                 std::vector<Index> joints) {
  for (std::size_t p = 0; p < std::min(loaded.parts.size(), made.parts.size()); ++p) {
    const Index joint = loaded.parts[p].node, node = made.parts[p].node;
    if (joint != kNone && node != kNone) joints[joint] = read.joint_of_node[node];
  }
  return joints;
}

bool all_triangles(const Character& character) {
  return std::all_of(character.parts.begin(), character.parts.end(),
                     [](const Part& part) { return part.surface.corners.size() == 3 * part.surface.face_count(); });
}

}  // namespace

bool bring_up_to_date(GltfSource& source, const Character& character, std::vector<Index>& clip) {
  const Character known = read_gltf(source.document, read_again({.polygons = true})).character;
  check_geometry(known, character);
  check_joints(known.skeleton, character.skeleton);
  const bool more_joints = character.skeleton.size() > known.skeleton.size();
  if (more_joints) add_joints(source, character.skeleton);
  const bool skins = update_skins(source, known, character);
  const bool clips = update_clips(source, known, character, clip);
  return more_joints || skins || clips;
}

Pose WrittenCharacter::pose(const Pose& loaded) const {
  const Skeleton& skeleton = character_->skeleton;
  if (loaded.local.size() != loaded_.size()) throw_bad_input("the pose is of another skeleton");
  std::vector<Index> source(skeleton.size(), kNone);
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    if (joints_[j] != kNone) source[joints_[j]] = static_cast<Index>(j);
  }
  Pose out = rest_pose(skeleton);
  const std::vector<Affine> wanted = global_transforms(loaded_, loaded);
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    if (source[j] == kNone) continue;
    const Index parent = skeleton.joints[j].parent, parent_then = loaded_.joints[source[j]].parent;
    const Index parent_now = parent_then == kNone ? kNone : joints_[parent_then];
    if (parent_now == parent) {
      out.local[j] = loaded.local[source[j]];
    } else {
      // The file has nodes in between: joints with shear are several there.
      const std::vector<Affine> so_far = global_transforms(skeleton, out);
      const Affine above = parent == kNone ? Affine::Identity() : so_far[parent];
      out.local[j] = to_transform(above.inverse() * wanted[source[j]]);
    }
  }
  if (loaded.morph_weights.empty()) return out;
  out.morph_weights.resize(skeleton.size());
  for (std::size_t j = 0; j < carriers_.size(); ++j) {
    if (carriers_[j] != kNone) out.morph_weights[carriers_[j]] = loaded.morph_weights[j];
  }
  return out;
}

WrittenCharacter as_written(const Loaded& loaded, BakeForm form) {
  WrittenCharacter file;
  file.form_ = form;
  bool as_loaded = false;
  if (loaded.as_read) {
    file.source_ = *loaded.as_read;
    const bool changed = bring_up_to_date(file.source_, loaded.character, file.clips_);
    as_loaded = !changed && all_triangles(loaded.character);
  } else {
    GltfWritten written = write_gltf(loaded.character);
    file.source_ = std::move(written.source);
    file.problems_ = std::move(written.problems);
    for (std::size_t c = 0; c < loaded.character.clips.size(); ++c) file.clips_.push_back(static_cast<Index>(c));
  }
  Character character;
  const GltfMap made = file.source_.map;
  if (as_loaded) {
    character = loaded.character;
  } else {
    GltfCharacter read = read_gltf(file.source_.document, read_again({.polygons = false}));
    find_clips(file.source_.map.animation_of_clip, read.map, file.clips_);
    character = std::move(read.character);
    file.source_.map = std::move(read.map);
  }
  file.loaded_ = loaded.character.skeleton;
  file.joints_ = find_joints(made, file.source_.map);
  file.carriers_ = find_carriers(loaded.character, made, file.source_.map, file.joints_);
  if (adds_joints(form)) {
    for (Part& part : character.parts) round_weights(part.weights);
  }
  file.character_ = std::make_shared<const Character>(std::move(character));
  return file;
}

}  // namespace isochor

#include "isochor/volume/joint_binding.h"

#include <cmath>

namespace isochor {
namespace {

bool invertible(const Affine& m) {
  const double scale = m.linear().cwiseAbs().maxCoeff();
  return m.matrix().allFinite() && std::abs(m.linear().determinant()) > 1e-12 * scale * scale * scale;
}

Affine inverse_or_identity(const Affine& m) { return invertible(m) ? m.inverse() : Affine::Identity(); }

/// Finds rest space, and the way there from the space of each part.
class RestSpace {
 public:
  explicit RestSpace(const Character& character)
      : character_(character),
        rest_(global_transforms(character.skeleton, rest_pose(character.skeleton))),
        bind_(rest_),
        known_(rest_.size(), 0) {
    for (const Part& part : character.parts) to_rest_.push_back(part.skinned() ? add(part.skin) : Affine::Identity());
    for (std::size_t p = 0; p < character.parts.size(); ++p) {
      if (!character.parts[p].skinned()) to_rest_[p] = from_world_;
    }
    place_others();
  }

  const Affine& to_rest(std::size_t part) const { return to_rest_[part]; }
  std::vector<Affine> take_bind() { return std::move(bind_); }

 private:
  /// Puts the skin's joints into rest space; returns the map from the part's mesh space to it.
  Affine add(const Skin& skin) {
    Affine map = map_to_rest(skin);
    for (std::size_t j = 0; j < skin.joints.size(); ++j) {
      const Index joint = skin.joints[j];
      if (known_[joint] || !invertible(skin.inverse_bind[j])) continue;
      bind_[joint] = map * skin.inverse_bind[j].inverse();
      known_[joint] = 1;
      if (first_ == kNone) {
        first_ = joint;
        from_world_ = bind_[joint] * inverse_or_identity(rest_[joint]);
      }
    }
    return map;
  }

  Affine map_to_rest(const Skin& skin) const {
    if (first_ == kNone) return Affine::Identity();
    for (std::size_t j = 0; j < skin.joints.size(); ++j) {
      if (known_[skin.joints[j]] && invertible(skin.inverse_bind[j])) {
        return bind_[skin.joints[j]] * skin.inverse_bind[j];
      }
    }
    for (std::size_t j = 0; j < skin.joints.size(); ++j) {
      if (invertible(skin.inverse_bind[j])) return from_world_ * rest_[skin.joints[j]] * skin.inverse_bind[j];
    }
    return Affine::Identity();
  }

  void place_others() {
    const auto& joints = character_.skeleton.joints;
    for (std::size_t j = 0; j < joints.size(); ++j) {
      if (known_[j]) continue;
      const Index parent = joints[j].parent;
      bind_[j] = parent == kNone ? from_world_ * rest_[j] : bind_[parent] * to_matrix(joints[j].rest);
    }
  }

  const Character& character_;
  std::vector<Affine> rest_, bind_;
  std::vector<char> known_;
  Index first_ = kNone;
  Affine from_world_ = Affine::Identity();
  std::vector<Affine> to_rest_;
};

}  // namespace

JointBinding joint_binding(const Character& character, const WholeSurface& whole) {
  RestSpace space(character);
  JointBinding binding;
  const Weld& weld = whole.weld;
  std::vector<Influence> row;
  std::size_t p = 0;
  for (std::size_t v = 0; v < weld.first_source.size(); ++v) {
    const Index source = weld.first_source[v];
    while (p > 0 && whole.part_begin[p] > source) --p;
    while (whole.part_begin[p + 1] <= source) ++p;
    const Part& part = character.parts[p];
    row.clear();
    if (part.skinned()) {
      for (const Influence& i : part.weights.row(source - whole.part_begin[p])) {
        if (i.weight > 0) row.push_back({part.skin.joints[i.joint], i.weight});
      }
    } else if (part.node != kNone) {
      row.push_back({part.node, 1.0});
    }
    binding.weights.add_row(row);
    binding.rest.push_back(space.to_rest(p) * weld.surface.positions[v]);
  }
  binding.bind = space.take_bind();
  for (const Affine& m : binding.bind) binding.inverse_bind.push_back(inverse_or_identity(m));
  const Box box = bounding_box(binding.rest);
  if (!box.isEmpty() && box.diagonal().norm() > 0) binding.size = box.diagonal().norm();
  return binding;
}

}  // namespace isochor

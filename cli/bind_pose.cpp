#include "bind_pose.h"

#include <algorithm>

namespace isochor::cli {

std::vector<Affine> bind_matrices(const Character& character) {
  auto matrices = global_transforms(character.skeleton, rest_pose(character.skeleton));
  const auto first =
      std::find_if(character.parts.begin(), character.parts.end(), [](const Part& part) { return part.skinned(); });
  if (first == character.parts.end()) return matrices;
  const Affine to_mesh = (matrices[first->skin.joints[0]] * first->skin.inverse_bind[0]).inverse();
  for (Affine& matrix : matrices) matrix = to_mesh * matrix;
  // Where skins disagree the first one counts.
  for (std::size_t p = character.parts.size(); p-- > 0;) {
    const Skin& skin = character.parts[p].skin;
    for (std::size_t j = 0; j < skin.joints.size(); ++j) matrices[skin.joints[j]] = skin.inverse_bind[j].inverse();
  }
  return matrices;
}

}  // namespace isochor::cli

#include "bake/twin_shares.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace isochor {
namespace {

/// A blend that is fainter than this is none: shares would be many and bring nothing.
constexpr double kFaintBlend = 0.02;

/// Joint, bone and component.
using TwinKey = std::array<Index, 3>;

/// A twin that a row could get, and its share.
struct TwinShareWish {
  TwinKey twin;
  std::size_t place = 0;  ///< of the bone, in the row
  double blend = 0;       ///< 4 s (1 - s)
};

/// The joints of one part's skin, as a tree of their own.
class SkinTree {
 public:
  SkinTree(const Part& part, const Skeleton& skeleton) : part_(part), slot_(skeleton.size(), kNone) {
    const auto& joints = part.skin.joints;
    for (std::size_t s = joints.size(); s-- > 0;) slot_[joints[s]] = static_cast<Index>(s);
    for (const Index joint : joints) {
      Index above = skeleton.joints[joint].parent;
      while (above != kNone && slot_[above] == kNone) above = skeleton.joints[above].parent;
      parent_.push_back(above == kNone ? kNone : slot_[above]);
    }
  }

  Index slot(Index joint) const { return slot_[joint]; }

  /// What twins a row could get. Where the weight s of a joint's subtree is neither 0 nor 1 the skin blends across the
  /// joint, and 4 s (1 - s) has the shape of what linear blending loses there (docs/design/volume.md).
  std::vector<TwinShareWish> wishes(std::span<const Influence> row, Index component) const {
    std::map<Index, double> below;  // by slot: the weight of its subtree
    for (const Influence& i : row) {
      for (Index s = i.joint; s != kNone; s = parent_[s]) below[s] += i.weight;
    }
    const auto& joints = part_.skin.joints;
    std::vector<TwinShareWish> out;
    for (const auto& [slot, weight] : below) {
      const double blend = 4 * weight * (1 - weight);
      if (blend < kFaintBlend) continue;
      for (const Index bone : {slot, parent_[slot]}) {
        for (std::size_t k = 0; bone != kNone && k < row.size(); ++k) {
          if (row[k].joint == bone) out.push_back({{joints[slot], joints[bone], component}, k, std::min(blend, 1.0)});
        }
      }
    }
    return out;
  }

 private:
  const Part& part_;
  std::vector<Index> slot_;    // by joint of the skeleton
  std::vector<Index> parent_;  // by slot: the nearest joint of the skin above
};

/// Where a joint of a skin was bound, in the space of another, as a file's floats have it.
Vec3 bound_place(const Part& part, Index joint_slot, Index bone_slot) {
  if (joint_slot == bone_slot) return Vec3::Zero();
  const Affine& inverse = part.skin.inverse_bind[joint_slot];
  if (inverse.linear().determinant() == 0) return Vec3::Zero();
  const Vec3 at = part.skin.inverse_bind[bone_slot] * inverse.inverse().translation();
  return at.allFinite() ? Vec3(at.cast<float>().cast<double>()) : Vec3::Zero();
}

Index component_of(const WeldedCharacter& welded, std::size_t part, std::size_t vertex) {
  return welded.topology().component_of_vertex[welded.whole().welded(part, vertex)];
}

/// A row with shares in it. What the bones keep and what their twins take add up to what they had, to the last bit:
/// every number is a multiple of kWeightUnit.
std::vector<Influence> shared_row(std::span<const Influence> row, std::vector<TwinShareWish> wishes,
                                  const std::map<TwinKey, Index>& twins, Index influences, Index slots) {
  std::erase_if(wishes, [&](const TwinShareWish& wish) { return !twins.contains(wish.twin); });
  const auto share = [&](const TwinShareWish& wish) { return wish.blend * row[wish.place].weight; };
  std::stable_sort(wishes.begin(), wishes.end(), [&](const TwinShareWish& a, const TwinShareWish& b) {
    return share(a) != share(b) ? share(a) > share(b) : a.twin < b.twin;
  });
  const auto room = static_cast<std::size_t>(std::max<Index>(0, influences - static_cast<Index>(row.size())));
  std::vector<double> blends(row.size(), 0.0);
  if (wishes.size() > room) {
    std::vector<bool> taken(row.size(), false);
    for (std::size_t i = 0; i < room; ++i) taken[wishes[i].place] = true;
    for (std::size_t i = room; i < wishes.size(); ++i) {
      wishes[i].blend = !taken[wishes[i].place] && wishes[i].blend > 0.5 ? 1 : 0;
      if (wishes[i].blend > 0) taken[wishes[i].place] = true;
    }
    std::erase_if(wishes, [](const TwinShareWish& wish) { return wish.blend == 0; });
  }
  for (const TwinShareWish& wish : wishes) blends[wish.place] += wish.blend;
  std::vector<Influence> out(row.begin(), row.end());
  for (const TwinShareWish& wish : wishes) {
    const double part = share(wish) / std::max(1.0, blends[wish.place]);
    const double taken = std::min(std::floor(part / kWeightUnit) * kWeightUnit, out[wish.place].weight);
    if (!(taken > 0)) continue;
    out[wish.place].weight -= taken;
    out.push_back({slots + twins.at(wish.twin), taken});
  }
  std::erase_if(out, [](const Influence& i) { return !(i.weight > 0); });
  return out;
}

}  // namespace

std::vector<Twin> possible_twins(const WeldedCharacter& welded) {
  constexpr double kFirm = 0.05;                          // a share that counts
  constexpr std::size_t kFewest = 4;                      // vertices: an affine map has as many points
  std::map<TwinKey, std::pair<std::size_t, Vec3>> found;  // firm vertices, pivot
  const Character& character = welded.character();
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const Part& part = character.parts[p];
    if (!part.skinned()) continue;
    const SkinTree tree(part, character.skeleton);
    for (std::size_t v = 0; v < part.surface.vertex_count(); ++v) {
      if (!welded.whole().leads(p, v)) continue;
      const auto row = part.weights.row(v);
      for (const TwinShareWish& wish : tree.wishes(row, component_of(welded, p, v))) {
        auto [at, is_new] = found.try_emplace(wish.twin, 0, Vec3::Zero());
        if (is_new) at->second.second = bound_place(part, tree.slot(wish.twin[0]), tree.slot(wish.twin[1]));
        if (wish.blend * row[wish.place].weight > kFirm) ++at->second.first;
      }
    }
  }
  std::vector<Twin> twins;
  for (const auto& [key, value] : found) {
    if (value.first >= kFewest) twins.push_back({key[0], key[1], key[2], value.second});
  }
  return twins;
}

std::vector<SkinWeights> share_weights(const WeldedCharacter& welded, std::span<const Twin> twins, Index influences) {
  const Character& character = welded.character();
  std::map<TwinKey, Index> number;
  for (std::size_t q = 0; q < twins.size(); ++q) {
    number[{twins[q].joint, twins[q].bone, twins[q].component}] = static_cast<Index>(q);
  }
  std::vector<SkinWeights> out(character.parts.size());
  for (std::size_t p = 0; p < out.size(); ++p) {
    const Part& part = character.parts[p];
    if (!part.skinned()) continue;
    const SkinTree tree(part, character.skeleton);
    const auto slots = static_cast<Index>(part.skin.joints.size());
    bool shares = false;
    for (std::size_t v = 0; v < part.surface.vertex_count(); ++v) {
      const auto row = part.weights.row(v);
      out[p].add_row(shared_row(row, tree.wishes(row, component_of(welded, p, v)), number, influences, slots));
      shares = shares || std::any_of(out[p].influences.begin() + out[p].begin[v], out[p].influences.end(),
                                     [&](const Influence& i) { return i.joint >= slots; });
    }
    if (!shares) out[p] = {};
  }
  return out;
}

}  // namespace isochor

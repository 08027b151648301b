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
          if (row[k].joint == bone && is_first_slot(part_.skin, bone))
            out.push_back({{joints[slot], joints[bone], component}, k, std::min(blend, 1.0)});
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

/// The shares that a row gets of some twins.
std::vector<TwinShareOfRow> granted(std::span<const Influence> row, std::vector<TwinShareWish> wishes,
                                    const std::map<TwinKey, Index>& twins, Index influences) {
  std::erase_if(wishes, [&](const TwinShareWish& wish) { return !twins.contains(wish.twin); });
  const auto share = [&](const TwinShareWish& wish) { return wish.blend * row[wish.place].weight; };
  std::stable_sort(wishes.begin(), wishes.end(), [&](const TwinShareWish& a, const TwinShareWish& b) {
    return share(a) != share(b) ? share(a) > share(b) : a.twin < b.twin;
  });
  const auto room = static_cast<std::size_t>(std::max<Index>(0, influences - static_cast<Index>(row.size())));
  if (wishes.size() > room) {
    std::vector<bool> taken(row.size(), false);
    for (std::size_t i = 0; i < room; ++i) taken[wishes[i].place] = true;
    for (std::size_t i = room; i < wishes.size(); ++i) {
      wishes[i].blend = !taken[wishes[i].place] && wishes[i].blend > 0.5 ? 1 : 0;
      if (wishes[i].blend > 0) taken[wishes[i].place] = true;
    }
    std::erase_if(wishes, [](const TwinShareWish& wish) { return wish.blend == 0; });
  }
  std::vector<double> blends(row.size(), 0.0);
  for (const TwinShareWish& wish : wishes) blends[wish.place] += wish.blend;
  std::vector<TwinShareOfRow> out;
  out.reserve(wishes.size());
  for (const TwinShareWish& wish : wishes) {
    out.push_back({twins.at(wish.twin), wish.place, share(wish) / std::max(1.0, blends[wish.place])});
  }
  return out;
}

std::map<TwinKey, Index> twin_numbers(std::span<const Twin> twins) {
  std::map<TwinKey, Index> number;
  for (std::size_t q = 0; q < twins.size(); ++q) {
    number[{twins[q].joint, twins[q].bone, twins[q].component}] = static_cast<Index>(q);
  }
  return number;
}

/// The shares of a vertex that leads, in the row of a copy.
std::vector<TwinShareOfRow> copied_shares(const Part& leader, std::span<const Influence> of_leader, const Part& part,
                                          std::span<const Influence> row, std::span<const Twin> twins) {
  const auto slots = static_cast<Index>(leader.skin.joints.size());
  std::vector<TwinShareOfRow> out;
  for (const Influence& i : of_leader) {
    if (i.joint < slots) continue;
    const Index twin = i.joint - slots;
    for (std::size_t k = 0; k < row.size(); ++k) {
      const bool rides = part.skin.joints[row[k].joint] == twins[twin].bone && is_first_slot(part.skin, row[k].joint);
      if (rides) out.push_back({twin, k, i.weight});
    }
  }
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

bool has_own_shares(const WeldedCharacter& welded, std::size_t part, std::size_t vertex) {
  if (welded.whole().leads(part, vertex)) return true;
  const Index stray = welded.stray(part, vertex);
  return stray != kNone && welded.strays()[stray].follows_others;
}

bool is_first_slot(const Skin& skin, Index slot) {
  const auto first = std::find(skin.joints.begin(), skin.joints.end(), skin.joints[slot]);
  return first - skin.joints.begin() == slot;
}

std::vector<std::vector<Index>> twins_near(const WeldedCharacter& welded, std::span<const Twin> twins) {
  const Character& character = welded.character();
  const auto number = twin_numbers(twins);
  std::vector<std::vector<Index>> own(welded.surface().vertex_count());
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const Part& part = character.parts[p];
    if (!part.skinned()) continue;
    const SkinTree tree(part, character.skeleton);
    for (std::size_t v = 0; v < part.surface.vertex_count(); ++v) {
      if (!has_own_shares(welded, p, v)) continue;
      for (const TwinShareWish& wish : tree.wishes(part.weights.row(v), component_of(welded, p, v))) {
        const auto known = number.find(wish.twin);
        if (known != number.end()) own[welded.whole().welded(p, v)].push_back(known->second);
      }
    }
  }
  std::vector<std::vector<Index>> out = own;
  for (const Edge& edge : welded.topology().edges) {
    out[edge.a].insert(out[edge.a].end(), own[edge.b].begin(), own[edge.b].end());
    out[edge.b].insert(out[edge.b].end(), own[edge.a].begin(), own[edge.a].end());
  }
  for (std::vector<Index>& near : out) {
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
  }
  return out;
}

std::vector<Influence> row_with_shares(std::span<const Influence> row, std::span<const TwinShareOfRow> shares,
                                       Index slots) {
  constexpr double kNextToNothing = 64 * kWeightUnit;
  std::vector<Influence> out(row.begin(), row.end());
  std::vector<std::size_t> largest(row.size(), 0);  // by place: of the twins, in `out`; 0: none
  for (const TwinShareOfRow& share : shares) {
    const double taken = std::min(std::floor(share.weight / kWeightUnit) * kWeightUnit, out[share.place].weight);
    if (!(taken > 0)) continue;
    out[share.place].weight -= taken;
    out.push_back({slots + share.twin, taken});
    std::size_t& most = largest[share.place];
    if (most == 0 || taken > out[most].weight) most = out.size() - 1;
  }
  for (std::size_t k = 0; k < row.size(); ++k) {
    if (largest[k] == 0 || out[k].weight > kNextToNothing) continue;
    out[largest[k]].weight += out[k].weight;
    out[k].weight = 0;
  }
  std::erase_if(out, [](const Influence& i) { return !(i.weight > 0); });
  return out;
}

std::vector<SkinWeights> rows_of_copies(const WeldedCharacter& welded, std::span<const Twin> twins,
                                        std::vector<std::vector<std::vector<Influence>>> rows) {
  const auto& parts = welded.character().parts;
  std::vector<SkinWeights> out(parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (!parts[p].skinned()) continue;
    const auto slots = static_cast<Index>(parts[p].skin.joints.size());
    bool shares = false;
    for (std::size_t v = 0; v < parts[p].surface.vertex_count(); ++v) {
      const auto row = parts[p].weights.row(v);
      const PartVertex leader = welded.whole().first_vertex(welded.whole().welded(p, v));
      if (!has_own_shares(welded, p, v)) {
        const Part& of = parts[leader.part];
        const auto taken = of.skinned() ? copied_shares(of, rows[leader.part][leader.vertex], parts[p], row, twins)
                                        : std::vector<TwinShareOfRow>{};
        out[p].add_row(row_with_shares(row, taken, slots));
      } else {
        out[p].add_row(rows[p][v]);
      }
      const auto added = out[p].row(v);
      shares = shares || std::any_of(added.begin(), added.end(), [&](const Influence& i) { return i.joint >= slots; });
    }
    if (!shares) out[p] = {};
  }
  return out;
}

std::vector<SkinWeights> share_weights(const WeldedCharacter& welded, std::span<const Twin> twins, Index influences) {
  const Character& character = welded.character();
  const auto number = twin_numbers(twins);
  std::vector<std::vector<std::vector<Influence>>> rows(character.parts.size());
  for (std::size_t p = 0; p < rows.size(); ++p) {
    const Part& part = character.parts[p];
    rows[p].resize(part.surface.vertex_count());
    if (!part.skinned()) continue;
    const SkinTree tree(part, character.skeleton);
    for (std::size_t v = 0; v < rows[p].size(); ++v) {
      if (!has_own_shares(welded, p, v)) continue;
      const auto row = part.weights.row(v);
      const auto shares = granted(row, tree.wishes(row, component_of(welded, p, v)), number, influences);
      rows[p][v] = row_with_shares(row, shares, static_cast<Index>(part.skin.joints.size()));
    }
  }
  return rows_of_copies(welded, twins, std::move(rows));
}

}  // namespace isochor

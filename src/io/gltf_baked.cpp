#include "gltf_baked.h"

#include <algorithm>

#include "gltf_edit_tools.h"
#include "isochor/io/gltf_edit.h"

namespace isochor {
namespace gltf {

BakedTargets baked_targets(const Json& mesh) {
  const Json* at = &mesh;
  for (const char* key : {"extras", "isochor", "baked"}) {
    at = find(*at, key);
    if (at == nullptr) return {};
  }
  const Json* first = find(*at, "first");
  const Json* count = find(*at, "count");
  constexpr std::size_t kMost = 1'000'000;  // what somebody else wrote there is no reason to count without end
  if (!first || !count || !first->is_number_unsigned() || !count->is_number_unsigned()) return {};
  return {std::min(first->get<std::size_t>(), kMost), std::min(count->get<std::size_t>(), kMost)};
}

void mark_baked(Json& mesh, const BakedTargets& baked) {
  Json& extras = mesh["extras"];
  if (!extras.is_null() && !extras.is_object()) return;
  Json& ours = extras["isochor"];
  if (!ours.is_null() && !ours.is_object()) return;
  ours["baked"] = {{"first", baked.first}, {"count", baked.count}};
}

void unmark_baked(Json& mesh) {
  Json* extras = find(mesh, "extras");
  Json* ours = extras ? find(*extras, "isochor") : nullptr;
  if (!ours || !ours->is_object()) return;
  ours->erase("baked");
  if (ours->empty()) extras->erase("isochor");
  if (extras->empty()) mesh.erase("extras");
}

namespace {

/// Takes the elements of the targets out of an array that has one for each target, or one row of so many after another.
void erase_columns(Json::array_t& values, const BakedTargets& baked, std::size_t width) {
  Json::array_t kept;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t column = width > 0 ? i % width : i;
    if (column < baked.first || column >= baked.first + baked.count) kept.push_back(std::move(values[i]));
  }
  values = std::move(kept);
}

void erase_elements(Json& owner, const char* key, const BakedTargets& baked) {
  Json* values = find(owner, key);
  if (!values || !values->is_array()) return;
  erase_columns(values->get_ref<Json::array_t&>(), baked, 0);
  if (values->empty()) owner.erase(key);
}

/// The weights of all targets of a mesh, in the animations of a node that carries it.
class WeightColumns {
 public:
  WeightColumns(Impl& impl, Index node, std::size_t targets, const BakedTargets& baked)
      : impl_(impl), node_(node), targets_(targets), baked_(baked) {}

  void erase() {
    for (std::size_t a = 0; a < count(impl_.json, "animations"); ++a) {
      Json& animation = item(impl_.json, "animations", a);
      Json* channels = find(animation, "channels");
      if (!channels || !channels->is_array()) continue;
      for (Json& channel : *channels) {
        if (is_ours(channel)) rewrite(animation, channel);
      }
      if (targets_ > baked_.count) continue;
      // No target is left that weights could move.
      std::erase_if(channels->get_ref<Json::array_t&>(), [&](const Json& channel) { return is_ours(channel); });
      if (!channels->empty()) drop_unused_samplers(animation);
    }
  }

 private:
  bool is_ours(const Json& channel) const {
    const Json* target = find(channel, "target");
    const Json* node = target ? find(*target, "node") : nullptr;
    return node && *node == node_ && get_string(*target, "path") == "weights";
  }

  void rewrite(Json& animation, Json& channel) {
    const std::size_t kept = targets_ - baked_.count;
    const auto sampler = get_index(channel, "sampler", count(animation, "samplers"), {"channel", 0});
    if (kept == 0 || !sampler) return;
    Json own = item(animation, "samplers", at(*sampler));
    const auto output = get_index(own, "output", count(impl_.json, "accessors"), {"sampler", at(*sampler)});
    if (!output) return;
    const std::vector<double> values = read_doubles(impl_, *output, 1, "animation values");
    if (values.size() % targets_ != 0) return;  // the reader says what is wrong with it
    std::vector<float> left;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t column = i % targets_;
      if (column < baked_.first || column >= baked_.first + baked_.count) left.push_back(static_cast<float>(values[i]));
    }
    own["output"] = append_floats(impl_, "SCALAR", left, Usage::plain);
    animation["samplers"].push_back(std::move(own));
    channel["sampler"] = animation["samplers"].size() - 1;
    drop_unused_samplers(animation);
  }

  Impl& impl_;
  Index node_;
  std::size_t targets_;
  const BakedTargets& baked_;
};

std::size_t target_count_of(const Json& mesh) {
  const Json* primitives = find(mesh, "primitives");
  if (!primitives || !primitives->is_array() || primitives->empty()) return 0;
  const Json* targets = find((*primitives)[0], "targets");
  return targets && targets->is_array() ? targets->size() : 0;
}

void remove_from(Impl& impl, std::size_t mesh_index, std::size_t targets, const BakedTargets& baked) {
  for (std::size_t n = 0; n < count(impl.json, "nodes"); ++n) {
    const Json* used = find(item(impl.json, "nodes", n), "mesh");
    if (!used || *used != mesh_index) continue;
    WeightColumns(impl, static_cast<Index>(n), targets, baked).erase();
    erase_elements(item(impl.json, "nodes", n), "weights", baked);
  }
  Json& mesh = item(impl.json, "meshes", mesh_index);
  for (Json& primitive : mesh["primitives"]) erase_elements(primitive, "targets", baked);
  erase_elements(mesh, "weights", baked);
  if (Json* extras = find(mesh, "extras")) erase_elements(*extras, "targetNames", baked);
  unmark_baked(mesh);
}

void drop_empty_animations(Json& root) {
  std::vector<bool> keep;
  for (std::size_t a = 0; a < count(root, "animations"); ++a) {
    const Json* channels = find(item(root, "animations", a), "channels");
    keep.push_back(!channels || !channels->empty());
  }
  if (std::find(keep.begin(), keep.end(), false) != keep.end()) filter(root, "animations", keep);
}

}  // namespace
}  // namespace gltf

std::size_t remove_baked_targets(GltfDocument& document) {
  GltfDocument edited = document;
  gltf::Impl& impl = edited.impl();
  std::size_t removed = 0;
  for (std::size_t m = 0; m < gltf::count(impl.json, "meshes"); ++m) {
    const gltf::Json& mesh = gltf::item(impl.json, "meshes", m);
    gltf::BakedTargets baked = gltf::baked_targets(mesh);
    const std::size_t targets = gltf::target_count_of(mesh);
    if (baked.first >= targets) continue;
    baked.count = std::min(baked.count, targets - baked.first);
    if (baked.count == 0) continue;
    gltf::remove_from(impl, m, targets, baked);
    removed += baked.count;
  }
  if (removed == 0) return 0;
  gltf::drop_empty_animations(impl.json);
  document = std::move(edited);
  return removed;
}

}  // namespace isochor

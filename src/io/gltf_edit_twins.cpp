#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <set>

#include "gltf_edit_tools.h"
#include "gltf_twins.h"
#include "isochor/io/gltf_edit.h"

namespace isochor {
namespace gltf {

bool is_twin(const Json& node) {
  const Json* extras = find(node, "extras");
  const Json* ours = extras ? find(*extras, "isochor") : nullptr;
  const Json* twin = ours ? find(*ours, "twin") : nullptr;
  return twin && twin->is_boolean() && twin->get<bool>();
}

void mark_twin(Json& node) { node["extras"]["isochor"]["twin"] = true; }

void unmark_twin(Json& node) {
  if (!is_twin(node)) return;
  Json& extras = node["extras"];
  extras["isochor"].erase("twin");
  if (extras["isochor"].empty()) extras.erase("isochor");
  if (extras.empty()) node.erase("extras");
}

}  // namespace gltf

namespace {

using namespace gltf;

/// 16 floats for each joint of a skin, as the file has them.
std::vector<float> inverse_bind_floats(const Impl& impl, const Json& skin, std::size_t joints) {
  std::vector<float> out;
  if (const Json* accessor = find(skin, "inverseBindMatrices")) {
    for (const double x : read_doubles(impl, accessor->get<Index>(), 16, "inverse bind matrices")) {
      out.push_back(static_cast<float>(x));
    }
  } else {
    for (std::size_t i = 0; i < 16 * joints; ++i) out.push_back(i % 16 % 5 == 0 ? 1.0f : 0.0f);
  }
  out.resize(16 * joints);
  return out;
}

/// Adds twins, their weights and their animation.
class TwinAdder {
 public:
  TwinAdder(GltfSource& source, const Character& character, const TwinJoints& twins)
      : source_(source), impl_(source.document.impl()), character_(character), twins_(twins) {}

  /// Returns the names of the twins.
  std::vector<std::string> add() {
    add_nodes();
    gather_skins();
    for (const auto& [skin, places] : places_) extend_skin(at(skin), places);
    for (std::size_t p = 0; p < twins_.weights.size(); ++p) {
      if (twins_.weights[p].vertex_count() > 0) write_weights(p);
    }
    for (const TwinClip& clip : twins_.clips) animate(clip);
    std::vector<std::string> out;
    for (const Index node : nodes_) out.push_back(get_string(item(impl_.json, "nodes", at(node)), "name"));
    return out;
  }

 private:
  std::string free_name(const Twin& twin) {
    if (names_.empty()) {
      for (const Json& node : items(impl_.json, "nodes")) names_.insert(get_string(node, "name"));
    }
    const std::string name =
        character_.skeleton.joints[twin.joint].name + (twin.bone == twin.joint ? "_twin" : "_twin_up");
    std::string free = name;
    for (int i = 2; !names_.insert(free).second; ++i) free = name + "_" + std::to_string(i);
    return free;
  }

  void add_nodes() {
    for (const Twin& twin : twins_.twins) {
      Json node = {{"name", free_name(twin)}};
      set_transform(node, {.translation = twin.pivot});
      mark_twin(node);
      nodes_.push_back(push(impl_.json, "nodes", std::move(node)));
      Json& bone = item(impl_.json, "nodes", at(source_.map.node_of_joint[at(twin.bone)]));
      if (!find(bone, "children")) bone["children"] = Json::array();
      bone["children"].push_back(nodes_.back());
    }
    grow_map(source_);
  }

  /// By skin of the document: the twins that parts with this skin follow, and their places behind its joints. Parts
  /// that share a skin share its twins.
  void gather_skins() {
    for (std::size_t p = 0; p < twins_.weights.size(); ++p) {
      const auto slots = static_cast<Index>(character_.parts[p].skin.joints.size());
      for (const Influence& i : twins_.weights[p].influences) {
        if (i.joint >= slots) places_[source_.map.parts[p].skin].try_emplace(i.joint - slots, kNone);
      }
    }
    for (auto& [skin, places] : places_) {
      auto place = static_cast<Index>(item(impl_.json, "skins", at(skin))["joints"].size());
      for (auto& [twin, at_place] : places) at_place = place++;
    }
  }

  void extend_skin(std::size_t index, const std::map<Index, Index>& places) {
    std::vector<Index> joints = item(impl_.json, "skins", index)["joints"].get<std::vector<Index>>();
    const std::vector<Index> known = joints;
    std::vector<float> matrices = inverse_bind_floats(impl_, item(impl_.json, "skins", index), joints.size());
    for (const auto& [twin, place] : places) {
      const Index bone = source_.map.node_of_joint[at(twins_.twins[at(twin)].bone)];
      const auto slot = static_cast<std::size_t>(std::find(known.begin(), known.end(), bone) - known.begin());
      joints.push_back(nodes_[at(twin)]);
      std::array<float, 16> matrix;
      std::copy_n(matrices.begin() + static_cast<std::ptrdiff_t>(16 * slot), 16, matrix.begin());
      for (int k = 0; k < 3; ++k) {
        const std::size_t i = 12 + static_cast<std::size_t>(k);
        matrix[i] = static_cast<float>(static_cast<double>(matrix[i]) - twins_.twins[at(twin)].pivot[k]);
      }
      matrices.insert(matrices.end(), matrix.begin(), matrix.end());
    }
    const Index accessor = append_floats(impl_, "MAT4", matrices, Usage::plain);
    Json& skin = item(impl_.json, "skins", index);
    skin["inverseBindMatrices"] = accessor;
    skin["joints"] = joints;
  }

  void write_weights(std::size_t p) {
    GltfPartSource& part = part_of(source_, static_cast<Index>(p));
    const auto& places = places_.at(part.skin);
    const auto slots = static_cast<Index>(character_.parts[p].skin.joints.size());
    SkinWeights weights = twins_.weights[p];
    for (Influence& i : weights.influences) {
      if (i.joint >= slots) i.joint = places.at(i.joint - slots);
    }
    isolate_mesh(source_, part);
    for_each_range(
        source_, part,
        [&](const GltfPrimitiveSource& range) {
          Json attributes = Json::object();
          append_weights(impl_, weights, vertices_of(range), attributes);
          return attributes;
        },
        [](Json& primitive, const Json& attributes) {
          erase_weights(primitive["attributes"]);
          for (const auto& [name, accessor] : attributes.items()) primitive["attributes"][name] = accessor;
        });
  }

  /// Channels are many and short: those of a clip share one buffer view.
  struct ClipBytes {
    std::vector<float> values;
    struct Piece {
      std::size_t begin = 0, count = 0;
      const char* type = "VEC3";
      Index node = kNone;
      const char* path = "";
    };
    std::vector<Piece> pieces;
  };

  template <class Value>
  static void add_channel(ClipBytes& bytes, const std::vector<Transform>& keys, ClipBytes::Piece piece,
                          std::span<const float> rest, const Value& value) {
    piece.begin = bytes.values.size();
    piece.count = keys.size();
    bool moves = false;
    for (const Transform& key : keys) {
      const std::vector<float> numbers = value(key);
      moves = moves || !std::equal(numbers.begin(), numbers.end(), rest.begin());
      bytes.values.insert(bytes.values.end(), numbers.begin(), numbers.end());
    }
    if (moves) {
      bytes.pieces.push_back(piece);
    } else {
      bytes.values.resize(piece.begin);
    }
  }

  static std::vector<float> floats(const Vec3& v) {
    return {static_cast<float>(v.x()), static_cast<float>(v.y()), static_cast<float>(v.z())};
  }
  static std::vector<float> floats(const Quat& q) {
    return {static_cast<float>(q.x()), static_cast<float>(q.y()), static_cast<float>(q.z()), static_cast<float>(q.w())};
  }

  ClipBytes clip_bytes(const TwinClip& clip) const {
    ClipBytes bytes;
    for (std::size_t q = 0; q < clip.local.size(); ++q) {
      if (clip.local[q].empty()) continue;
      const Index node = nodes_[q];
      const Transform rest{.translation = twins_.twins[q].pivot};
      add_channel(bytes, clip.local[q], {.node = node, .path = "translation"}, floats(rest.translation),
                  [](const Transform& key) { return floats(key.translation); });
      add_channel(bytes, clip.local[q], {.type = "VEC4", .node = node, .path = "rotation"}, floats(rest.rotation),
                  [](const Transform& key) { return floats(key.rotation); });
      add_channel(bytes, clip.local[q], {.node = node, .path = "scale"}, floats(rest.scale),
                  [](const Transform& key) { return floats(key.scale); });
    }
    return bytes;
  }

  void animate(const TwinClip& clip) {
    const ClipBytes bytes = clip_bytes(clip);
    if (bytes.pieces.empty()) return;
    std::vector<float> times;
    for (const double time : clip.times) times.push_back(static_cast<float>(time));
    const Index input = append_floats(impl_, "SCALAR", times, Usage::plain, Bounds::with);
    const auto* raw = reinterpret_cast<const std::uint8_t*>(bytes.values.data());
    const Index view = append_view(impl_, {raw, bytes.values.size() * sizeof(float)}, Usage::plain);
    const Index animation_index = source_.map.animation_of_clip[at(clip.clip)];
    for (const ClipBytes::Piece& piece : bytes.pieces) {
      Json accessor = {{"bufferView", view}};
      if (piece.begin > 0) accessor["byteOffset"] = piece.begin * sizeof(float);
      accessor["componentType"] = 5126;
      accessor["count"] = piece.count;
      accessor["type"] = piece.type;
      const Index output = push(impl_.json, "accessors", std::move(accessor));
      Json sampler = {{"input", input}};
      if (clip.interpolation == Interpolation::step) sampler["interpolation"] = "STEP";
      sampler["output"] = output;
      Json& animation = item(impl_.json, "animations", at(animation_index));
      animation["samplers"].push_back(std::move(sampler));
      animation["channels"].push_back(
          {{"sampler", animation["samplers"].size() - 1}, {"target", {{"node", piece.node}, {"path", piece.path}}}});
    }
  }

  GltfSource& source_;
  Impl& impl_;
  const Character& character_;
  const TwinJoints& twins_;
  std::set<std::string> names_;
  std::vector<Index> nodes_;                        // by twin
  std::map<Index, std::map<Index, Index>> places_;  // by skin and twin
};

void check_twins(const GltfSource& source, const Character& character, const TwinJoints& twins) {
  const auto known = [](Index index, std::size_t count) { return index >= 0 && at(index) < count; };
  bool good = twins.weights.size() == source.map.parts.size() && character.parts.size() == source.map.parts.size();
  for (const Twin& twin : twins.twins) {
    good = good && known(twin.joint, character.skeleton.size()) && known(twin.bone, source.map.node_of_joint.size());
  }
  for (std::size_t p = 0; good && p < twins.weights.size(); ++p) {
    if (twins.weights[p].vertex_count() == 0) continue;
    good = source.map.parts[p].skin != kNone && twins.weights[p].vertex_count() == vertex_count(source.map.parts[p]);
  }
  for (const TwinClip& clip : twins.clips) {
    good = good && known(clip.clip, source.map.animation_of_clip.size()) && clip.local.size() == twins.twins.size();
  }
  if (!good) throw_bad_input("the twins do not fit the document: they were made for another character");
}

/// Takes twins out of a document.
class TwinRemover {
 public:
  explicit TwinRemover(Impl& impl) : impl_(impl), parent_(node_parents(impl.json)) {
    for (std::size_t n = 0; n < count(impl.json, "nodes"); ++n) {
      if (is_twin(item(impl.json, "nodes", n))) twins_.insert(static_cast<Index>(n));
    }
  }

  std::size_t remove() {
    if (twins_.empty()) return 0;
    fold_weights();
    for (std::size_t s = 0; s < count(impl_.json, "skins"); ++s) shorten_skin(s);
    remove_channels();
    const std::size_t removed = twins_.size();
    remove_nodes();
    return removed;
  }

 private:
  /// By place in a skin: the place of that joint, or of the one that a twin rides on, in the skin without twins. Tools
  /// may have put twins anywhere.
  std::vector<std::uint32_t> places_without(const Json& skin) const {
    const Json* joints = find(skin, "joints");
    std::vector<std::uint32_t> out;
    if (!joints || !joints->is_array()) return out;
    std::map<Index, std::uint32_t> place;  // by node: the first
    std::uint32_t kept = 0;
    for (const Json& joint : *joints) {
      const Index node = joint.get<Index>();
      if (!twins_.contains(node)) place.emplace(node, kept++);
    }
    std::uint32_t next = 0;
    for (const Json& joint : *joints) {
      Index node = joint.get<Index>();
      if (!twins_.contains(node)) {
        out.push_back(next++);
        continue;
      }
      while (node != kNone && twins_.contains(node)) node = parent_[at(node)];
      const auto bone = place.find(node);
      out.push_back(bone != place.end() ? bone->second : 0);
    }
    return out;
  }

  void fold_weights() {
    std::set<Index> done;  // meshes
    for (std::size_t n = 0; n < parent_.size(); ++n) {
      const Json& node = item(impl_.json, "nodes", n);
      const auto skin = get_index(node, "skin", count(impl_.json, "skins"), {"node", n});
      const auto mesh = get_index(node, "mesh", count(impl_.json, "meshes"), {"node", n});
      if (!skin || !mesh || !done.insert(*mesh).second) continue;
      const std::vector<std::uint32_t> to = places_without(item(impl_.json, "skins", at(*skin)));
      bool any = false;
      for (std::size_t k = 0; k < to.size(); ++k) any = any || to[k] != k;
      if (any) fold_mesh(at(*mesh), to);
    }
  }

  /// Primitives that share accessors share them afterwards.
  void fold_mesh(std::size_t mesh, const std::vector<std::uint32_t>& to) {
    std::map<std::string, Json> made;
    const std::size_t primitives = item(impl_.json, "meshes", mesh)["primitives"].size();
    for (std::size_t p = 0; p < primitives; ++p) {
      const Json* known = find(item(impl_.json, "meshes", mesh)["primitives"][p], "attributes");
      if (!known || !find(*known, "JOINTS_0")) continue;
      Json old = Json::object();
      for (const auto& [name, accessor] : known->items()) {
        if (name.rfind("JOINTS_", 0) == 0 || name.rfind("WEIGHTS_", 0) == 0) old[name] = accessor;
      }
      auto found = made.find(old.dump());
      if (found == made.end()) {
        Json fresh = Json::object();
        if (!fold(old, to, fresh)) fresh = nullptr;
        found = made.emplace(old.dump(), std::move(fresh)).first;
      }
      if (found->second.is_null()) continue;
      Json& attributes = item(impl_.json, "meshes", mesh)["primitives"][p]["attributes"];
      erase_weights(attributes);
      for (const auto& [name, accessor] : found->second.items()) attributes[name] = accessor;
    }
  }

  /// Rows with the shares of twins given back; false if no row changes.
  bool fold(const Json& old, const std::vector<std::uint32_t>& to, Json& fresh) {
    std::vector<std::map<Index, double>> rows;
    bool any = false;
    for (int set = 0; find(old, ("JOINTS_" + std::to_string(set)).c_str()); ++set) {
      const std::string suffix = "_" + std::to_string(set);
      const Json* weights_accessor = find(old, ("WEIGHTS" + suffix).c_str());
      if (!weights_accessor) break;
      const auto joints = read_unsigned(impl_, old["JOINTS" + suffix].get<Index>(), 4, "joints");
      const auto weights = read_doubles(impl_, weights_accessor->get<Index>(), 4, "weights");
      rows.resize(std::max(rows.size(), joints.size() / 4));
      for (std::size_t i = 0; i < std::min(joints.size(), weights.size()); ++i) {
        if (!(weights[i] > 0) || joints[i] >= to.size()) continue;
        any = any || to[joints[i]] != joints[i];
        rows[i / 4][static_cast<Index>(to[joints[i]])] += weights[i];
      }
    }
    if (!any) return false;
    SkinWeights folded;
    std::vector<Index> vertices;
    for (const auto& row : rows) {
      std::vector<Influence> influences;
      influences.reserve(row.size());
      for (const auto& [joint, weight] : row) influences.push_back({joint, weight});
      if (influences.empty()) influences.push_back({0, 1});
      vertices.push_back(static_cast<Index>(folded.vertex_count()));
      folded.add_row(influences);
    }
    append_weights(impl_, folded, vertices, fresh);
    return true;
  }

  void shorten_skin(std::size_t index) {
    Json& skin = item(impl_.json, "skins", index);
    Json* joints = find(skin, "joints");
    if (!joints || !joints->is_array()) return;
    const std::vector<float> matrices = inverse_bind_floats(impl_, skin, joints->size());
    Json kept = Json::array();
    std::vector<float> kept_matrices;
    for (std::size_t k = 0; k < joints->size(); ++k) {
      if (twins_.contains((*joints)[k].get<Index>())) continue;
      kept.push_back((*joints)[k]);
      const auto from = matrices.begin() + static_cast<std::ptrdiff_t>(16 * k);
      kept_matrices.insert(kept_matrices.end(), from, from + 16);
    }
    if (kept.size() == joints->size() || kept.empty()) return;
    *joints = std::move(kept);
    if (!find(skin, "inverseBindMatrices")) return;
    const Index accessor = append_floats(impl_, "MAT4", kept_matrices, Usage::plain);
    item(impl_.json, "skins", index)["inverseBindMatrices"] = accessor;
  }

  void remove_channels() {
    std::vector<bool> keep;
    for (std::size_t a = 0; a < count(impl_.json, "animations"); ++a) {
      Json& animation = item(impl_.json, "animations", a);
      Json* channels = find(animation, "channels");
      keep.push_back(true);
      if (!channels || !channels->is_array()) continue;
      const std::size_t gone = std::erase_if(channels->get_ref<Json::array_t&>(), [&](const Json& channel) {
        const Json* target = find(channel, "target");
        const Json* node = target ? find(*target, "node") : nullptr;
        return node && node->is_number_integer() && twins_.contains(node->get<Index>());
      });
      keep.back() = !channels->empty();
      if (gone > 0 && keep.back()) drop_unused_samplers(animation);
    }
    if (std::find(keep.begin(), keep.end(), false) != keep.end()) filter(impl_.json, "animations", keep);
  }

  /// Nodes are counted everywhere, in extensions too: those at the end go, others stay behind without use. A twin below
  /// which a tool hung something stays where it is, as a plain node.
  void remove_nodes() {
    std::set<Index> used;
    for (std::size_t n = 0; n < parent_.size(); ++n) {
      for (Index above = twins_.contains(static_cast<Index>(n)) ? kNone : parent_[n];
           above != kNone && twins_.contains(above); above = parent_[at(above)]) {
        used.insert(above);
      }
    }
    for (const Index twin : twins_) unmark_twin(item(impl_.json, "nodes", at(twin)));
    std::erase_if(twins_, [&](Index twin) { return used.contains(twin); });
    for (const Index twin : twins_) {
      const Index above = parent_[at(twin)];
      if (above != kNone) drop_from(item(impl_.json, "nodes", at(above)), "children", twin);
    }
    for (std::size_t s = 0; s < count(impl_.json, "scenes"); ++s) {
      for (const Index twin : twins_) drop_from(item(impl_.json, "scenes", s), "nodes", twin);
    }
    auto& nodes = impl_.json["nodes"].get_ref<Json::array_t&>();
    while (!nodes.empty() && twins_.contains(static_cast<Index>(nodes.size() - 1))) nodes.pop_back();
  }

  static void drop_from(Json& holder, const char* list, Index node) {
    Json* nodes = find(holder, list);
    if (!nodes || !nodes->is_array()) return;
    const std::size_t gone = std::erase(nodes->get_ref<Json::array_t&>(), Json(node));
    if (gone > 0 && nodes->empty()) holder.erase(list);
  }

  Impl& impl_;
  std::vector<Index> parent_;
  std::set<Index> twins_;
};

}  // namespace

std::vector<std::string> add_twins(GltfSource& source, const Character& character, const TwinJoints& twins) {
  check_twins(source, character, twins);
  if (twins.twins.empty()) return {};
  GltfSource edited = source;
  std::vector<std::string> names = TwinAdder(edited, character, twins).add();
  source = std::move(edited);
  return names;
}

std::size_t remove_twins(GltfDocument& document) {
  GltfDocument edited = document;
  const std::size_t removed = TwinRemover(edited.impl()).remove();
  if (removed > 0) document = std::move(edited);
  return removed;
}

}  // namespace isochor

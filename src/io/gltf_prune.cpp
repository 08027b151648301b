#include "gltf_prune.h"

#include <algorithm>

#include "gltf_edit_tools.h"

namespace isochor::gltf {
namespace {

/// Calls visit(index) on every reference to an accessor: in meshes, skins and animations.
template <class Root, class Visit>
void for_each_accessor(Root& root, Visit&& visit) {
  const auto each = [](auto& owner, const char* key, auto&& body) {
    auto* array = find(owner, key);
    if (!array || !array->is_array()) return;
    for (auto& element : *array) body(element);
  };
  const auto one = [&](auto& owner, const char* key) {
    if (auto* index = find(owner, key)) visit(*index);
  };
  const auto members = [&](auto& object) {
    if (!object.is_object()) return;
    for (auto& [name, index] : object.items()) visit(index);
  };
  each(root, "meshes", [&](auto& mesh) {
    each(mesh, "primitives", [&](auto& primitive) {
      one(primitive, "indices");
      if (auto* attributes = find(primitive, "attributes")) members(*attributes);
      each(primitive, "targets", members);
    });
  });
  each(root, "skins", [&](auto& skin) { one(skin, "inverseBindMatrices"); });
  each(root, "animations", [&](auto& animation) {
    each(animation, "samplers", [&](auto& sampler) {
      one(sampler, "input");
      one(sampler, "output");
    });
  });
}

/// The same for buffer views: in accessors and images.
template <class Root, class Visit>
void for_each_view(Root& root, Visit&& visit) {
  for (const char* key : {"accessors", "images"}) {
    auto* array = find(root, key);
    if (!array || !array->is_array()) continue;
    for (auto& element : *array) {
      if (auto* view = find(element, "bufferView")) visit(*view);
      auto* sparse = find(element, "sparse");
      if (!sparse) continue;
      for (const char* part : {"indices", "values"}) {
        auto* of = find(*sparse, part);
        if (auto* view = of ? find(*of, "bufferView") : nullptr) visit(*view);
      }
    }
  }
}

/// A number that may be an index: those of new elements are signed, those of a file are not.
bool refers(const Json& index, std::size_t size) {
  return index.is_number_integer() && index.get<std::int64_t>() >= 0 && index.get<std::size_t>() < size;
}

void mark(const Json& index, std::vector<bool>& used) {
  if (refers(index, used.size())) used[index.get<std::size_t>()] = true;
}

std::vector<bool> used_accessors(const Json& root) {
  std::vector<bool> used(count(root, "accessors"), false);
  for_each_accessor(root, [&](const Json& index) { mark(index, used); });
  return used;
}

std::vector<bool> used_views(const Json& root) {
  std::vector<bool> used(count(root, "bufferViews"), false);
  for_each_view(root, [&](const Json& index) { mark(index, used); });
  return used;
}

bool holds_integer(const Json& json) {
  if (json.is_number_integer()) return true;
  if (!json.is_structured()) return false;
  return std::any_of(json.begin(), json.end(), [](const Json& element) { return holds_integer(element); });
}

/// Whether an extension anywhere in here counts something.
bool has_counting_extension(const Json& json) {
  if (json.is_array()) {
    return std::any_of(json.begin(), json.end(), [](const Json& element) { return has_counting_extension(element); });
  }
  if (!json.is_object()) return false;
  for (const auto& [key, value] : json.items()) {
    if (key == "extras") continue;
    if (key == "extensions" ? holds_integer(value) : has_counting_extension(value)) return true;
  }
  return false;
}

/// Extensions of materials and the like count textures; any other may count accessors or views.
bool may_count_accessors(const Json& root) {
  for (const auto& [key, value] : root.items()) {
    const bool harmless = key == "materials" || key == "textures" || key == "images" || key == "samplers" ||
                          key == "cameras" || key == "extras" || key == "asset";
    if (harmless) continue;
    if (key == "extensions" ? holds_integer(value) : has_counting_extension(value)) return true;
  }
  return false;
}

/// Kept: referred to, or idle since the document was opened.
std::vector<bool> kept(std::vector<bool> used, const std::vector<bool>& idle) {
  for (std::size_t i = 0; i < std::min(used.size(), idle.size()); ++i) used[i] = used[i] || idle[i];
  return used;
}

bool any_false(const std::vector<bool>& values) {
  return std::find(values.begin(), values.end(), false) != values.end();
}

struct Interval {
  std::size_t begin = 0, end = 0;
};

Interval interval_of(const Json& view) {
  const std::size_t begin = view.value("byteOffset", std::size_t{0});
  return {begin, begin + view.value("byteLength", std::size_t{0})};
}

/// The bytes of the first buffer that only views without use lie over, in steps of four so that all stay aligned.
std::vector<Interval> unused_bytes(const Impl& impl, const std::vector<bool>& keep) {
  std::vector<Interval> stays, goes;
  for (std::size_t v = 0; v < keep.size(); ++v) {
    const Json& view = item(impl.json, "bufferViews", v);
    if (view.value("buffer", std::size_t{0}) == 0) (keep[v] ? stays : goes).push_back(interval_of(view));
  }
  const auto by_begin = [](const Interval& a, const Interval& b) { return a.begin < b.begin; };
  std::sort(stays.begin(), stays.end(), by_begin);
  std::sort(goes.begin(), goes.end(), by_begin);
  std::vector<Interval> unused;
  std::size_t done = 0;
  const auto add = [&](std::size_t begin, std::size_t end) {
    begin = (std::max(begin, done) + 3) / 4 * 4;
    end = end / 4 * 4;
    if (begin >= end) return;
    unused.push_back({begin, end});
    done = end;
  };
  for (const Interval& gone : goes) {
    std::size_t at = gone.begin;
    // Two bytes that fill up the last step belong to nobody.
    std::size_t next = impl.buffers[0].bytes.size();
    for (const Interval& stay : stays) {
      if (stay.end <= at) continue;
      if (stay.begin >= gone.end) {
        next = std::min(next, stay.begin);
        break;
      }
      if (stay.begin > at) add(at, stay.begin);
      at = std::max(at, stay.end);
    }
    const std::size_t filled = (gone.end + 3) / 4 * 4;
    if (at < gone.end) add(at, filled <= next ? filled : gone.end);
  }
  return unused;
}

void remove_bytes(Impl& impl, const std::vector<Interval>& unused) {
  if (unused.empty()) return;
  std::vector<std::uint8_t>& bytes = impl.buffers[0].bytes;
  std::vector<std::uint8_t> left;
  left.reserve(bytes.size());
  std::size_t at = 0;
  for (const Interval& gap : unused) {
    left.insert(left.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at),
                bytes.begin() + static_cast<std::ptrdiff_t>(gap.begin));
    at = gap.end;
  }
  left.insert(left.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.end());
  bytes = std::move(left);
  impl.buffers[0].changed = true;
  item(impl.json, "buffers", 0)["byteLength"] = bytes.size();
  for (std::size_t v = 0; v < count(impl.json, "bufferViews"); ++v) {
    Json& view = item(impl.json, "bufferViews", v);
    if (view.value("buffer", std::size_t{0}) != 0) continue;
    const std::size_t begin = interval_of(view).begin;
    std::size_t removed = 0;
    for (const Interval& gap : unused) removed += gap.end <= begin ? gap.end - gap.begin : 0;
    if (removed > 0) view["byteOffset"] = begin - removed;
  }
}

/// What refers to nothing that exists stays as it was: readers refuse it.
void renumber(Json& index, const std::vector<Index>& to) {
  if (refers(index, to.size())) index = to[index.get<std::size_t>()];
}

}  // namespace

void note_idle(Impl& impl) {
  impl.idle_accessors = used_accessors(impl.json);
  impl.idle_accessors.flip();
  impl.idle_views = used_views(impl.json);
  impl.idle_views.flip();
}

std::optional<Impl> pruned(const Impl& impl) {
  const std::vector<bool> keep = kept(used_accessors(impl.json), impl.idle_accessors);
  if (!any_false(keep) || may_count_accessors(impl.json)) return std::nullopt;
  Impl out = impl;
  const std::vector<Index> accessor = filter(out.json, "accessors", keep);
  for_each_accessor(out.json, [&](Json& index) { renumber(index, accessor); });

  const std::vector<bool> keep_view = kept(used_views(out.json), impl.idle_views);
  if (!any_false(keep_view)) return out;
  const bool elsewhere = out.buffers[0].home == Impl::Home::file && !out.buffers[0].changed;
  const std::vector<Interval> unused = elsewhere ? std::vector<Interval>{} : unused_bytes(out, keep_view);
  const std::vector<Index> view = filter(out.json, "bufferViews", keep_view);
  for_each_view(out.json, [&](Json& index) { renumber(index, view); });
  remove_bytes(out, unused);
  return out;
}

}  // namespace isochor::gltf

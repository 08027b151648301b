#include "gltf_accessor.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace isochor::gltf {
namespace {

static_assert(std::endian::native == std::endian::little, "glTF buffers are read in place");

constexpr int kByte = 5120, kUnsignedByte = 5121, kShort = 5122, kUnsignedShort = 5123, kUnsignedInt = 5125,
              kFloat = 5126;

struct Shape {
  int rows = 0;
  int columns = 0;
};

Shape shape_of(std::string_view type) {
  if (type == "SCALAR") return {1, 1};
  if (type == "VEC2") return {2, 1};
  if (type == "VEC3") return {3, 1};
  if (type == "VEC4") return {4, 1};
  if (type == "MAT2") return {2, 2};
  if (type == "MAT3") return {3, 3};
  if (type == "MAT4") return {4, 4};
  return {};
}

/// Elements of a layout in memory.
struct Layout {
  std::size_t count = 0;
  std::size_t stride = 0;
  std::size_t last = 0;  ///< bytes of the last element
};

/// The first byte of `layout` in a buffer view, after checking that all of it lies inside. Lengths are 64-bit sums of
/// products that were bounded before, so that nothing can wrap.
const std::uint8_t* place_in_view(const Impl& impl, Index view_index, std::uint64_t offset, const Layout& layout,
                                  const Where& where) {
  const Json& view = item(impl.json, "bufferViews", static_cast<std::size_t>(view_index));
  const std::uint64_t length = view["byteLength"].get<std::uint64_t>();
  const Json* begin = find(view, "byteOffset");
  const bool fits = layout.count == 0 || (layout.last <= length && offset <= length - layout.last &&
                                          layout.count - 1 <= (length - layout.last - offset) / layout.stride);
  if (!fits) {
    throw_bad_input("its " + where.str() + " needs " + std::to_string(layout.count) + " elements, but buffer view " +
                    std::to_string(view_index) + " is too short for them");
  }
  const auto& bytes = impl.buffers[view["buffer"].get<std::size_t>()].bytes;
  return bytes.data() + (begin ? begin->get<std::uint64_t>() : 0) + offset;
}

std::size_t stride_of(const Impl& impl, Index view_index, std::size_t element, const Where& where) {
  const Json& view = item(impl.json, "bufferViews", static_cast<std::size_t>(view_index));
  const std::uint64_t stride =
      get_unsigned(view, "byteStride", {"buffer view", static_cast<std::size_t>(view_index)}).value_or(0);
  if (stride == 0) return element;
  if (stride < element || stride > 4096) {
    throw_bad_input("its " + where.str() + " has elements of " + std::to_string(element) + " bytes at a stride of " +
                    std::to_string(stride));
  }
  return stride;
}

/// Zeros cost nothing in the file: an accessor without bytes may be as long as the longest one that has them could be.
void check_unbacked_count(const Impl& impl, std::uint64_t count, const Where& where) {
  if (count > std::max<std::uint64_t>(65536, total_bytes(impl))) {
    throw_bad_input("its " + where.str() + " announces " + std::to_string(count) +
                    " elements, more than the file could hold");
  }
}

void resolve_sparse(const Impl& impl, const Json& json, const Where& where, AccessorView& view) {
  const Json* sparse = find(json, "sparse");
  if (!sparse) return;
  view.info.sparse = true;
  const std::uint64_t count = get_unsigned(*sparse, "count", where).value_or(0);
  if (count > view.info.count) throw_bad_input("its " + where.str() + " has more sparse elements than elements");
  view.sparse_count = static_cast<std::size_t>(count);
  const std::size_t views = gltf::count(impl.json, "bufferViews");
  const Json& indices = get_object(*sparse, "indices", where);
  const Json& values = get_object(*sparse, "values", where);
  const auto index_view = get_index(indices, "bufferView", views, where);
  const auto value_view = get_index(values, "bufferView", views, where);
  if (!index_view || !value_view) throw_bad_input("its " + where.str() + " has sparse elements without data");
  view.sparse_index_type = static_cast<int>(get_unsigned(indices, "componentType", where).value_or(0) & 0xffff);
  const int type = view.sparse_index_type;
  if (type != kUnsignedByte && type != kUnsignedShort && type != kUnsignedInt) {
    throw_bad_input("its " + where.str() + " has sparse indices of an unknown type");
  }
  const std::size_t index_size = component_size(type);
  view.sparse_indices = place_in_view(impl, *index_view, get_unsigned(indices, "byteOffset", where).value_or(0),
                                      {view.sparse_count, index_size, index_size}, where);
  const auto columns = static_cast<std::size_t>(view.info.components / view.rows);
  const std::size_t element = columns * view.column_size;
  view.sparse_values = place_in_view(impl, *value_view, get_unsigned(values, "byteOffset", where).value_or(0),
                                     {view.sparse_count, element, element}, where);
}

template <class T>
double load(const std::uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return static_cast<double>(value);
}

double load_component(const std::uint8_t* from, int type, bool normalized) {
  switch (type) {
    case kByte: {
      const double v = load<std::int8_t>(from);
      return normalized ? std::max(v / 127.0, -1.0) : v;
    }
    case kUnsignedByte: {
      const double v = load<std::uint8_t>(from);
      return normalized ? v / 255.0 : v;
    }
    case kShort: {
      const double v = load<std::int16_t>(from);
      return normalized ? std::max(v / 32767.0, -1.0) : v;
    }
    case kUnsignedShort: {
      const double v = load<std::uint16_t>(from);
      return normalized ? v / 65535.0 : v;
    }
    case kUnsignedInt:
      return load<std::uint32_t>(from);
    default:
      return load<float>(from);
  }
}

void decode_element(const AccessorView& view, const std::uint8_t* from, double* out) {
  const auto size = component_size(view.info.component_type);
  for (int k = 0; k < view.info.components; ++k) {
    const std::uint8_t* at = from + (k / view.rows) * view.column_size + (k % view.rows) * size;
    out[k] = load_component(at, view.info.component_type, view.info.normalized);
  }
}

std::vector<double> decode(const AccessorView& view, Index index) {
  const auto width = static_cast<std::size_t>(view.info.components);
  std::vector<double> values(view.info.count * width, 0.0);
  if (view.data) {
    for (std::size_t i = 0; i < view.info.count; ++i) {
      decode_element(view, view.data + i * view.stride, values.data() + i * width);
    }
  }
  const std::size_t element = width / static_cast<std::size_t>(view.rows) * view.column_size;
  for (std::size_t i = 0; i < view.sparse_count; ++i) {
    const double at =
        load_component(view.sparse_indices + i * component_size(view.sparse_index_type), view.sparse_index_type, false);
    if (at >= static_cast<double>(view.info.count)) {
      throw_bad_input("its accessor " + std::to_string(index) + " has a sparse index out of range");
    }
    decode_element(view, view.sparse_values + i * element, values.data() + static_cast<std::size_t>(at) * width);
  }
  return values;
}

Json bounds_of(std::span<const float> values, int components, bool upper) {
  Json bounds = Json::array();
  for (int k = 0; k < components; ++k) {
    float bound = values[static_cast<std::size_t>(k)];
    for (std::size_t i = static_cast<std::size_t>(k); i < values.size(); i += static_cast<std::size_t>(components)) {
      bound = upper ? std::max(bound, values[i]) : std::min(bound, values[i]);
    }
    bounds.push_back(static_cast<double>(bound));
  }
  return bounds;
}

template <class T>
std::span<const std::uint8_t> bytes_of(const T& values) {
  return {reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * sizeof(values[0])};
}

}  // namespace

std::size_t total_bytes(const Impl& impl) {
  std::size_t total = 0;
  for (const auto& buffer : impl.buffers) total += buffer.bytes.size();
  return total;
}

std::size_t component_size(int component_type) {
  switch (component_type) {
    case kByte:
    case kUnsignedByte:
      return 1;
    case kShort:
    case kUnsignedShort:
      return 2;
    case kUnsignedInt:
    case kFloat:
      return 4;
    default:
      return 0;
  }
}

int component_count(std::string_view type) { return shape_of(type).rows * shape_of(type).columns; }

AccessorView resolve_accessor(const Impl& impl, Index index) {
  const Where where{"accessor", static_cast<std::size_t>(index)};
  if (index < 0 || where.index >= count(impl.json, "accessors")) {
    throw_bad_input("it has no accessor " + std::to_string(index));
  }
  const Json& json = item(impl.json, "accessors", where.index);
  AccessorView view;
  const Shape shape = shape_of(get_string(json, "type"));
  const std::uint64_t type = get_unsigned(json, "componentType", where).value_or(0);
  view.info.component_type = type <= kFloat ? static_cast<int>(type) : 0;
  const std::size_t size = component_size(view.info.component_type);
  if (shape.rows == 0 || size == 0) throw_bad_input("its " + where.str() + " has an unknown type");
  view.rows = shape.rows;
  view.info.components = shape.rows * shape.columns;
  const Json* normalized = find(json, "normalized");
  view.info.normalized = normalized && normalized->is_boolean() && normalized->get<bool>();
  const std::size_t column = static_cast<std::size_t>(shape.rows) * size;
  view.column_size = shape.columns > 1 ? (column + 3) / 4 * 4 : column;
  const std::size_t element = static_cast<std::size_t>(shape.columns) * view.column_size;
  const std::uint64_t elements = get_unsigned(json, "count", where).value_or(0);
  // Indices are 32 bits wide everywhere else in the library.
  if (elements > static_cast<std::uint64_t>(std::numeric_limits<Index>::max())) {
    throw_bad_input("its " + where.str() + " announces " + std::to_string(elements) +
                    " elements, more than we can count");
  }
  view.info.count = elements;
  if (const auto buffer_view = get_index(json, "bufferView", count(impl.json, "bufferViews"), where)) {
    view.stride = stride_of(impl, *buffer_view, element, where);
    view.data = place_in_view(impl, *buffer_view, get_unsigned(json, "byteOffset", where).value_or(0),
                              {view.info.count, view.stride, element - (view.column_size - column)}, where);
  } else {
    check_unbacked_count(impl, elements, where);
  }
  resolve_sparse(impl, json, where, view);
  return view;
}

std::vector<double> read_doubles(const Impl& impl, Index index) { return decode(resolve_accessor(impl, index), index); }

std::vector<double> read_doubles(const Impl& impl, Index index, int components, const char* use) {
  const AccessorView view = resolve_accessor(impl, index);
  if (view.info.components != components) {
    throw_bad_input("its accessor " + std::to_string(index) + ", used as " + use + ", has " +
                    std::to_string(view.info.components) + " components instead of " + std::to_string(components));
  }
  return decode(view, index);
}

std::vector<std::uint32_t> read_unsigned(const Impl& impl, Index index, int components, const char* use) {
  const AccessorView view = resolve_accessor(impl, index);
  const int type = view.info.component_type;
  if (view.info.components != components || view.info.normalized ||
      (type != kUnsignedByte && type != kUnsignedShort && type != kUnsignedInt)) {
    throw_bad_input("its accessor " + std::to_string(index) + ", used as " + use + ", has the wrong type");
  }
  const std::vector<double> values = decode(view, index);
  return {values.begin(), values.end()};
}

Index append_view(Impl& impl, std::span<const std::uint8_t> bytes, Usage usage) {
  if (impl.buffers.empty()) {
    impl.buffers.emplace_back();
    push(impl.json, "buffers", {{"byteLength", 0}});
  }
  Impl::Buffer& buffer = impl.buffers.front();
  buffer.bytes.resize((buffer.bytes.size() + 3) / 4 * 4);
  Json view = {{"buffer", 0}, {"byteOffset", buffer.bytes.size()}, {"byteLength", bytes.size()}};
  if (usage == Usage::vertex) view["target"] = 34962;
  if (usage == Usage::index) view["target"] = 34963;
  buffer.bytes.insert(buffer.bytes.end(), bytes.begin(), bytes.end());
  buffer.changed = true;
  item(impl.json, "buffers", 0)["byteLength"] = buffer.bytes.size();
  return push(impl.json, "bufferViews", std::move(view));
}

Index append_accessor(Impl& impl, const NewAccessor& accessor, std::span<const std::uint8_t> bytes) {
  const Index view = append_view(impl, bytes, accessor.usage);
  return push(impl.json, "accessors",
              {{"bufferView", view},
               {"componentType", accessor.component_type},
               {"count", accessor.count},
               {"type", accessor.type}});
}

Index append_floats(Impl& impl, const char* type, std::span<const float> values, Usage usage, Bounds bounds) {
  const int components = std::max(1, component_count(type));
  const std::size_t elements = values.size() / static_cast<std::size_t>(components);
  const Index index = append_accessor(impl, {.type = type, .count = elements, .usage = usage}, bytes_of(values));
  if (bounds == Bounds::with && elements > 0) {
    Json& json = item(impl.json, "accessors", static_cast<std::size_t>(index));
    json["min"] = bounds_of(values, components, false);
    json["max"] = bounds_of(values, components, true);
  }
  return index;
}

Index append_offsets(Impl& impl, std::span<const float> values, Bounds bounds) {
  const std::size_t vertices = values.size() / 3;
  std::vector<std::uint32_t> changed;
  for (std::size_t v = 0; v < vertices; ++v) {
    if (values[3 * v] != 0 || values[3 * v + 1] != 0 || values[3 * v + 2] != 0) {
      changed.push_back(static_cast<std::uint32_t>(v));
    }
  }
  // A sparse element costs its index; three more JSON objects cost about 200 bytes.
  const std::size_t index_size = vertices <= 65536 ? 2 : 4;
  if (changed.size() * (12 + index_size) + 200 >= vertices * 12) {
    return append_floats(impl, "VEC3", values, Usage::vertex, bounds);
  }
  Json accessor = {{"componentType", kFloat}, {"count", vertices}, {"type", "VEC3"}};
  if (bounds == Bounds::with) {
    accessor["min"] = bounds_of(values, 3, false);
    accessor["max"] = bounds_of(values, 3, true);
  }
  if (!changed.empty()) {
    std::vector<float> kept;
    kept.reserve(changed.size() * 3);
    for (const std::uint32_t v : changed) kept.insert(kept.end(), values.begin() + 3 * v, values.begin() + 3 * v + 3);
    Index indices = kNone;
    if (index_size == 2) {
      const std::vector<std::uint16_t> small(changed.begin(), changed.end());
      indices = append_view(impl, bytes_of(small), Usage::plain);
    } else {
      indices = append_view(impl, bytes_of(changed), Usage::plain);
    }
    const Index offsets = append_view(impl, bytes_of(kept), Usage::plain);
    accessor["sparse"] = {
        {"count", changed.size()},
        {"indices", {{"bufferView", indices}, {"componentType", index_size == 2 ? kUnsignedShort : kUnsignedInt}}},
        {"values", {{"bufferView", offsets}}}};
  }
  return push(impl.json, "accessors", std::move(accessor));
}

Index append_indices(Impl& impl, std::span<const std::uint32_t> indices, std::size_t vertex_count) {
  NewAccessor accessor{
      .type = "SCALAR", .component_type = kUnsignedInt, .count = indices.size(), .usage = Usage::index};
  // The largest value of a type restarts a primitive and is no index.
  if (vertex_count > 65535) return append_accessor(impl, accessor, bytes_of(indices));
  const std::vector<std::uint16_t> small(indices.begin(), indices.end());
  accessor.component_type = kUnsignedShort;
  return append_accessor(impl, accessor, bytes_of(small));
}

Index append_joints(Impl& impl, std::span<const std::uint32_t> joints) {
  NewAccessor accessor{
      .type = "VEC4", .component_type = kUnsignedByte, .count = joints.size() / 4, .usage = Usage::vertex};
  if (std::all_of(joints.begin(), joints.end(), [](std::uint32_t j) { return j < 256; })) {
    const std::vector<std::uint8_t> small(joints.begin(), joints.end());
    return append_accessor(impl, accessor, bytes_of(small));
  }
  const std::vector<std::uint16_t> wide(joints.begin(), joints.end());
  accessor.component_type = kUnsignedShort;
  return append_accessor(impl, accessor, bytes_of(wide));
}

}  // namespace isochor::gltf

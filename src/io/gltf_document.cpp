#include "isochor/io/gltf_document.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "gltf_accessor.h"
#include "gltf_check.h"
#include "gltf_prune.h"
#include "gltf_save.h"
#include "gltf_uri.h"
#include "isochor/io/atomic_file.h"

namespace isochor {
namespace gltf {
namespace {

std::uint32_t load_u32(std::span<const std::uint8_t> bytes, std::size_t at) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

bool is_binary(std::span<const std::uint8_t> bytes) { return bytes.size() >= 4 && load_u32(bytes, 0) == kMagic; }

struct Container {
  std::span<const std::uint8_t> json;
  std::optional<std::span<const std::uint8_t>> bin;
};

/// glTF 2.0, section 4.4: a header of three words, then chunks of length, type and data.
Container split_glb(std::span<const std::uint8_t> bytes, std::vector<Impl::Chunk>& others) {
  if (bytes.size() < 12) throw_bad_input("it ends inside its header");
  if (load_u32(bytes, 4) != 2) {
    throw_unsupported("it has version " + std::to_string(load_u32(bytes, 4)) + " of the GLB container, not 2");
  }
  const std::size_t length = load_u32(bytes, 8);
  if (length > bytes.size()) {
    throw_bad_input("it is cut off: it announces " + std::to_string(length) + " bytes and has " +
                    std::to_string(bytes.size()));
  }
  if (length < 12)
    throw_bad_input("it announces a length of " + std::to_string(length) + " bytes, less than its header");
  Container container;
  for (std::size_t at = 12; at < length;) {
    if (length - at < 8) throw_bad_input("it ends inside the header of a chunk");
    const std::size_t size = load_u32(bytes, at);
    const std::uint32_t type = load_u32(bytes, at + 4);
    if (size > length - at - 8) throw_bad_input("one of its chunks is longer than the file");
    const auto data = bytes.subspan(at + 8, size);
    if (at == 12) {
      if (type != kJsonChunk) throw_bad_input("its first chunk is not JSON");
      container.json = data;
    } else if (type == kBinChunk && !container.bin && others.empty()) {
      container.bin = data;
    } else {
      others.push_back({type, {data.begin(), data.end()}});
    }
    at += 8 + size;
  }
  if (container.json.empty()) throw_bad_input("it has no JSON");
  return container;
}

void load_buffers(Impl& impl, const Container& container) {
  std::uint64_t external = 0;
  const std::size_t n = count(impl.json, "buffers");
  for (std::size_t i = 0; i < n; ++i) {
    const Where where{"buffer", i};
    const Json& json = item(impl.json, "buffers", i);
    Impl::Buffer buffer;
    const Json* uri = find(json, "uri");
    if (uri && !uri->is_string()) throw_bad_input("'uri' of its " + where.str() + " is not a string");
    if (!uri) {
      if (i != 0 || !container.bin) throw_bad_input("its " + where.str() + " has no data");
      buffer.bytes.assign(container.bin->begin(), container.bin->end());
    } else if (const auto& text = uri->get_ref<const std::string&>(); is_data_uri(text)) {
      buffer.home = Impl::Home::data_uri;
      buffer.bytes = decode_data_uri(text);
    } else {
      if (impl.folder.empty())
        throw_bad_input("it refers to '" + text.substr(0, 200) + "', but has no folder of its own");
      buffer.home = Impl::Home::file;
      buffer.file = resolve_uri(text, impl.folder);
      buffer.bytes = read_file(buffer.file, kMaxExternalBytes - external);
      external += buffer.bytes.size();
    }
    const auto length = get_unsigned(json, "byteLength", where);
    if (!length) throw_bad_input("its " + where.str() + " has no byteLength");
    if (*length > buffer.bytes.size()) {
      throw_bad_input("its " + where.str() + " announces " + std::to_string(*length) + " bytes and has " +
                      std::to_string(buffer.bytes.size()));
    }
    impl.buffers.push_back(std::move(buffer));
  }
}

void parse_into(Impl& impl, std::span<const std::uint8_t> bytes) {
  if (bytes.empty()) throw_bad_input("it is empty");
  Container container;
  impl.binary = is_binary(bytes);
  if (impl.binary) {
    container = split_glb(bytes, impl.chunks);
  } else {
    container.json = bytes;
  }
  impl.json = parse_json(container.json);
  check_json(impl.json);
  load_buffers(impl, container);
  check_views(impl);
  note_idle(impl);
}

}  // namespace
}  // namespace gltf

GltfDocument::GltfDocument() : impl_(std::make_unique<Impl>()) { impl_->json = {{"asset", {{"version", "2.0"}}}}; }
GltfDocument::GltfDocument(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
GltfDocument::~GltfDocument() = default;
GltfDocument::GltfDocument(const GltfDocument& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}
GltfDocument::GltfDocument(GltfDocument&& other) noexcept = default;
GltfDocument& GltfDocument::operator=(const GltfDocument& other) {
  if (this != &other) impl_ = std::make_unique<Impl>(*other.impl_);
  return *this;
}
GltfDocument& GltfDocument::operator=(GltfDocument&& other) noexcept = default;

GltfDocument GltfDocument::open(const std::filesystem::path& path) {
  auto impl = std::make_unique<Impl>();
  impl->name = "'" + path.string() + "'";
  impl->path = path;
  impl->folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  const std::vector<std::uint8_t> bytes = read_file(path);
  gltf::in_file(impl->name, [&] { gltf::parse_into(*impl, bytes); });
  return GltfDocument(std::move(impl));
}

GltfDocument GltfDocument::parse(std::span<const std::uint8_t> bytes, const std::filesystem::path& folder) {
  auto impl = std::make_unique<Impl>();
  impl->folder = folder;
  gltf::in_file(impl->name, [&] { gltf::parse_into(*impl, bytes); });
  return GltfDocument(std::move(impl));
}

void GltfDocument::save(const std::filesystem::path& path) const { gltf::save(*impl_, path); }
std::vector<std::uint8_t> GltfDocument::to_glb() const {
  const std::optional<Impl> without_waste = gltf::pruned(*impl_);
  return gltf::to_glb(without_waste ? *without_waste : *impl_);
}

std::vector<std::uint8_t> GltfDocument::to_whole_glb() const {
  const std::optional<Impl> without_waste = gltf::pruned(*impl_);
  return gltf::to_whole_glb(without_waste ? *without_waste : *impl_);
}

std::vector<std::filesystem::path> GltfDocument::external_files() const {
  if (impl_->folder.empty()) return {};
  std::vector<std::filesystem::path> files = gltf::external_files(*impl_);
  for (auto& file : files) file = impl_->folder / file;
  return files;
}

std::string GltfDocument::json_text() const { return gltf::dump_json(impl_->json); }
std::size_t GltfDocument::buffer_count() const { return impl_->buffers.size(); }
std::span<const std::uint8_t> GltfDocument::buffer(std::size_t index) const { return impl_->buffers.at(index).bytes; }
std::size_t GltfDocument::accessor_count() const { return gltf::count(impl_->json, "accessors"); }

GltfAccessorInfo GltfDocument::accessor(Index index) const {
  return gltf::in_file(impl_->name, [&] { return gltf::resolve_accessor(*impl_, index).info; });
}

std::vector<double> GltfDocument::read_accessor(Index index) const {
  return gltf::in_file(impl_->name, [&] { return gltf::read_doubles(*impl_, index); });
}

}  // namespace isochor

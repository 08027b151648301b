#include "gltf_save.h"

#include <cstring>
#include <limits>
#include <optional>

#include "gltf_accessor.h"
#include "gltf_prune.h"
#include "gltf_uri.h"
#include "io/text.h"
#include "isochor/io/atomic_file.h"

namespace isochor::gltf {
namespace {

namespace fs = std::filesystem;

void append_u32(std::vector<std::uint8_t>& out, std::uint32_t value) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(&value);
  out.insert(out.end(), bytes, bytes + 4);
}

void append_chunk(std::vector<std::uint8_t>& out, std::uint32_t type, std::span<const std::uint8_t> data,
                  std::uint8_t padding) {
  const std::size_t padded = (data.size() + 3) / 4 * 4;
  append_u32(out, static_cast<std::uint32_t>(padded));
  append_u32(out, type);
  out.insert(out.end(), data.begin(), data.end());
  out.resize(out.size() + padded - data.size(), padding);
}

/// A GLB keeps its first buffer in the container where that has no URI, or where bytes were added to it.
bool first_buffer_in_chunk(const Impl& impl) {
  return !impl.buffers.empty() && (impl.buffers[0].home == Impl::Home::container || impl.buffers[0].changed);
}

/// All buffers become one, in the container.
void merge_buffers(Impl& impl) {
  if (impl.buffers.empty()) return;
  Impl::Buffer& first = impl.buffers[0];
  std::vector<std::size_t> begin = {0};
  for (std::size_t i = 1; i < impl.buffers.size(); ++i) {
    first.bytes.resize((first.bytes.size() + 3) / 4 * 4);
    begin.push_back(first.bytes.size());
    first.bytes.insert(first.bytes.end(), impl.buffers[i].bytes.begin(), impl.buffers[i].bytes.end());
  }
  for (std::size_t i = 0; i < count(impl.json, "bufferViews"); ++i) {
    Json& view = item(impl.json, "bufferViews", i);
    const auto buffer = view["buffer"].get<std::size_t>();
    if (buffer == 0) continue;
    view["buffer"] = 0;
    view["byteOffset"] = begin[buffer] + view.value("byteOffset", std::uint64_t{0});
  }
  impl.buffers.resize(1);
  impl.buffers[0].home = Impl::Home::container;
  Json& json = impl.json["buffers"];
  json.erase(json.begin() + 1, json.end());
  json[0].erase("uri");
  json[0]["byteLength"] = impl.buffers[0].bytes.size();
}

const char* image_type(std::span<const std::uint8_t> bytes) {
  const auto starts_with = [&](std::string_view magic) {
    return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
  };
  if (starts_with("\x89PNG")) return "image/png";
  if (starts_with("\xFF\xD8\xFF")) return "image/jpeg";
  if (starts_with("RIFF")) return "image/webp";
  if (starts_with("\xABKTX 20")) return "image/ktx2";
  return nullptr;
}

/// Images of a .gltf go into the .glb. One that is missing, or of an unknown type, keeps its URI.
void embed_images(Impl& impl) {
  for (std::size_t i = 0; i < count(impl.json, "images"); ++i) {
    const std::string uri = get_string(item(impl.json, "images", i), "uri");
    if (uri.empty()) continue;
    std::vector<std::uint8_t> bytes;
    try {
      bytes = is_data_uri(uri) ? decode_data_uri(uri) : read_file(resolve_uri(uri, impl.folder), kMaxExternalBytes);
    } catch (const Error&) {
      continue;
    }
    const char* type = image_type(bytes);
    if (!type) continue;
    const Index view = append_view(impl, bytes, Usage::plain);
    Json& image = item(impl.json, "images", i);
    image.erase("uri");
    image["mimeType"] = type;
    image["bufferView"] = view;
  }
}

void copy_external_files(const Impl& impl, const fs::path& folder, FileTransaction& transaction) {
  if (impl.folder.empty() || same_file(impl.folder, folder)) return;
  for (const fs::path& file : external_files(impl)) {
    std::error_code error;
    if (!fs::is_regular_file(impl.folder / file, error)) continue;
    const std::vector<std::uint8_t> bytes = read_file(impl.folder / file, kMaxExternalBytes);
    const fs::path target = folder / file;
    if (fs::exists(target, error)) {
      if (read_file(target, kMaxExternalBytes) == bytes) continue;
      throw_io("cannot copy '" + file.string() + "' beside the output: another file of that name is there");
    }
    fs::create_directories(target.parent_path(), error);
    transaction.add(target, bytes);
  }
}

/// The buffer of the .gltf that is there already, and is about to be replaced.
std::optional<fs::path> replaced_buffer(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return std::nullopt;
  try {
    const std::vector<std::uint8_t> bytes = read_file(path, kMaxExternalBytes);
    const Json json = Json::parse(bytes.begin(), bytes.end());
    const std::string uri = get_string(json.at("buffers").at(0), "uri");
    if (is_data_uri(uri)) return std::nullopt;
    return relative_path(uri);
  } catch (const std::exception&) {
    return std::nullopt;  // none that anybody could read
  }
}

/// NAME.bin, or NAME-1.bin and so on: no file that is there, which might be another document's, but the buffer of the
/// document that is replaced; nor a buffer that this one goes on to use.
fs::path free_bin_name(const Impl& impl, const fs::path& path) {
  const bool in_place = !impl.path.empty() && same_file(impl.path, path);
  const std::optional<fs::path> replaced = replaced_buffer(path);
  for (int k = 0;; ++k) {
    const std::string name = path.stem().string() + (k ? "-" + std::to_string(k) : "") + ".bin";
    std::error_code error;
    bool taken = fs::exists(path.parent_path() / name, error) && !(replaced && *replaced == name);
    for (std::size_t i = in_place ? 1 : 0; i < impl.buffers.size(); ++i) {
      const Impl::Buffer& buffer = impl.buffers[i];
      taken |= buffer.home == Impl::Home::file && same_file(buffer.file, path.parent_path() / name);
    }
    if (!taken) return name;
  }
}

void save_gltf(const Impl& impl, const fs::path& path) {
  Json json = impl.json;
  FileTransaction transaction;
  if (!impl.buffers.empty()) {
    const Impl::Buffer& first = impl.buffers[0];
    if (first.home == Impl::Home::data_uri && first.changed) {
      item(json, "buffers", 0)["uri"] = encode_data_uri(first.bytes);
    } else if (first.home == Impl::Home::container || first.changed) {
      const fs::path bin = free_bin_name(impl, path);
      item(json, "buffers", 0)["uri"] = encode_uri(bin.string());
      transaction.add(path.parent_path() / bin, first.bytes);
    }
  }
  copy_external_files(impl, path.has_parent_path() ? path.parent_path() : fs::path("."), transaction);
  transaction.add(path, dump_json(json));
  transaction.commit();
}

void save_glb(const Impl& impl, const fs::path& path) {
  FileTransaction transaction;
  if (impl.binary) {
    copy_external_files(impl, path.has_parent_path() ? path.parent_path() : fs::path("."), transaction);
    transaction.add(path, to_glb(impl));
  } else {
    transaction.add(path, to_whole_glb(impl));
  }
  transaction.commit();
}

}  // namespace

std::vector<fs::path> external_files(const Impl& impl) {
  std::vector<fs::path> files;
  const auto add = [&](const Json& json) {
    const std::string uri = get_string(json, "uri");
    if (uri.empty() || is_data_uri(uri)) return;
    if (const auto path = relative_path(uri)) files.push_back(*path);
  };
  for (std::size_t i = 0; i < impl.buffers.size(); ++i) {
    if (impl.buffers[i].home == Impl::Home::file && !impl.buffers[i].changed) add(item(impl.json, "buffers", i));
  }
  for (const Json& image : items(impl.json, "images")) add(image);
  return files;
}

std::vector<std::uint8_t> to_glb(const Impl& impl) {
  Json json = impl.json;
  const bool chunk = first_buffer_in_chunk(impl);
  if (chunk) item(json, "buffers", 0).erase("uri");
  const std::string text = dump_json(json);
  std::uint64_t total = 12 + 8 + text.size() + 3;
  if (chunk) total += 8 + impl.buffers[0].bytes.size() + 3;
  for (const auto& other : impl.chunks) total += 8 + other.bytes.size() + 3;
  if (total > std::numeric_limits<std::uint32_t>::max())
    throw_unsupported("the result is larger than 4 GiB, the limit of a .glb");
  std::vector<std::uint8_t> out;
  out.reserve(total);
  append_u32(out, kMagic);
  append_u32(out, 2);
  append_u32(out, 0);
  append_chunk(out, kJsonChunk, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, ' ');
  if (chunk) append_chunk(out, kBinChunk, impl.buffers[0].bytes, 0);
  for (const auto& other : impl.chunks) append_chunk(out, other.type, other.bytes, 0);
  const auto size = static_cast<std::uint32_t>(out.size());
  std::memcpy(out.data() + 8, &size, sizeof size);
  return out;
}

std::vector<std::uint8_t> to_whole_glb(Impl whole) {
  merge_buffers(whole);
  embed_images(whole);
  return to_glb(whole);
}

void save(const Impl& document, const fs::path& path) {
  const std::optional<Impl> without_waste = pruned(document);
  const Impl& impl = without_waste ? *without_waste : document;
  const std::string extension = text::extension_of(path);
  if (extension == "glb") return save_glb(impl, path);
  if (extension == "gltf") return save_gltf(impl, path);
  throw Error(ErrorKind::bad_input, "cannot write '" + path.string() + "': a glTF file is named .glb or .gltf");
}

}  // namespace isochor::gltf

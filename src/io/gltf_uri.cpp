#include "gltf_uri.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "isochor/base/error.h"

namespace isochor::gltf {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string percent_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0) {
      out.push_back(static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2])));
      i += 2;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

std::vector<std::uint8_t> decode_base64(std::string_view text) {
  std::array<int, 256> value{};
  value.fill(-1);
  for (std::size_t i = 0; i < kBase64.size(); ++i) value[static_cast<unsigned char>(kBase64[i])] = static_cast<int>(i);
  value['-'] = 62;  // the URL-safe alphabet
  value['_'] = 63;
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  std::vector<std::uint8_t> bytes;
  bytes.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t bits = 0;
  int have = 0;
  for (const char c : text) {
    const int v = value[static_cast<unsigned char>(c)];
    if (v < 0) throw_bad_input("a data URI in it is not valid base64");
    bits = (bits << 6) | static_cast<std::uint32_t>(v);
    have += 6;
    if (have >= 8) {
      have -= 8;
      bytes.push_back(static_cast<std::uint8_t>(bits >> have));
      bits &= (1u << have) - 1;
    }
  }
  if (have >= 6) throw_bad_input("a data URI in it is cut off");
  return bytes;
}

bool has_scheme(std::string_view uri) {
  const std::size_t colon = uri.find(':');
  return colon != std::string_view::npos && colon < std::min(uri.find('/'), uri.size());
}

bool is_inside(const fs::path& path, const fs::path& folder) {
  const auto [end, ignored] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end();
}

}  // namespace

bool is_data_uri(std::string_view uri) { return uri.substr(0, 5) == "data:"; }

std::vector<std::uint8_t> decode_data_uri(std::string_view uri) {
  const std::size_t comma = uri.find(',');
  if (!is_data_uri(uri) || comma == std::string_view::npos) throw_bad_input("a data URI in it has no data");
  const std::string_view header = uri.substr(5, comma - 5);
  const std::string_view payload = uri.substr(comma + 1);
  constexpr std::string_view kMark = ";base64";
  if (header.size() >= kMark.size() && header.substr(header.size() - kMark.size()) == kMark) {
    return decode_base64(payload.find('%') == std::string_view::npos ? payload : percent_decode(payload));
  }
  const std::string text = percent_decode(payload);
  return {text.begin(), text.end()};
}

std::string encode_data_uri(const std::vector<std::uint8_t>& bytes) {
  std::string out = "data:application/octet-stream;base64,";
  out.reserve(out.size() + (bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) bits = (bits << 8) | (k < left ? bytes[i + k] : 0u);
    for (std::size_t k = 0; k < 4; ++k) out.push_back(k <= left ? kBase64[(bits >> (18 - 6 * k)) & 63] : '=');
  }
  return out;
}

std::optional<fs::path> relative_path(std::string_view uri) {
  if (uri.empty() || has_scheme(uri)) return std::nullopt;
  const std::string decoded = percent_decode(uri);
  // A backslash separates folders on other systems, where this file may be opened next.
  if (decoded.find('\0') != std::string::npos || decoded.find('\\') != std::string::npos) return std::nullopt;
  const fs::path path(decoded);
  if (path.empty() || path.is_absolute() || has_scheme(decoded)) return std::nullopt;
  for (const fs::path& component : path) {
    if (component == "..") return std::nullopt;
  }
  return path;
}

fs::path resolve_uri(std::string_view uri, const fs::path& folder) {
  const std::string shown(uri.substr(0, 200));
  const std::optional<fs::path> relative = relative_path(uri);
  if (!relative) throw_bad_input("it refers to '" + shown + "', which is outside its own folder");
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  if (error) throw_io("cannot open the folder '" + folder.string() + "': " + error.message());
  fs::path target = fs::weakly_canonical(root / *relative, error);
  if (error) throw_io("cannot open '" + shown + "', to which it refers: " + error.message());
  if (!is_inside(target, root)) throw_bad_input("it refers to '" + shown + "', which leads out of its own folder");
  return target;
}

std::string encode_uri(std::string_view file_name) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : file_name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || std::string_view("-._~()+,@").find(c) != std::string_view::npos) {
      out.push_back(c);
    } else {
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return out;
}

}  // namespace isochor::gltf

#pragma once

/// Whole files, in one piece: byte by byte, a large one takes seconds under the sanitizers.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace isochor::test {

template <class Bytes>
Bytes read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  Bytes bytes;
  if (!file) return bytes;
  bytes.resize(std::filesystem::file_size(path));
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

/// Nothing if it is not there.
inline std::string read_text(const std::filesystem::path& path) { return read_file<std::string>(path); }
inline std::vector<std::uint8_t> read_bytes(const std::filesystem::path& path) {
  return read_file<std::vector<std::uint8_t>>(path);
}

}  // namespace isochor::test

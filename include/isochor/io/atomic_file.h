#pragma once

/// Files that are either complete or not there: bytes go to a temporary file in the target's own folder, are flushed to
/// the disk, and the temporary is renamed over the target. A link is followed; a directory, a device or a pipe is
/// refused.

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace isochor {

/// Throws Error(io) with the operating system's reason; the target is then as it was, and no temporary is left behind.
void write_file_atomically(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

/// Removes the temporary files that are being written at this moment. May be called from a signal handler: a program
/// that is stopped then leaves nothing behind.
void remove_temporary_files() noexcept;

/// Whether both names lead to one file, or would if it were there.
bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// Several files that belong together (a .gltf and its .bin). All are written to temporaries first, so that a full disk
/// or a missing permission shows before the first target changes; commit() then renames them in the order in which they
/// were added. What was not committed is removed with the object. Add the file that refers to the others last.
class FileTransaction {
 public:
  FileTransaction() = default;
  ~FileTransaction();
  FileTransaction(const FileTransaction&) = delete;
  FileTransaction& operator=(const FileTransaction&) = delete;

  void add(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);
  void add(const std::filesystem::path& path, std::string_view text);
  void commit();

 private:
  struct Staged {
    std::filesystem::path temporary;
    std::filesystem::path target;
  };
  std::vector<Staged> staged_;
};

/// The whole file. Throws Error(io) for a missing file, a directory, or one that cannot be read, and Error(unsupported)
/// above `max_bytes`.
std::vector<std::uint8_t> read_file(const std::filesystem::path& path, std::uint64_t max_bytes = 4ull << 30);

}  // namespace isochor

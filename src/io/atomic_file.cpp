#include "isochor/io/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>

#include "isochor/base/error.h"

namespace isochor {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void throw_errno(const char* what, const fs::path& path) {
  const int code = errno;
  throw_io(std::string(what) + " '" + path.string() + "': " + std::strerror(code));
}

/// Names of temporary files for remove_temporary_files(), which a signal may call at any moment: fixed places, nothing
/// allocated. More files at once than there are places are written all the same.
class TemporaryNames {
 public:
  void add(const fs::path& name) {
    const std::string& text = name.native();
    if (text.size() >= kLongest) return;
    for (Place& place : places_) {
      int free = kFree;
      if (!place.state.compare_exchange_strong(free, kFilling)) continue;
      std::memcpy(place.name, text.c_str(), text.size() + 1);
      place.state.store(kLive);
      return;
    }
  }
  void remove(const fs::path& name) {
    for (Place& place : places_) {
      if (place.state.load() == kLive && name.native() == place.name) place.state.store(kFree);
    }
  }
  void unlink_all() noexcept {
    for (Place& place : places_) {
      if (place.state.load() == kLive) ::unlink(place.name);
    }
  }

 private:
  static constexpr int kPlaces = 16;
  static constexpr std::size_t kLongest = 4096;
  static constexpr int kFree = 0, kFilling = 1, kLive = 2;
  struct Place {
    std::atomic<int> state = kFree;
    char name[kLongest] = {};
  };
  Place places_[kPlaces];
};

constinit TemporaryNames temporary_names;

void remove_temporary(const fs::path& name) {
  ::unlink(name.c_str());
  temporary_names.remove(name);
}

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int get() const { return fd_; }
  int close() {
    const int result = ::close(fd_);
    fd_ = -1;
    return result;
  }

 private:
  int fd_;
};

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

void write_all(int fd, std::span<const std::uint8_t> bytes, const fs::path& target) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_errno("cannot write", target);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

/// A link is followed: the file that it leads to is replaced, not the link. Devices and pipes are never replaced.
fs::path resolve_target(const fs::path& path) {
  std::error_code error;
  fs::path target = fs::is_symlink(path, error) ? fs::weakly_canonical(path, error) : path;
  const fs::file_status status = fs::status(target, error);
  if (fs::is_directory(status)) throw_io("cannot write '" + path.string() + "': it is a directory");
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw_io("cannot write '" + path.string() + "': it is not a regular file");
  }
  return target;
}

/// Opens a new file beside the target, with the permissions of the file that it will replace.
int open_temporary(const fs::path& target, fs::path& name) {
  const std::string stem = "." + target.filename().string() + "." + std::to_string(::getpid()) + ".";
  for (int attempt = 0;; ++attempt) {
    name = folder_of(target) / (stem + std::to_string(attempt) + ".tmp");
    const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST && attempt < 1000) continue;
    if (fd >= 0) temporary_names.add(name);
    struct stat status {};
    if (fd >= 0 && ::stat(target.c_str(), &status) == 0) ::fchmod(fd, status.st_mode & 0777);
    return fd;
  }
}

fs::path write_temporary(const fs::path& target, std::span<const std::uint8_t> bytes) {
  fs::path name;
  FileDescriptor fd(open_temporary(target, name));
  if (fd.get() < 0) throw_errno("cannot write", target);
  try {
    write_all(fd.get(), bytes, target);
    if (::fsync(fd.get()) != 0 || fd.close() != 0) throw_errno("cannot write", target);
  } catch (...) {
    remove_temporary(name);
    throw;
  }
  return name;
}

/// Makes the rename itself durable. Some file systems refuse to sync a folder: the data is safe all the same.
void sync_folder(const fs::path& folder) {
  FileDescriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() >= 0) ::fsync(fd.get());
}

std::span<const std::uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace

void write_file_atomically(const fs::path& path, std::span<const std::uint8_t> bytes) {
  FileTransaction transaction;
  transaction.add(path, bytes);
  transaction.commit();
}

void remove_temporary_files() noexcept { temporary_names.unlink_all(); }

void write_file_atomically(const fs::path& path, std::string_view text) { write_file_atomically(path, as_bytes(text)); }

FileTransaction::~FileTransaction() {
  for (const Staged& file : staged_) remove_temporary(file.temporary);
}

void FileTransaction::add(const fs::path& path, std::span<const std::uint8_t> bytes) {
  staged_.reserve(staged_.size() + 1);
  const fs::path target = resolve_target(path);
  staged_.push_back({write_temporary(target, bytes), target});
}

void FileTransaction::add(const fs::path& path, std::string_view text) { add(path, as_bytes(text)); }

void FileTransaction::commit() {
  std::size_t done = 0;
  const auto forget_renamed = [&] {
    staged_.erase(staged_.begin(), staged_.begin() + static_cast<std::ptrdiff_t>(done));
  };
  for (const Staged& file : staged_) {
    if (::rename(file.temporary.c_str(), file.target.c_str()) != 0) {
      const int code = errno;
      const fs::path target = file.target;
      forget_renamed();
      errno = code;
      throw_errno("cannot write", target);
    }
    temporary_names.remove(file.temporary);
    sync_folder(folder_of(file.target));
    ++done;
  }
  forget_renamed();
}

bool same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code ignored;
  return std::filesystem::equivalent(a, b, ignored) ||
         std::filesystem::weakly_canonical(a, ignored) == std::filesystem::weakly_canonical(b, ignored);
}

std::vector<std::uint8_t> read_file(const fs::path& path, std::uint64_t max_bytes) {
  FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) throw_errno("cannot read", path);
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) throw_errno("cannot read", path);
  if (S_ISDIR(status.st_mode)) throw_io("cannot read '" + path.string() + "': it is a directory");
  std::vector<std::uint8_t> bytes;
  if (S_ISREG(status.st_mode)) bytes.reserve(std::min<std::uint64_t>(status.st_size, max_bytes));
  constexpr std::size_t kChunk = 1u << 20;
  while (true) {
    const std::size_t old_size = bytes.size();
    if (old_size > max_bytes) {
      throw_unsupported("cannot read '" + path.string() + "': it is larger than " + std::to_string(max_bytes >> 20) +
                        " MiB");
    }
    bytes.resize(old_size + kChunk);
    const ssize_t got = ::read(fd.get(), bytes.data() + old_size, kChunk);
    const int code = errno;
    bytes.resize(old_size + (got > 0 ? static_cast<std::size_t>(got) : 0));
    if (got == 0) return bytes;
    if (got < 0 && code != EINTR) {
      errno = code;
      throw_errno("cannot read", path);
    }
  }
}

}  // namespace isochor

#pragma once

/// Work that may crash, hang or take all memory, done in a process of its own.
///
/// The child is a fork of this process that never starts another program. A library cannot know where a program of its
/// own would be (the command line, a Python module and Blender all load it), and a fork needs no such place, no
/// configuration and no copy of the input: the child sees the same memory. What a fork of a process with threads asks
/// for:
///   - the child runs one thread and none of the others' work, so `work` must not use the parallel loops of base/;
///   - memory can be allocated in it: the C library brings its allocator through a fork in order;
///   - it leaves by _exit(), so that nothing of this process is flushed or torn down twice;
///   - signal handlers of the host are not for it: it starts with the defaults, without input or output.
/// Where there is no fork (the browser, Windows), this is not compiled (ISOCHOR_ASSIMP).

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace isochor {

struct ChildLimits {
  double seconds = 60;             ///< of processor time; four times as long by the clock, for a child that sleeps
  std::uint64_t memory = 1 << 30;  ///< bytes beyond what this process has now; enforced on Linux
};

enum class ChildEnd {
  done,           ///< it came to its end
  out_of_memory,  ///< an allocation failed, or the system ended it for want of memory
  out_of_time,
  crashed,  ///< a signal, an exception, an exit of its own
};

class ChildProcess {
 public:
  using Write = std::function<void(std::span<const std::byte>)>;

  /// Starts work(write) in a child; what it writes is read here. Throws Error(io) if no process can be started.
  ChildProcess(const ChildLimits& limits, const std::function<void(const Write&)>& work);
  /// Ends the child if it still runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Fills `out`; false if the child came to its end, or had to be ended, before it wrote so much.
  bool read(std::span<std::byte> out);
  /// Waits for the child, or ends it at its limit. Only after read() was false or everything was read.
  ChildEnd end();

 private:
  bool wait_for_bytes();
  bool fill_buffer();
  void stop();

  ChildLimits limits_;
  int pipe_ = -1;
  int pid_ = -1;
  std::vector<std::byte> buffer_;      ///< what came through the pipe
  std::span<const std::byte> unread_;  ///< of the buffer
  double waited_ = 0;                  ///< seconds
  bool late_ = false;
};

}  // namespace isochor

#include "io/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <string>

#include "isochor/base/error.h"

namespace isochor {
namespace {

constexpr int kOutOfMemory = 77;  // the child's exit code; any number that nobody else uses
constexpr int kGaveUp = 78;

/// All signals are held back while a process is made: the child must not run a handler of its host.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

void take_default_signals() {
  struct sigaction action = {};
  for (int signal = 1; signal < NSIG; ++signal) {
    action.sa_handler = signal == SIGPIPE ? SIG_IGN : SIG_DFL;
    sigaction(signal, &action, nullptr);  // fails for a few, which have no other anyway
  }
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

/// What a failed assertion prints is for programmers.
void silence() {
  const int nothing = open("/dev/null", O_RDWR);
  if (nothing < 0) return;
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, stream);
}

void set_limit(int resource, rlim_t soft, rlim_t hard) {
  rlimit limit = {};
  if (getrlimit(static_cast<decltype(RLIMIT_CPU)>(resource), &limit) != 0) return;
  limit.rlim_max = std::min(limit.rlim_max, hard);
  limit.rlim_cur = std::min(limit.rlim_max, soft);
  setrlimit(static_cast<decltype(RLIMIT_CPU)>(resource), &limit);
}

#ifdef __linux__
/// The size of this process in bytes; 0 if it is not known.
std::uint64_t own_size() {
  std::array<char, 64> text{};
  const int file = open("/proc/self/statm", O_RDONLY);
  if (file < 0) return 0;
  const auto length = ::read(file, text.data(), text.size() - 1);
  close(file);
  return length <= 0 ? 0 : std::strtoull(text.data(), nullptr, 10) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// Memory is counted by address space, from what the child has from its parent: with the address sanitizer that is
/// terabytes. Where it runs out for all, the child goes first.
void limit_memory(std::uint64_t bytes) {
  const std::uint64_t now = own_size();
  if (now > 0) set_limit(RLIMIT_AS, now + bytes, now + bytes);
  const int score = open("/proc/self/oom_score_adj", O_WRONLY);
  if (score < 0) return;
  [[maybe_unused]] const auto written = write(score, "1000", 4);
  close(score);
}
#else
void limit_memory(std::uint64_t) {}
#endif

void limit_child(const ChildLimits& limits) {
  const auto seconds = static_cast<rlim_t>(std::ceil(limits.seconds));
  set_limit(RLIMIT_CPU, seconds, seconds + 1);
  set_limit(RLIMIT_CORE, 0, 0);
  limit_memory(limits.memory);
#ifdef __linux__
  prctl(PR_SET_DUMPABLE, 0);         // no core goes to a program that collects them either
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody would read what it writes
#endif
  std::set_new_handler([] { _exit(kOutOfMemory); });
}

void write_all(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(kGaveUp);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

[[noreturn]] void run_child(int file, const ChildLimits& limits,
                            const std::function<void(const ChildProcess::Write&)>& work) {
  take_default_signals();
  silence();
  limit_child(limits);
  try {
    work([&](std::span<const std::byte> bytes) { write_all(file, bytes); });
  } catch (...) {
    _exit(kGaveUp);
  }
  _exit(0);
}

/// A pipe and the child at its other end. Made by one thread at a time: a child that another thread makes meanwhile
/// would keep the pipe open, and the end of this one would not be seen.
struct Started {
  int pipe = -1;
  pid_t pid = -1;
};

Started start(const ChildLimits& limits, const std::function<void(const ChildProcess::Write&)>& work) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw_io(std::string("no process could be started: ") + std::strerror(errno));
  for (const int end : ends) fcntl(end, F_SETFD, FD_CLOEXEC);
#ifdef F_SETPIPE_SZ
  fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);  // fewer turns between the two; the usual size does as well
#endif
  pid_t pid = -1;
  {
    const SignalsBlocked blocked;
    pid = fork();
    if (pid == 0) {
      close(ends[0]);
      run_child(ends[1], limits, work);
    }
  }
  const int error = errno;
  close(ends[1]);
  if (pid > 0) return {ends[0], pid};
  close(ends[0]);
  throw_io(std::string("no process could be started: ") + std::strerror(error));
}

}  // namespace

ChildProcess::ChildProcess(const ChildLimits& limits, const std::function<void(const Write&)>& work) : limits_(limits) {
  const Started started = start(limits, work);
  pipe_ = started.pipe;
  pid_ = started.pid;
}

ChildProcess::~ChildProcess() {
  stop();
  close(pipe_);
}

/// False at the limit. A slice counts for no more than it was to last: a job that was stopped and continued, or a
/// machine that slept, loses nothing.
bool ChildProcess::wait_for_bytes() {
  constexpr double kSlice = 0.5;  // seconds
  constexpr double kClock = 4;    // times the limit on processor time
  while (waited_ <= kClock * limits_.seconds) {
    const auto begin = std::chrono::steady_clock::now();
    pollfd wanted{pipe_, POLLIN, 0};
    const int ready = poll(&wanted, 1, static_cast<int>(1000 * kSlice));
    if (ready > 0 || (ready < 0 && errno != EINTR)) return true;
    const double passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    waited_ += std::min(passed, kSlice);
  }
  late_ = true;
  return false;
}

/// False at the end of what the child writes, or at the limit.
bool ChildProcess::fill_buffer() {
  constexpr std::size_t kBuffer = 1 << 20;
  buffer_.resize(kBuffer);
  while (wait_for_bytes()) {
    const auto taken = ::read(pipe_, buffer_.data(), buffer_.size());
    if (taken < 0 && errno == EINTR) continue;
    if (taken <= 0) return false;
    unread_ = std::span(buffer_).first(static_cast<std::size_t>(taken));
    return true;
  }
  return false;
}

bool ChildProcess::read(std::span<std::byte> out) {
  while (!out.empty()) {
    if (unread_.empty() && !fill_buffer()) return false;
    const std::size_t taken = std::min(out.size(), unread_.size());
    std::copy_n(unread_.begin(), taken, out.begin());
    unread_ = unread_.subspan(taken);
    out = out.subspan(taken);
  }
  return true;
}

ChildEnd ChildProcess::end() {
  // Its end of the pipe closes when it ends, and not before.
  while (!late_ && fill_buffer()) {
  }
  if (late_) {
    stop();
    return ChildEnd::out_of_time;
  }
  int status = 0;
  pid_t waited = -1;
  do {
    waited = waitpid(pid_, &status, 0);
  } while (waited < 0 && errno == EINTR);
  pid_ = -1;
  if (waited < 0) return ChildEnd::crashed;  // the host waits for all children itself: how it ended is not known
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return ChildEnd::done;
  if (WIFEXITED(status) && WEXITSTATUS(status) == kOutOfMemory) return ChildEnd::out_of_memory;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) return ChildEnd::out_of_memory;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) return ChildEnd::out_of_time;
  return ChildEnd::crashed;
}

void ChildProcess::stop() {
  if (pid_ < 0) return;
  int status = 0;
  // If the host has waited for it already, its number may be another process's by now.
  if (waitpid(pid_, &status, WNOHANG) == 0) {
    kill(pid_, SIGKILL);
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  pid_ = -1;
}

}  // namespace isochor

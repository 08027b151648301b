#include "io/child_process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace isochor {
namespace {

using Write = ChildProcess::Write;

void write_text(const Write& write, std::string_view text) { write(std::as_bytes(std::span(text))); }

/// What the child writes, and how it ends.
struct Outcome {
  std::string text;
  ChildEnd end = ChildEnd::done;
};

Outcome run(const std::function<void(const Write&)>& work,
            const ChildLimits& limits = {.seconds = 20, .memory = 1 << 30}) {
  Outcome outcome;
  ChildProcess child(limits, work);
  std::byte next{};
  while (child.read(std::span(&next, 1))) outcome.text.push_back(static_cast<char>(next));
  outcome.end = child.end();
  return outcome;
}

// What a child writes arrives, however much; what it changes stays with it.
TEST(ChildProcess, SendsWhatItMade) {
  int number = 1;
  const std::string long_text(3'000'001, 'x');
  ChildProcess child({.seconds = 20, .memory = 1 << 30}, [&](const Write& write) {
    number = 2;
    write_text(write, long_text);
    write_text(write, std::to_string(number));
  });
  std::string text(long_text.size() + 1, ' ');
  EXPECT_TRUE(child.read(std::as_writable_bytes(std::span(text))));
  EXPECT_EQ(text, long_text + "2");
  EXPECT_EQ(child.end(), ChildEnd::done);
  EXPECT_EQ(number, 1);
}

// Whatever ends a child, this process learns that it ended, with what it had written until then.
TEST(ChildProcess, SurvivesItsEnd) {
  const std::vector<std::function<void()>> ends = {[] { std::abort(); },
                                                   [] { std::raise(SIGSEGV); },
                                                   [] { std::raise(SIGFPE); },
                                                   [] { std::terminate(); },
                                                   [] { throw std::runtime_error("no"); },
                                                   [] { throw 1; },
                                                   [] { _exit(3); },
                                                   [] { std::raise(SIGTERM); }};
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const Outcome outcome = run([&](const Write& write) {
      write_text(write, "half");
      ends[i]();
    });
    EXPECT_EQ(outcome.text, "half") << i;
    EXPECT_EQ(outcome.end, ChildEnd::crashed) << i;
  }
}

// An endless loop and an endless sleep are ended.
TEST(ChildProcess, LimitsTime) {
  const auto loop = [](const Write&) {
    volatile unsigned i = 0;
    for (;;) {
      const unsigned next = i + 1;
      i = next;
    }
  };
  const auto sleep = [](const Write&) {
    for (;;) pause();
  };
  EXPECT_EQ(run(loop, {.seconds = 1, .memory = 1 << 30}).end, ChildEnd::out_of_time);
  EXPECT_EQ(run(sleep, {.seconds = 0.1, .memory = 1 << 30}).end, ChildEnd::out_of_time);
}

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ISOCHOR_TEST_SANITIZED  // their allocators have address space of their own, and their own ways to fail
#endif
#endif
#ifndef ISOCHOR_TEST_SANITIZED
// Memory beyond the limit is refused; what this process holds already does not count.
TEST(ChildProcess, LimitsMemory) {
  const std::vector<char> mine(300 << 20, 1);
  const auto take = [](std::size_t megabytes) {
    return [megabytes](const Write& write) {
      std::vector<std::vector<char>> taken;
      for (std::size_t i = 0; i < megabytes; ++i) taken.emplace_back(1 << 20, 'x');
      write_text(write, "done");
    };
  };
  EXPECT_EQ(run(take(100), {.seconds = 20, .memory = 200 << 20}).text, "done");
  const Outcome beyond = run(take(1000), {.seconds = 20, .memory = 200 << 20});
  EXPECT_EQ(beyond.text, "");
  EXPECT_EQ(beyond.end, ChildEnd::out_of_memory);
}
#endif
#endif

// A host's signal handlers are not run in the child, nor does the child print.
TEST(ChildProcess, LeavesTheHostAlone) {
  const auto before = std::signal(SIGTERM, [](int) {});  // would let it live
  testing::internal::CaptureStderr();
  const Outcome outcome = run([](const Write& write) {
    fprintf(stderr, "from the child\n");
    fflush(stderr);
    std::raise(SIGTERM);
    write_text(write, "after");
  });
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(outcome.text, "");
  EXPECT_EQ(outcome.end, ChildEnd::crashed);
  std::signal(SIGTERM, before);
}

// Where the host lets the system take away ended children, answers still arrive.
TEST(ChildProcess, StandsIgnoredChildren) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(run([](const Write& write) { write_text(write, "here"); }).text, "here");
  const Outcome outcome = run([](const Write&) { std::abort(); });
  EXPECT_EQ(outcome.end, ChildEnd::crashed);
  std::signal(SIGCHLD, before);
}

// A child that nobody listens to any more is gone, and leaves no trace.
TEST(ChildProcess, EndsWithItsReader) {
  {
    ChildProcess child({.seconds = 20, .memory = 1 << 30}, [](const Write& write) {
      for (;;) write_text(write, "more and more");
    });
    std::array<std::byte, 10> some{};
    EXPECT_TRUE(child.read(some));
  }
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);  // no child is left
}

// Threads may start children at the same time, and each sees the end of its own.
TEST(ChildProcess, WorksFromManyThreads) {
  std::vector<std::thread> threads;
  std::array<Outcome, 8> outcomes;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    threads.emplace_back([i, &outcomes] {
      outcomes[i] = run([i](const Write& write) {
        const std::vector<std::string> words(1000, std::to_string(i));
        for (const std::string& word : words) write_text(write, word);
        if (i % 2 == 0) std::abort();
      });
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    EXPECT_EQ(outcomes[i].text.size(), 1000U);
    EXPECT_EQ(outcomes[i].end, i % 2 == 0 ? ChildEnd::crashed : ChildEnd::done);
  }
}

}  // namespace
}  // namespace isochor

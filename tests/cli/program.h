#pragma once

/// Runs the program as a user does.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "support/data.h"
#include "support/files.h"

namespace isochor::test {

struct Ran {
  int code = -1;
  std::string out;
  std::string err;
};

inline void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

inline nlohmann::json read_json(const std::filesystem::path& path) { return nlohmann::json::parse(read_text(path)); }

inline std::string quoted(const std::filesystem::path& path) { return "'" + path.string() + "'"; }

/// The program of the same build, found from where the tests are: a path on the compiler's command line would be
/// another one in every checkout.
inline std::filesystem::path program() {
  return std::filesystem::canonical("/proc/self/exe").parent_path() / "../../cli/isochor";
}

/// `arguments` as typed in a shell, the folder `here` the current one.
inline Ran run_isochor(const TempFolder& here, const std::string& arguments) {
  const std::string command =
      "cd " + quoted(here.path()) + " && " + quoted(program()) + " " + arguments + " >.stdout 2>.stderr </dev/null";
  const int status = std::system(command.c_str());
  Ran ran;
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  ran.out = read_text(here / ".stdout");
  ran.err = read_text(here / ".stderr");
  return ran;
}

/// Exit code 2, one sentence of the program's own on standard error, nothing on standard output.
inline void expect_refused(const Ran& ran, const std::string& what) {
  EXPECT_EQ(ran.code, 2) << what << "\n" << ran.out << ran.err;
  EXPECT_EQ(ran.err.rfind("isochor: ", 0), 0u) << what << "\n" << ran.err;
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << what << "\n" << ran.err;
}

}  // namespace isochor::test

#pragma once

/// What all subcommands share: the common options, the report, progress on a terminal, exit codes.

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "isochor/base/context.h"
#include "isochor/base/problem.h"

namespace CLI {
class App;
}

namespace isochor::cli {

using Json = nlohmann::ordered_json;

enum ExitCode {
  exit_done = 0,
  exit_gate_failed = 1,  ///< done, but a quality gate that the user named failed
  exit_bad_input = 2,    ///< bad usage or bad input; nothing was written
};

/// One run of the program. A subcommand's parser leaves its work in `action`; main() runs it and writes the report.
class Session {
 public:
  /// Adds --report, --threads and --quiet to a subcommand.
  void add_common_options(CLI::App& command);

  Context& context() { return context_; }
  bool quiet() const { return quiet_; }

  /// Filled by the subcommand; written to --report at the end.
  Json& report() { return report_; }
  void add_warnings(const Problems& problems);

  /// Prints to standard output unless --quiet.
  void print(const std::string& line) const;

  /// Sets what the chosen subcommand does; its return value is the exit code.
  void set_action(std::string command, std::function<int()> action);
  int run();

 private:
  void show_progress();
  void write_report();

  Context context_;
  Json report_ = Json::object();
  std::filesystem::path report_path_;
  int threads_ = 0;
  bool quiet_ = false;
  std::string command_;
  std::function<int()> action_;
};

/// Throws unless `output` can be written without destroying something the user did not mean: it is not one of the
/// inputs (unless `overwrite`), not a directory, and its folder exists.
struct OutputCheck {
  std::vector<std::filesystem::path> inputs;
  bool overwrite = false;
};
void check_output(const std::filesystem::path& output, const OutputCheck& check);

Json to_json(const Problem& problem);
Json to_json(const Problems& problems);

}  // namespace isochor::cli

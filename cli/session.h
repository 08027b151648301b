#pragma once

/// What all subcommands share: the common options, the report, progress on a terminal, exit codes.

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

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

/// The files of a call.
struct CallFiles {
  std::vector<std::filesystem::path> inputs = {};   ///< empty names are passed over
  std::vector<std::filesystem::path> outputs = {};  ///< what is written beside them, as an .mtl, is known by itself
  std::filesystem::path folder = {};                ///< of outputs; is made where it is not there
  /// An input that one output, with what is written beside it, replaces with --overwrite.
  struct Replaceable {
    std::filesystem::path input = {}, output = {};
    bool allowed = false;  ///< whether --overwrite was given
  };
  std::optional<Replaceable> replaceable = {};
};

/// One run of the program. A subcommand's parser leaves its work in `action`; main() runs it and writes the report.
class Session {
 public:
  /// Adds --report, --threads, --verbose and --quiet to a subcommand.
  void add_common_options(CLI::App& command);

  Context& context() { return context_; }
  bool quiet() const { return quiet_; }
  bool verbose() const { return verbose_; }

  /// Throws unless every output, the report too, can be written without destroying something: it is not an input, not
  /// another output, not a folder, and its own folder exists. To be called before anything is written; again with what
  /// becomes known later (the files that an input refers to).
  void claim(const CallFiles& files);

  /// Filled by the subcommand; written to --report at the end.
  Json& report() { return report_; }
  void add_warnings(const Problems& problems);

  /// Prints to standard output unless --quiet.
  void print(const std::string& line) const;
  /// Prints to standard output with --verbose.
  void print_detail(const std::string& line) const;
  /// Prints why a gate failed, whatever else is printed. The exit code for it.
  int fail_gate(const std::string& sentence) const;

  /// Sets what the chosen subcommand does; its return value is the exit code.
  void set_action(std::string command, std::function<int()> action);
  int run();

 private:
  void make_folder(const std::filesystem::path& folder) const;
  void show_progress();
  void hide_progress() const;
  void write_report();

  Context context_;
  Json report_ = Json::object();
  std::filesystem::path report_path_;
  int threads_ = 0;
  bool quiet_ = false;
  bool verbose_ = false;
  mutable bool bar_is_shown_ = false;
  std::vector<std::filesystem::path> inputs_, outputs_;
  CallFiles::Replaceable replaceable_;
  std::string command_;
  std::function<int()> action_;
};

Json to_json(const Problem& problem);
Json to_json(const Problems& problems);

}  // namespace isochor::cli

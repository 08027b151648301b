#include "session.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>

#include "isochor/base/error.h"
#include "isochor/io/atomic_file.h"
#include "isochor/version.h"
#include "options.h"

namespace isochor::cli {
namespace fs = std::filesystem;
namespace {

void check_writable(const fs::path& output) {
  std::error_code ignored;
  if (fs::is_directory(output, ignored)) throw_bad_input("the output " + output.string() + " is a folder, not a file");
  const fs::path folder = output.has_parent_path() ? output.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, ignored)) throw_bad_input("the folder " + folder.string() + " does not exist");
}

/// What is written beside an output.
std::vector<fs::path> companions(const fs::path& output) {
  const fs::path stem = output.parent_path() / output.stem();
  if (output.extension() == ".obj") return {stem.string() + ".mtl"};
  return {};
}

/// Whether a file may be the buffer of a .gltf, which finds itself a name that no file has: NAME.bin, NAME-1.bin and so
/// on.
bool may_be_buffer(const fs::path& file, const fs::path& gltf) {
  if (gltf.extension() != ".gltf" || file.extension() != ".bin") return false;
  const std::string stem = file.stem().string(), name = gltf.stem().string();
  return (stem == name || stem.substr(0, stem.rfind('-')) == name) &&
         same_file(file.parent_path() / "x", gltf.parent_path() / "x");
}

}  // namespace

void Session::add_common_options(CLI::App& command) {
  command.add_option("--report", report_path_, "write inputs, options, counts, times, warnings and results as JSON")
      ->type_name("FILE")
      ->group("Common");
  command
      .add_option("--threads", threads_,
                  "threads to use, 0 to 1024; the result is the same for any number (default 0: all cores)")
      ->type_name("N")
      ->check(whole_in_range(0, 1024))
      ->group("Common");
  auto* verbose = command.add_flag("--verbose", verbose_, "print more: every joint, every component")->group("Common");
  command.add_flag("--quiet", quiet_, "print errors and failed gates only")->group("Common")->excludes(verbose);
  command.set_help_all_flag("--help-all", "all options, those for experts too");
}

/// The folder of outputs, made where it is not there and none of them has its name.
void Session::make_folder(const fs::path& folder) const {
  for (const fs::path& output : outputs_) {
    if (same_file(output, folder))
      throw_bad_input(output.string() + " is the name of the folder to write to; give another");
  }
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder)) throw_bad_input("the folder " + folder.string() + " cannot be made");
}

void Session::claim(const CallFiles& files) {
  if (!files.folder.empty()) make_folder(files.folder);
  for (const fs::path& input : files.inputs) {
    if (!input.empty()) inputs_.push_back(input);
  }
  for (const fs::path& output : files.outputs) {
    if (output.empty()) continue;
    check_writable(output);
    outputs_.push_back(output);
    for (fs::path& beside : companions(output)) outputs_.push_back(std::move(beside));
  }
  if (files.replaceable) replaceable_ = *files.replaceable;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (same_file(outputs_[i], outputs_[k]) || may_be_buffer(outputs_[i], outputs_[k]) ||
          may_be_buffer(outputs_[k], outputs_[i])) {
        throw_bad_input(outputs_[i].string() + " would be written twice; give another name");
      }
    }
    for (const fs::path& input : inputs_) {
      if (!same_file(outputs_[i], input)) continue;
      // An OBJ that is replaced takes its material library along.
      const bool replaces = same_file(replaceable_.output, replaceable_.input);
      const std::vector<fs::path> beside = companions(replaceable_.output);
      const bool meant = replaces && (same_file(outputs_[i], replaceable_.output) ||
                                      std::any_of(beside.begin(), beside.end(),
                                                  [&](const fs::path& file) { return same_file(outputs_[i], file); }));
      if (meant && replaceable_.allowed && (replaceable_.input == input || !same_file(input, replaceable_.input)))
        continue;
      throw_bad_input("the output " + outputs_[i].string() + " is an input too; give another name" +
                      (meant ? ", or --overwrite" : ""));
    }
  }
}

void Session::add_warnings(const Problems& problems) {
  for (const Problem& problem : problems) {
    report_["warnings"].push_back(to_json(problem));
    const std::string line = "  " + std::string(to_string(problem.severity)) + ": " + problem.sentence;
    problem.severity == Severity::note ? print_detail(line) : print(line);
  }
}

void Session::print(const std::string& line) const {
  hide_progress();
  if (!quiet_) std::cout << line << '\n';
}

void Session::print_detail(const std::string& line) const {
  if (verbose_) print(line);
}

int Session::fail_gate(const std::string& sentence) const {
  hide_progress();
  std::cerr << "isochor: " << sentence << '\n';
  return exit_gate_failed;
}

void Session::set_action(std::string command, std::function<int()> action) {
  command_ = std::move(command);
  action_ = std::move(action);
}

int Session::run() {
  context_.set_threads(threads_);
  report_["isochor"] = ISOCHOR_VERSION;
  report_["command"] = command_;
  report_["inputs"] = Json::array();
  report_["options"] = Json::object();
  report_["warnings"] = Json::array();
  claim({.inputs = {}, .outputs = {report_path_}});
  show_progress();
  int code = exit_done;
  {
    const StageTimer timer(context_, "total");
    const struct Hidden {
      const Session& of;
      ~Hidden() { of.hide_progress(); }
    } at_the_end{*this};
    code = action_();
  }
  if (!report_path_.empty()) write_report();
  return code;
}

void Session::show_progress() {
  if (quiet_ || ::isatty(STDERR_FILENO) == 0) return;
  context_.set_progress([this, last = -1, shown = std::string()](std::string_view stage, double fraction) mutable {
    constexpr int kWidth = 30;
    const int filled = static_cast<int>(std::lround(fraction * kWidth));
    if (filled == last && stage == shown) return;
    last = filled;
    shown = stage;
    if (fraction >= 1) {
      hide_progress();
    } else {
      bar_is_shown_ = true;
      std::fprintf(stderr, "\r%-12s [%s%s] %3d %%", shown.c_str(), std::string(filled, '#').c_str(),
                   std::string(kWidth - filled, ' ').c_str(), static_cast<int>(fraction * 100));
    }
    std::fflush(stderr);
  });
}

void Session::hide_progress() const {
  if (!bar_is_shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  bar_is_shown_ = false;
}

void Session::write_report() {
  Json& seconds = report_["seconds"];
  for (const StageTime& time : context_.times()) seconds[time.name] = time.seconds;
  write_file_atomically(report_path_, report_.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

Json to_json(const Problem& problem) {
  Json json;
  json["severity"] = to_string(problem.severity);
  json["code"] = problem.code;
  json["sentence"] = problem.sentence;
  json["count"] = problem.count;
  if (!problem.elements.empty()) json["elements"] = problem.elements;
  return json;
}

Json to_json(const Problems& problems) {
  Json json = Json::array();
  for (const Problem& problem : problems) json.push_back(to_json(problem));
  return json;
}

}  // namespace isochor::cli

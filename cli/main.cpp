#include <CLI/CLI.hpp>
#include <csignal>
#include <exception>
#include <iostream>
#include <new>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "commands.h"
#include "isochor/base/error.h"
#include "isochor/io/atomic_file.h"
#include "isochor/version.h"
#include "options.h"
#include "session.h"

namespace {

using namespace isochor;
using namespace isochor::cli;

/// Leaves options for experts out of --help; --help-all shows them.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    all_ = mode == CLI::AppFormatMode::All;
    std::string help = CLI::Formatter::make_help(app, std::move(name), mode);
    // One blank line between groups is enough.
    for (auto at = help.find("\n\n\n"); at != std::string::npos; at = help.find("\n\n\n")) help.erase(at, 1);
    return help;
  }
  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    if (group == kExpertGroup && !all_) return {};
    return CLI::Formatter::make_group(std::move(group), is_positional, std::move(options));
  }

 private:
  mutable bool all_ = false;  // the interface passes the mode to make_help() alone
};

int complain(const std::string& sentence) {
  std::cerr << "isochor: " << sentence << '\n';
  return exit_bad_input;
}

/// Ctrl-C leaves no half-written file behind.
extern "C" void stop(int signal_number) {
  remove_temporary_files();
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

void clean_up_when_stopped() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    // A signal that was switched off, as by nohup, stays off.
    if (std::signal(number, stop) == SIG_IGN) std::signal(number, SIG_IGN);
  }
}

/// Memory that is freed is kept for the next frame. By default glibc gives large pieces back to the system at once,
/// which has to clear them again: a fifteenth of the time of `deform`.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
#endif
}

/// A word that is no command, where one is expected: CLI11 would only say that a command is missing.
std::string unknown_command(const CLI::App& program, int argc, char** argv) {
  const std::string word = argc > 1 ? argv[1] : "";
  if (word.empty()) return {};
  if (word.front() == '-') {
    if (program.get_option_no_throw(word) != nullptr) return {};
    return "there is no option " + word + " before a command; isochor COMMAND --help tells those of a command";
  }
  std::string names;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == word) return {};
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  return "there is no command " + word + "; the commands are " + names;
}

/// A value that is empty, as an unset variable of a shell leaves it, would count as not given.
std::string empty_value(int argc, char** argv) {
  for (int i = 2; i < argc; ++i) {
    if (*argv[i] == '\0') return "the value after " + std::string(argv[i - 1]) + " is empty";
  }
  return {};
}

/// Runs the chosen subcommand; every error becomes one sentence and exit code 2.
int run(Session& session) {
  try {
    return session.run();
  } catch (const Error& error) {
    return complain(error.what());
  } catch (const std::bad_alloc&) {
    return complain("not enough memory for this input");
  } catch (const std::exception& error) {
    return complain(std::string("something unexpected happened: ") + error.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App program("Binds a character's skin to its skeleton and deforms it without losing volume.", "isochor");
  program.set_version_flag("--version", std::string("isochor ") + ISOCHOR_VERSION);
  program.require_subcommand(1);
  const auto formatter = std::make_shared<HelpFormatter>();
  formatter->column_width(34);
  program.formatter(formatter);
  Session session;
  add_demo(program, session);
  add_sample(program, session);
  add_inspect(program, session);
  add_bind(program, session);
  add_deform(program, session);
  add_compare(program, session);
  add_render(program, session);
  add_studio(program, session);
  program.footer(
      "Exit codes: 0 done; 1 done, but a quality gate that was asked for failed; 2 bad usage or bad input, nothing "
      "written.\n"
      "isochor COMMAND --help tells more about a command, isochor COMMAND --help-all everything.");
  keep_freed_memory();
  clean_up_when_stopped();
  if (const std::string sentence = unknown_command(program, argc, argv); !sentence.empty()) return complain(sentence);
  if (const std::string sentence = empty_value(argc, argv); !sentence.empty()) return complain(sentence);
  try {
    program.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return program.exit(help);
  } catch (const CLI::CallForAllHelp& help) {
    return program.exit(help);
  } catch (const CLI::CallForVersion& version) {
    return program.exit(version);
  } catch (const CLI::ParseError& error) {
    return complain(std::string(error.what()) + " (isochor " + (argc > 1 ? argv[1] + std::string(" ") : "") +
                    "--help)");
  }
  return run(session);
}

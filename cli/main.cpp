#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <new>

#include "commands.h"
#include "isochor/base/error.h"
#include "isochor/version.h"
#include "session.h"

namespace {

using namespace isochor;
using namespace isochor::cli;

int complain(const std::string& sentence) {
  std::cerr << "isochor: " << sentence << '\n';
  return exit_bad_input;
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
  program.get_formatter()->column_width(34);
  Session session;
  add_demo(program, session);
  add_sample(program, session);
  add_inspect(program, session);
  add_bind(program, session);
  add_deform(program, session);
  add_compare(program, session);
  add_render(program, session);
  program.footer(
      "Exit codes: 0 done; 1 done, but a quality gate that was asked for failed; 2 bad usage or bad input, nothing "
      "written.\n"
      "isochor COMMAND --help tells more about a command.");
  try {
    program.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return program.exit(help);
  } catch (const CLI::CallForAllHelp& help) {
    return program.exit(help);
  } catch (const CLI::CallForVersion& version) {
    return program.exit(version);
  } catch (const CLI::ParseError& error) {
    return complain(std::string(error.what()) + " (isochor --help)");
  }
  return run(session);
}

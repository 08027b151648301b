/// isochor studio [FILE]: the page in which one binds, poses and shapes, served to this machine's browser.

#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <iostream>
#include <thread>

#include "commands.h"
#include "isochor/base/error.h"
#include "isochor/io/atomic_file.h"
#include "isochor/io/written_character.h"
#include "options.h"
#include "serve/page_server.h"
#include "session.h"

namespace isochor::cli {
namespace {

namespace fs = std::filesystem;

struct StudioOptions {
  fs::path file;
  fs::path page;
  int port = 0;
  bool no_open = false;
};

/// Beside the program: where an installation has it, and where ./run puts it. In this order: from ~/.local/bin the
/// latter is ~/studio, which may be anything.
fs::path find_page(const fs::path& given) {
  if (!given.empty()) {
    if (!fs::exists(given / "index.html")) throw_bad_input(given.string() + " holds no page: there is no index.html");
    return given;
  }
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& folder : {program / "../share/isochor/studio", program / "../../studio"}) {
    if (fs::exists(folder / "index.html", error)) return folder;
  }
  throw_bad_input("the page of the studio has not been built; ./run studio builds it");
}

/// A GLB as it is; anything else as the GLB that the library makes of it, since a page reads no FBX and finds no files
/// beside the one it is given.
std::vector<std::uint8_t> glb_of(const fs::path& file, Context& context) {
  const Loaded loaded = load_character(file, {.keep_baked = true}, context);
  const bool is_glb = loaded.as_read && loaded.files.empty() && file.extension() != ".gltf";
  if (is_glb) return read_file(file);
  return as_written(loaded).source().document.to_whole_glb();
}

std::vector<std::uint8_t> bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

/// The machine's own browser; false if nothing could be started. What it prints is nobody's concern. It neither
/// inherits that StopSignals holds signals back, nor ends by the Ctrl-C that ends this program.
bool open_browser(const std::string& address) {
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&quiet, stream, "/dev/null", O_RDWR, 0);
  }
  posix_spawnattr_t apart;
  posix_spawnattr_init(&apart);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&apart, &none);
  posix_spawnattr_setpgroup(&apart, 0);
  posix_spawnattr_setflags(&apart, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  std::string program = "xdg-open", argument = address;
  char* arguments[] = {program.data(), argument.data(), nullptr};
  pid_t child = 0;
  const bool started = posix_spawnp(&child, program.c_str(), &quiet, &apart, arguments, environ) == 0;
  posix_spawnattr_destroy(&apart);
  posix_spawn_file_actions_destroy(&quiet);
  return started;
}

/// Ctrl-C and its kin are waited for on this thread, and go to no other.
class StopSignals {
 public:
  StopSignals() {
    sigemptyset(&set_);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set_, number);
    pthread_sigmask(SIG_BLOCK, &set_, &before_);
  }
  ~StopSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  void wait() const {
    int number = 0;
    sigwait(&set_, &number);
  }

 private:
  sigset_t set_ = {}, before_ = {};
};

int studio(const StudioOptions& options, Session& session) {
  session.claim({.inputs = {options.file}});
  ServedPage page{.folder = find_page(options.page), .files = {}};
  std::string fragment;
  if (!options.file.empty()) {
    const std::string name = options.file.stem().string() + ".glb";
    page.files["/open/" + name] = glb_of(options.file, session.context());
    page.files["/open/files.json"] = bytes_of(Json::array({name}).dump());
    fragment = "#open=open/files.json";
  }
  const StopSignals signals;
  PageServer server(std::move(page), options.port);
  const std::string address = "http://127.0.0.1:" + std::to_string(server.port()) + "/" + fragment;
  std::cout << address << std::endl;  // flushed: scripts read it while the program runs
  std::thread answering([&] { server.run(); });
  const bool opened = options.no_open || open_browser(address);
  if (!session.quiet()) {
    std::cout << (opened ? "The studio is open at this address; Ctrl-C ends it."
                         : "No browser could be started: open this address in yours; Ctrl-C ends the studio.")
              << std::endl;
  }
  signals.wait();
  server.stop();
  answering.join();
  return exit_done;
}

}  // namespace

void add_studio(CLI::App& program, Session& session) {
  CLI::App& command =
      *program.add_subcommand("studio", "bind, pose and draw the bulge in the browser, served to this machine alone");
  auto options = std::make_shared<StudioOptions>();
  command.add_option("FILE", options->file, "a character to open");
  command.add_option("--port", options->port, "the port to serve at (1 to 65535; default: a free one)")
      ->type_name("N")
      ->check(whole_in_range(1, 65535));
  command.add_flag("--no-open", options->no_open, "leave the browser alone; the address is the first line printed");
  command.add_option("--page", options->page, "the folder of the built page, if it is not beside the program")
      ->type_name("FOLDER")
      ->group(kExpertGroup);
  session.add_common_options(command);
  command.callback(
      [options, &session] { session.set_action("studio", [options, &session] { return studio(*options, session); }); });
}

}  // namespace isochor::cli

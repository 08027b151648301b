#pragma once

/// Serves the files of one folder, and some that are in memory, to the browsers of this machine and to nobody else.

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace isochor {

struct ServedPage {
  std::filesystem::path folder;  ///< index.html is its page
  /// By path, as "/open/a.glb": files that are not in the folder.
  std::map<std::string, std::vector<std::uint8_t>> files;
};

class PageServer {
 public:
  /// On 127.0.0.1 only; port 0 takes a free one. Throws Error(io) if the port is in use.
  PageServer(ServedPage page, int port);
  ~PageServer();
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;

  int port() const { return port_; }
  /// Answers until stop() is called from another thread, which may come first.
  void run();
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  int port_ = 0;
};

}  // namespace isochor

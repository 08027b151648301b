#include "serve/page_server.h"

#include <httplib.h>
#undef _res  // a macro of the system's resolv.h, and a name inside Eigen

#include <atomic>
#include <chrono>
#include <string_view>
#include <thread>

#include "isochor/base/error.h"
#include "isochor/io/atomic_file.h"

namespace isochor {
namespace {

namespace fs = std::filesystem;

const char* content_type(const fs::path& path) {
  static const std::map<std::string, const char*> types = {{".html", "text/html; charset=utf-8"},
                                                           {".js", "text/javascript; charset=utf-8"},
                                                           {".css", "text/css; charset=utf-8"},
                                                           {".json", "application/json"},
                                                           {".wasm", "application/wasm"},
                                                           {".svg", "image/svg+xml"},
                                                           {".png", "image/png"},
                                                           {".webp", "image/webp"},
                                                           {".glb", "model/gltf-binary"},
                                                           {".txt", "text/plain; charset=utf-8"}};
  const auto found = types.find(path.extension().string());
  return found == types.end() ? "application/octet-stream" : found->second;
}

/// The page loads nothing from elsewhere and talks to nobody. COOP and COEP isolate it, so that it may share memory
/// with its worker.
const httplib::Headers& isolating_headers() {
  static const httplib::Headers headers = {
      {"Content-Security-Policy",
       "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; connect-src 'self' blob: "
       "data:; img-src 'self' blob: data:; style-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; "
       "frame-ancestors 'none'"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cross-Origin-Embedder-Policy", "require-corp"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"X-Content-Type-Options", "nosniff"},
      {"Referrer-Policy", "no-referrer"},
      {"Cache-Control", "no-cache"}};
  return headers;
}

void refuse(httplib::Response& response, int status, const char* sentence) {
  response.status = status;
  response.set_content(sentence, "text/plain; charset=utf-8");
}

/// Another name for this machine in the Host header is a page of somebody else that wants to read ours.
bool is_own_host(const std::string& host, int port) {
  const std::string suffix = ":" + std::to_string(port);
  return host == "127.0.0.1" + suffix || host == "localhost" + suffix;
}

/// The file that a path of the folder names; empty if it leads out, by links too, or is none.
fs::path file_in(const fs::path& folder, std::string_view path) {
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  if (error || path.empty() || path.front() != '/' || path.find('\0') != std::string_view::npos) return {};
  const fs::path file = fs::canonical(root / std::string(path.substr(1)), error);
  if (error || !fs::is_regular_file(file, error)) return {};
  const fs::path inside = file.lexically_relative(root);
  return inside.empty() || *inside.begin() == ".." ? fs::path{} : file;
}

}  // namespace

struct PageServer::Impl {
  ServedPage page;
  httplib::Server server;
  std::atomic<bool> ended = false;

  void answer(const httplib::Request& request, httplib::Response& response) const {
    const std::string path = request.path == "/" ? "/index.html" : request.path;
    if (const auto found = page.files.find(path); found != page.files.end()) {
      response.set_content(reinterpret_cast<const char*>(found->second.data()), found->second.size(),
                           content_type(path));
      return;
    }
    const fs::path file = file_in(page.folder, path);
    if (file.empty()) return refuse(response, 404, "There is no such file.\n");
    // httplib compresses text by itself; of the WebAssembly module there is a compressed copy.
    const fs::path packed = file_in(page.folder, path + ".gz");
    const bool unpacks = request.get_header_value("Accept-Encoding").find("gzip") != std::string::npos;
    const bool send_packed = unpacks && !packed.empty();
    if (send_packed) response.set_header("Content-Encoding", "gzip");
    const std::vector<std::uint8_t> bytes = read_file(send_packed ? packed : file);
    response.set_content(reinterpret_cast<const char*>(bytes.data()), bytes.size(), content_type(file));
  }
};

PageServer::PageServer(ServedPage page, int port) : impl_(std::make_unique<Impl>()) {
  impl_->page = std::move(page);
  httplib::Server& server = impl_->server;
  server.set_default_headers(isolating_headers());
  // httplib would share the port with another program of the same user: two studios at one address.
  server.set_socket_options([](socket_t socket) {
    const int on = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  });
  server.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
    if (!is_own_host(request.get_header_value("Host"), port_)) {
      refuse(response, 403, "This server answers to its own address alone.\n");
      return httplib::Server::HandlerResponse::Handled;
    }
    if (request.method != "GET" && request.method != "HEAD") {
      refuse(response, 405, "This server only gives files.\n");
      return httplib::Server::HandlerResponse::Handled;
    }
    return httplib::Server::HandlerResponse::Unhandled;
  });
  server.Get(
      ".*", [this](const httplib::Request& request, httplib::Response& response) { impl_->answer(request, response); });
  if (port == 0) {
    port_ = server.bind_to_any_port("127.0.0.1");
  } else {
    port_ = server.bind_to_port("127.0.0.1", port) ? port : -1;
  }
  if (port_ <= 0) {
    throw_io(port == 0 ? std::string("cannot serve the page: no port is free")
                       : "cannot serve the page: port " + std::to_string(port) + " is in use");
  }
}

PageServer::~PageServer() = default;

void PageServer::run() {
  impl_->server.listen_after_bind();
  impl_->ended = true;
}

void PageServer::stop() {
  // httplib forgets a stop that comes before its first wait for a visitor.
  while (!impl_->server.is_running() && !impl_->ended) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  impl_->server.stop();
}

}  // namespace isochor

#pragma once

/// One function a subcommand: adds its parser to the program. One file each, of the same name.

namespace CLI {
class App;
}

namespace isochor::cli {

class Session;

void add_demo(CLI::App& program, Session& session);
void add_sample(CLI::App& program, Session& session);
void add_inspect(CLI::App& program, Session& session);
void add_bind(CLI::App& program, Session& session);
void add_deform(CLI::App& program, Session& session);
void add_compare(CLI::App& program, Session& session);
void add_render(CLI::App& program, Session& session);
void add_studio(CLI::App& program, Session& session);

}  // namespace isochor::cli

#pragma once

/// Where this checkout and its data lie. Only one small generated source knows; in a definition on the command line
/// every test would be compiled anew for every checkout.

#include <filesystem>

namespace isochor::test {

/// The root of this checkout.
std::filesystem::path source_folder();

/// Real characters, beside the checkout. May be absent.
std::filesystem::path shared_data();

}  // namespace isochor::test

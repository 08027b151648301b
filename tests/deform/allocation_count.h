#pragma once

#include <cstddef>

namespace isochor::test {

/// How often operator new was called so far in this test executable.
std::size_t allocation_count();

}  // namespace isochor::test

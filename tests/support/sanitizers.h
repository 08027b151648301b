#pragma once

/// Whether the tests run under a sanitizer, which makes everything ten to twenty times slower: sweeps take fewer cases;
/// and so they do where the core is only built another way (the preset `portable`), as the preset `release` takes all.

#include <filesystem>

namespace isochor::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

#ifdef ISOCHOR_FEWER_CASES
inline constexpr bool kFewerCases = true;
#else
inline constexpr bool kFewerCases = kSanitized;
#endif

/// Whether a sweep over real characters leaves this file to the other runs of the tests: it has the same things in it
/// as smaller ones, and more of them.
inline bool leave_out(const std::filesystem::path& file) {
  constexpr std::uintmax_t kLarge = 450'000;
  return kSanitized && std::filesystem::file_size(file) > kLarge;
}

}  // namespace isochor::test

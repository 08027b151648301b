#pragma once

/// Real characters for tests that skip where the folder is absent, and temporary folders.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "support/places.h"

namespace isochor::test {

inline bool has_shared_data() { return std::filesystem::is_directory(shared_data()); }

/// A folder of its own for the running test case, removed with the object.
class TempFolder {
 public:
  TempFolder() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string(info->test_suite_name()) + "." + info->name();
    for (char& c : name) {
      if (c == '/') c = '_';
    }
    path_ = std::filesystem::temp_directory_path() / ("isochor-" + name + "-" + std::to_string(::getpid()));
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace isochor::test

#define SKIP_WITHOUT_SHARED_DATA() \
  if (!isochor::test::has_shared_data()) GTEST_SKIP() << "no real characters beside this checkout"

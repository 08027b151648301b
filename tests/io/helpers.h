#pragma once

/// What the cases of several formats say in the same words.

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "isochor/base/error.h"
#include "isochor/rig/character.h"
#include "support/data.h"

namespace isochor::test {

/// The sentence of the Error that `body` throws; empty where it throws none.
template <class Body>
std::string sentence_of(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

inline bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

inline void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

inline std::vector<std::vector<Index>> faces_of(const Surface& surface) {
  std::vector<std::vector<Index>> out;
  for (std::size_t f = 0; f < surface.face_count(); ++f)
    out.emplace_back(surface.face(f).begin(), surface.face(f).end());
  return out;
}

inline void expect_no_error(const Character& character) {
  for (const Problem& problem : validate(character)) EXPECT_NE(problem.severity, Severity::error) << problem.sentence;
}

/// Five vertices, a quad and a triangle.
inline void expect_square_and_triangle(const Character& character) {
  ASSERT_EQ(character.parts.size(), 1U);
  const Part& part = character.parts[0];
  EXPECT_EQ(part.surface.corners, (std::vector<Index>{0, 1, 2, 3, 1, 4, 2}));
  EXPECT_EQ(part.surface.face_begin, (std::vector<Index>{0, 4, 7}));
  EXPECT_EQ(part.surface.positions.at(4), Vec3(2, 0, 0.5));
}

}  // namespace isochor::test

#pragma once

/// Accessors of a document: resolved against the bytes that are there, decoded, and appended.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gltf_impl.h"

namespace isochor::gltf {

/// An accessor whose every element is known to lie inside its buffer.
struct AccessorView {
  GltfAccessorInfo info;
  int rows = 1;                        ///< components of a column; columns of matrices begin on multiples of 4 bytes
  std::size_t column_size = 0;         ///< bytes from column to column
  std::size_t stride = 0;              ///< bytes from element to element
  const std::uint8_t* data = nullptr;  ///< null: all zeros
  std::size_t sparse_count = 0;
  int sparse_index_type = 0;
  const std::uint8_t* sparse_indices = nullptr;
  const std::uint8_t* sparse_values = nullptr;  ///< tightly packed
};

std::size_t component_size(int component_type);
/// Throws Error(bad_input) where anything is missing, out of range or too long.
AccessorView resolve_accessor(const Impl& impl, Index index);

/// count × components numbers. Throws where a sparse index is out of range.
std::vector<double> read_doubles(const Impl& impl, Index index);
/// The same where the accessor must have that many components; `use` is for the sentence.
std::vector<double> read_doubles(const Impl& impl, Index index, int components, const char* use);
/// Unsigned integers that are not normalised (indices, joints).
std::vector<std::uint32_t> read_unsigned(const Impl& impl, Index index, int components, const char* use);

enum class Usage { vertex, index, plain };
enum class Bounds { without, with };

struct NewAccessor {
  const char* type = "VEC3";
  int component_type = 5126;
  std::size_t count = 0;
  Usage usage = Usage::plain;
};

/// Appends bytes to the first buffer on a multiple of four, as a buffer view of their own. What is there never moves.
Index append_view(Impl& impl, std::span<const std::uint8_t> bytes, Usage usage);
/// Appends an accessor with its own view. `bytes` holds count elements, tightly packed.
Index append_accessor(Impl& impl, const NewAccessor& accessor, std::span<const std::uint8_t> bytes);

/// Appends floats as count elements of `type` ("VEC3" …); with bounds, min and max are written, as POSITION and times
/// need them.
Index append_floats(Impl& impl, const char* type, std::span<const float> values, Usage usage,
                    Bounds bounds = Bounds::without);
/// A VEC3 accessor that is zero except where it is not; sparse where that is smaller.
Index append_offsets(Impl& impl, std::span<const float> values, Bounds bounds);
/// Triangle indices, in two bytes where they fit.
Index append_indices(Impl& impl, std::span<const std::uint32_t> indices, std::size_t vertex_count);
/// JOINTS_n: four per vertex, in one byte where they fit.
Index append_joints(Impl& impl, std::span<const std::uint32_t> joints);

int component_count(std::string_view type);

}  // namespace isochor::gltf

#pragma once

/// A character as bytes, from one process to another one of the same program: nothing for files.
///
/// Writer and reader follow one list of fields (fields(), below), made with structured bindings: these must name every
/// member, so that a new one cannot be forgotten without the compiler saying so.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "isochor/base/error.h"
#include "isochor/rig/character.h"

namespace isochor {

/// An Error that travels.
struct Refusal {
  ErrorKind kind = ErrorKind::bad_input;
  std::string sentence;
  Index element = kNone;
};

/// What a child has to say: a character, or why there is none.
struct Answer {
  std::optional<Refusal> refusal;
  Character character;
};

template <class Value, class... Types>
concept OneOf = (std::same_as<std::remove_const_t<Value>, Types> || ...);

template <class Stream, OneOf<Answer> Value>
void fields(Stream& stream, Value& value) {
  auto& [refusal, character] = value;
  stream(refusal, character);
}
template <class Stream, OneOf<Refusal> Value>
void fields(Stream& stream, Value& value) {
  auto& [kind, sentence, element] = value;
  stream(kind, sentence, element);
}
template <class Stream, OneOf<Character> Value>
void fields(Stream& stream, Value& value) {
  auto& [name, parts, skeleton, clips, materials, problems] = value;
  stream(name, parts, skeleton, clips, materials, problems);
}
template <class Stream, OneOf<Part> Value>
void fields(Stream& stream, Value& value) {
  auto& [name, surface, normals, uvs, corner_normals, corner_uvs, face_material, node, skin, weights, unweighted,
         morphs, morph_weights] = value;
  stream(name, surface, normals, uvs, corner_normals, corner_uvs, face_material, node, skin, weights, unweighted,
         morphs, morph_weights);
}
template <class Stream, OneOf<Surface> Value>
void fields(Stream& stream, Value& value) {
  auto& [positions, corners, face_begin] = value;
  stream(positions, corners, face_begin);
}
template <class Stream, OneOf<Skin> Value>
void fields(Stream& stream, Value& value) {
  auto& [name, joints, inverse_bind] = value;
  stream(name, joints, inverse_bind);
}
template <class Stream, OneOf<SkinWeights> Value>
void fields(Stream& stream, Value& value) {
  auto& [begin, influences] = value;
  stream(begin, influences);
}
template <class Stream, OneOf<Influence> Value>
void fields(Stream& stream, Value& value) {
  auto& [joint, weight] = value;
  stream(joint, weight);
}
template <class Stream, OneOf<MorphTarget> Value>
void fields(Stream& stream, Value& value) {
  auto& [name, positions, normals, baked] = value;
  stream(name, positions, normals, baked);
}
template <class Stream, OneOf<Skeleton> Value>
void fields(Stream& stream, Value& value) {
  auto& [joints] = value;
  stream(joints);
}
template <class Stream, OneOf<Joint> Value>
void fields(Stream& stream, Value& value) {
  auto& [name, parent, rest, deforms, tail, twin] = value;
  stream(name, parent, rest, deforms, tail, twin);
}
template <class Stream, OneOf<Transform> Value>
void fields(Stream& stream, Value& value) {
  auto& [translation, rotation, scale, shear] = value;
  stream(translation, rotation, scale, shear);
}
template <class Stream, OneOf<Clip> Value>
void fields(Stream& stream, Value& value) {
  auto& [name, channels] = value;
  stream(name, channels);
}
template <class Stream, OneOf<Channel> Value>
void fields(Stream& stream, Value& value) {
  auto& [joint, path, interpolation, times, values, width] = value;
  stream(joint, path, interpolation, times, values, width);
}
template <class Stream, OneOf<Material> Value>
void fields(Stream& stream, Value& value) {
  auto& [name, base_color, metallic, roughness, double_sided] = value;
  stream(name, base_color, metallic, roughness, double_sided);
}
template <class Stream, OneOf<Problem> Value>
void fields(Stream& stream, Value& value) {
  auto& [severity, code, sentence, elements, count] = value;
  stream(severity, code, sentence, elements, count);
}

/// The last value of an enum that travels: one beyond it is no value.
inline constexpr int last_value(ErrorKind) { return static_cast<int>(ErrorKind::cancelled); }
inline constexpr int last_value(Severity) { return static_cast<int>(Severity::error); }
inline constexpr int last_value(ChannelPath) { return static_cast<int>(ChannelPath::morph_weights); }
inline constexpr int last_value(Interpolation) { return static_cast<int>(Interpolation::cubic_spline); }

/// Numbers, and vectors and matrices of a fixed size: their memory is their value, without gaps.
template <class Value>
concept Plain = (std::is_arithmetic_v<Value> && !std::same_as<Value, bool>) ||
                OneOf<Value, Vec3, Vec3f, Vec2f, Eigen::Vector4f, Mat3, Quat, Affine>;

class CharacterWriter {
 public:
  using Write = std::function<void(std::span<const std::byte>)>;

  explicit CharacterWriter(Write write) : write_(std::move(write)) { buffer_.reserve(kBuffer); }

  void write(const Answer& answer) {
    fields(*this, answer);
    put(std::as_bytes(std::span(kEnd)));
    flush();
  }

  template <class... Values>
  void operator()(const Values&... values) {
    (item(values), ...);
  }

  /// Ends every answer: what comes before it is all there.
  static constexpr std::array<char, 8> kEnd = {'i', 's', 'o', 'c', 'h', 'o', 'r', '.'};

 private:
  static constexpr std::size_t kBuffer = 1 << 16;

  void put(std::span<const std::byte> bytes) {
    if (buffer_.size() + bytes.size() > kBuffer) flush();
    if (bytes.size() > kBuffer) return write_(bytes);
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
  void flush() {
    if (!buffer_.empty()) write_(buffer_);
    buffer_.clear();
  }

  template <class Value>
  void item(const Value& value) {
    if constexpr (Plain<Value>) {
      put(std::as_bytes(std::span(&value, 1)));
    } else if constexpr (std::is_enum_v<Value> || std::same_as<Value, bool>) {
      item(static_cast<std::int32_t>(value));
    } else {
      fields(*this, value);
    }
  }
  void item(const std::string& text) {
    item(std::uint64_t{text.size()});
    put(std::as_bytes(std::span(text)));
  }
  template <class Value>
  void item(const std::vector<Value>& list) {
    item(std::uint64_t{list.size()});
    if constexpr (Plain<Value>) {
      put(std::as_bytes(std::span(list)));
    } else {
      for (const Value& value : list) item(value);
    }
  }
  template <class Value>
  void item(const std::optional<Value>& value) {
    item(value.has_value());
    if (value) item(*value);
  }

  Write write_;
  std::vector<std::byte> buffer_;
};

/// Reads what a writer wrote, and trusts none of it: whoever wrote it may have been broken by the file that it read.
/// Memory grows with the bytes that arrive, not with what they announce.
class CharacterReader {
 public:
  /// Fills the span, or returns false.
  using Read = std::function<bool(std::span<std::byte>)>;

  /// No more than `limit` bytes are read.
  CharacterReader(Read read, std::uint64_t limit) : read_(std::move(read)), left_(limit) {}

  /// Nothing if the bytes end too early, or cannot be an answer.
  std::optional<Answer> read() {
    Answer answer;
    fields(*this, answer);
    std::array<char, 8> end{};
    take(std::as_writable_bytes(std::span(end)));
    if (!good_ || end != CharacterWriter::kEnd) return std::nullopt;
    return answer;
  }

  template <class... Values>
  void operator()(Values&... values) {
    (item(values), ...);
  }

 private:
  void take(std::span<std::byte> bytes) {
    good_ = good_ && bytes.size() <= left_;
    if (!good_) return;
    left_ -= bytes.size();
    good_ = read_(bytes);
  }

  template <class Value>
  void item(Value& value) {
    if constexpr (Plain<Value>) {
      take(std::as_writable_bytes(std::span(&value, 1)));
    } else if constexpr (std::same_as<Value, bool>) {
      std::int32_t number = 0;
      item(number);
      value = number != 0;
    } else if constexpr (std::is_enum_v<Value>) {
      std::int32_t number = 0;
      item(number);
      good_ = good_ && number >= 0 && number <= last_value(value);
      if (good_) value = static_cast<Value>(number);
    } else {
      fields(*this, value);
    }
  }

  template <class List>
  void plain_list(List& list) {
    constexpr std::size_t kStep = (1 << 20) / sizeof(list[0]);  // elements at a time
    std::uint64_t count = 0;
    item(count);
    list.clear();
    while (good_ && list.size() < count) {
      const std::size_t begin = list.size();
      list.resize(begin + static_cast<std::size_t>(std::min<std::uint64_t>(count - begin, kStep)));
      take(std::as_writable_bytes(std::span(list).subspan(begin)));
    }
  }
  void item(std::string& text) { plain_list(text); }
  template <class Value>
  void item(std::vector<Value>& list) {
    if constexpr (Plain<Value>) {
      plain_list(list);
    } else {
      std::uint64_t count = 0;
      item(count);
      list.clear();
      for (std::uint64_t i = 0; good_ && i < count; ++i) item(list.emplace_back());
    }
  }
  template <class Value>
  void item(std::optional<Value>& value) {
    bool there = false;
    item(there);
    value.reset();
    if (there && good_) item(value.emplace());
  }

  Read read_;
  std::uint64_t left_;
  bool good_ = true;
};

/// Whether everything that refers to something finds it there: counts that fit, indices in range, and nothing that
/// validate() calls an error.
bool is_sound(const Character& character);

}  // namespace isochor

#include "isochor/io/assimp_import.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "io/assimp_parse.h"
#include "io/character_stream.h"
#include "io/child_process.h"
#include "io/text.h"
#include "isochor/base/error.h"

namespace isochor {

namespace {

constexpr std::array<std::string_view, 2> kExtensions = {"dae", "fbx"};
constexpr std::uint64_t kMaxModelBytes = std::uint64_t{1} << 30;

std::string format_name(std::string_view extension) { return extension == "fbx" ? "FBX" : "COLLADA"; }

/// Work and memory grow with the file.
ChildLimits limits_for(const AssimpOptions& options, std::size_t bytes) {
  constexpr double kMegabyte = 1 << 20;
  const double size = static_cast<double>(bytes);
  ChildLimits limits;
  limits.seconds = options.seconds + size / kMegabyte * kSecondsPerMegabyte;
  limits.memory = static_cast<std::uint64_t>(options.memory * kMegabyte + size * kBytesPerByte);
  return limits;
}

/// In the child.
void send_answer(std::string_view bytes, std::string_view extension, const ChildProcess::Write& write) {
  Answer answer;
  try {
    answer.character = parse_with_assimp(bytes, extension);
  } catch (const Error& error) {
    answer.refusal = Refusal{error.kind(), error.what(), error.element()};
  }
  CharacterWriter(write).write(answer);
}

[[noreturn]] void refuse(ChildEnd end, std::string_view extension, const ChildLimits& limits) {
  const std::string reader = "the reader of " + format_name(extension) + " files";
  const auto number = [](double value) { return std::to_string(static_cast<std::int64_t>(std::ceil(value))); };
  switch (end) {
    case ChildEnd::out_of_memory:
      throw_bad_input("the file is broken or too large: " + reader + " needed more than " +
                      number(static_cast<double>(limits.memory >> 20)) + " MiB of memory");
    case ChildEnd::out_of_time:
      throw_bad_input("the file is broken or too large: " + reader + " took longer than " + number(limits.seconds) +
                      " s");
    case ChildEnd::crashed:
    case ChildEnd::done:
      break;
  }
  throw_bad_input("the file is broken: " + reader + " gave up on it");
}

}  // namespace

std::span<const std::string_view> assimp_extensions() { return kExtensions; }

Character parse_assimp(std::string_view bytes, std::string_view extension, const AssimpOptions& options) {
  if (std::find(kExtensions.begin(), kExtensions.end(), extension) == kExtensions.end()) {
    throw_unsupported("files of the kind ." + std::string(extension) + " cannot be read");
  }
  check_ranges(options);
  if (bytes.size() > kMaxModelBytes) throw_unsupported("the file is larger than 1 GiB");
  const ChildLimits limits = limits_for(options, bytes.size());
  ChildProcess child(limits, [&](const ChildProcess::Write& write) { send_answer(bytes, extension, write); });
  auto received = CharacterReader([&](std::span<std::byte> out) { return child.read(out); }, limits.memory).read();
  if (!received) refuse(child.end(), extension, limits);
  if (received->refusal) throw Error(received->refusal->kind, received->refusal->sentence, received->refusal->element);
  // assimp may have written over the child's memory without either of them noticing.
  if (!is_sound(received->character)) refuse(ChildEnd::crashed, extension, limits);
  return std::move(received->character);
}

Character read_assimp(const std::filesystem::path& path, const AssimpOptions& options) {
  const std::string extension = text::extension_of(path);
  return text::read_named(
      path,
      [&](std::string_view bytes) {
        Character character = parse_assimp(bytes, extension, options);
        character.name = path.stem().string();
        for (Part& part : character.parts) {
          if (part.name.empty()) part.name = character.name;
        }
        return character;
      },
      kMaxModelBytes);
}

}  // namespace isochor

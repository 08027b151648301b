#pragma once

/// Errors are typed and carry a sentence that a user can act on. The library throws `Error` and nothing else of its
/// own.

#include <stdexcept>
#include <string>

#include "isochor/base/types.h"

namespace isochor {

enum class ErrorKind {
  bad_input,    ///< a file or argument is broken; the sentence says where
  unsupported,  ///< well formed, but outside what we handle
  io,           ///< the operating system refused (missing file, no permission, disk full)
  cancelled,    ///< the caller asked to stop
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& sentence, Index element = kNone)
      : std::runtime_error(sentence), kind_(kind), element_(element) {}

  ErrorKind kind() const { return kind_; }
  /// The vertex, face, joint … that caused it (the sentence says which kind); kNone if there is no single one.
  Index element() const { return element_; }

 private:
  ErrorKind kind_;
  Index element_;
};

[[noreturn]] inline void throw_bad_input(const std::string& sentence, Index element = kNone) {
  throw Error(ErrorKind::bad_input, sentence, element);
}
[[noreturn]] inline void throw_unsupported(const std::string& sentence, Index element = kNone) {
  throw Error(ErrorKind::unsupported, sentence, element);
}
[[noreturn]] inline void throw_io(const std::string& sentence) { throw Error(ErrorKind::io, sentence); }

}  // namespace isochor

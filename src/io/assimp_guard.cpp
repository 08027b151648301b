#include "io/assimp_guard.h"

#include "isochor/base/error.h"

namespace isochor {

void check_before_assimp(std::string_view bytes, std::string_view extension) {
  if (bytes.empty()) throw_bad_input("the file is empty");
  if (extension == "fbx") check_fbx(bytes);
  if (extension == "dae") check_collada(bytes);
}

}  // namespace isochor

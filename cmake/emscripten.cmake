# Packages of the machine are used where they are headers alone. Of those that lie in /usr/include itself a link is made:
# that folder also holds the C library of the machine, which must not be seen.
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE BOTH)
find_path(ISOCHOR_NLOHMANN_FOLDER nlohmann/json.hpp HINTS /usr/include NO_CMAKE_FIND_ROOT_PATH REQUIRED)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/headers)
file(CREATE_LINK ${ISOCHOR_NLOHMANN_FOLDER}/nlohmann ${PROJECT_BINARY_DIR}/headers/nlohmann SYMBOLIC)
add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED)
target_include_directories(nlohmann_json::nlohmann_json INTERFACE ${PROJECT_BINARY_DIR}/headers)
# With -msimd128, emscripten 3.1.6 (clang 14) gets `p = affine * p` of Eigen wrong: y comes out mirrored in the odd one of a
# loop that works on two at a time. Without this pass it is right, and nothing measurable is slower.
add_compile_options(-fno-slp-vectorize)

# How every target of the project is compiled, in one place.

# isochor_library(NAME [USES lib...] [PRIVATE_USES lib...] [PRECOMPILE header...]): the static library isochor_NAME, alias
# isochor::NAME. Its sources are added by the module folders under src/ with target_sources().
function(isochor_library name)
  cmake_parse_arguments(ARG "" "" "USES;PRIVATE_USES;PRECOMPILE" ${ARGN})
  add_library(isochor_${name} STATIC)
  add_library(isochor::${name} ALIAS isochor_${name})
  set_target_properties(isochor_${name} PROPERTIES EXPORT_NAME ${name})
  if(NOT EMSCRIPTEN)  # code for shared libraries is slower there, and there are none
    set_target_properties(isochor_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
  target_compile_features(isochor_${name} PUBLIC cxx_std_20)
  target_include_directories(isochor_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_include_directories(isochor_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(isochor_${name} PUBLIC ${ARG_USES})
  foreach(lib IN LISTS ARG_PRIVATE_USES)
    target_link_libraries(isochor_${name} PRIVATE ${lib})
  endforeach()
  isochor_compile_options(isochor_${name})
  if(ISOCHOR_PCH)
    target_precompile_headers(isochor_${name} PRIVATE <Eigen/Core> <Eigen/Geometry> <string> <vector> ${ARG_PRECOMPILE})
  endif()
endfunction()

# isochor_unity(TARGET): with ISOCHOR_UNITY, the sources of a folder are compiled together, twenty at a time, unless they say
# a UNITY_GROUP of their own. Half the time of a build from nothing goes into headers and templates that neighbours share.
# It asks for one thing: names in anonymous namespaces are unique within a folder.
# CMake's own unity sources include by absolute path, so that no two checkouts compile the same text and ccache finds nothing;
# these include by relative path. Sources with options of their own are compiled alone.
#
# With ISOCHOR_SYNTAX_ONLY each source is only checked, and alone: this is how ./test finds missing includes and shadowed names
# (scripts/alone.sh).
function(isochor_unity target)
  get_target_property(sources ${target} SOURCES)
  if(ISOCHOR_SYNTAX_ONLY)
    set_property(SOURCE ${sources} TARGET_DIRECTORY ${target} APPEND PROPERTY COMPILE_OPTIONS -fsyntax-only)
    return()
  endif()
  if(NOT ISOCHOR_UNITY)
    return()
  endif()
  target_compile_options(${target} PRIVATE -Wno-shadow)  # of a neighbour's names
  get_target_property(target_folder ${target} SOURCE_DIR)
  set(compiled "")
  set(groups "")
  foreach(source IN LISTS sources)
    get_source_file_property(options ${source} TARGET_DIRECTORY ${target} COMPILE_OPTIONS)
    if(options)
      list(APPEND compiled ${source})
      continue()
    endif()
    get_filename_component(source ${source} ABSOLUTE BASE_DIR ${target_folder})
    get_source_file_property(group ${source} TARGET_DIRECTORY ${target} UNITY_GROUP)
    if(NOT group)
      get_filename_component(folder ${source} DIRECTORY)
      string(MAKE_C_IDENTIFIER "in_${folder}" key)
      math(EXPR count "0${${key}} + 1")
      set(${key} ${count})
      math(EXPR batch "(${count} - 1) / 20")
      get_filename_component(name "${folder}" NAME)
      set(group "${name}_${batch}")
    endif()
    set(unity ${CMAKE_CURRENT_BINARY_DIR}/${target}_unity)
    file(RELATIVE_PATH path ${unity} ${source})
    list(APPEND groups ${group})
    string(APPEND text_${group} "#include \"${path}\"\n")
  endforeach()
  list(REMOVE_DUPLICATES groups)
  foreach(group IN LISTS groups)
    file(CONFIGURE OUTPUT ${unity}/${group}.cpp CONTENT "${text_${group}}" @ONLY)
    list(APPEND compiled ${unity}/${group}.cpp)
  endforeach()
  set_target_properties(${target} PROPERTIES SOURCES "${compiled}")
endfunction()

# isochor_kernels(NAME): NAME_portable.cpp, and where the processor may have it NAME_avx2.cpp compiled for AVX2. They see neither
# Eigen nor the standard library (see base/processor.h), so they take no precompiled header; they pass vectors by value inside
# one source only, so that GCC's notes about that mean nothing.
function(isochor_kernels name)
  set(options -Wno-psabi)
  target_sources(isochor_core PRIVATE ${name}_portable.cpp)
  set_source_files_properties(${name}_portable.cpp TARGET_DIRECTORY isochor_core
    PROPERTIES COMPILE_OPTIONS "${options}" SKIP_PRECOMPILE_HEADERS ON)
  if(ISOCHOR_AVX2_KERNELS)
    target_sources(isochor_core PRIVATE ${name}_avx2.cpp)
    set_source_files_properties(${name}_avx2.cpp TARGET_DIRECTORY isochor_core
      PROPERTIES COMPILE_OPTIONS "-mavx2;${options}" SKIP_PRECOMPILE_HEADERS ON)
  endif()
endfunction()

# Warnings, and arithmetic that gives the same bits on every machine: no contraction into fused multiply-adds.
function(isochor_compile_options target)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wzero-as-null-pointer-constant
    -Wno-missing-field-initializers
    -ffp-contract=off $<$<BOOL:${ISOCHOR_WERROR}>:-Werror>)
  # GCC collects its garbage again and again as the heap grows; above a gigabyte is soon enough, and takes a seventh less time
  # for the sources of a folder together, whose largest needs two gigabytes anyhow.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE --param=ggc-min-expand=100 --param=ggc-min-heapsize=1000000)
  endif()
  # GCC 12 warns wrongly about "text" + std::string (GCC bugs 105651, 105329) and inside Eigen; clang checks the same.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds
      -Wno-maybe-uninitialized)
  endif()
  # By relative path (the compiler runs in the binary folder), so that ccache sees the same command line in every checkout;
  # scripts/setup.sh has it look into the list as well.
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=[a-z,]*undefined" AND CMAKE_CXX_COMPILER_ID MATCHES Clang)
    file(RELATIVE_PATH ignored ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR}/cmake/sanitizers_ignore.txt)
    target_compile_options(${target} PRIVATE -fsanitize-ignorelist=${ignored})
  endif()
endfunction()

# isochor_fuzzed(TARGET): the fuzzers see which inputs reach new code of this target. Nothing else needs that, and it makes
# everything larger and slower.
function(isochor_fuzzed target)
  if(ISOCHOR_FUZZ AND CMAKE_CXX_COMPILER_ID MATCHES Clang)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    if(NOT ISOCHOR_FUZZ_COMPARISONS)
      target_compile_options(${target} PRIVATE -fno-sanitize-coverage=trace-cmp)
    endif()
  endif()
endfunction()

# The code of the tests themselves is optimised less than what they test: at -O3 it takes twice as long to compile, and they
# run no quicker. Under sanitizers not at all, and undefined behaviour is looked for in what is tested alone: both together
# make a third of the compiler's work.
function(isochor_test_options target)
  isochor_compile_options(${target})
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
    target_compile_options(${target} PRIVATE -O0 -fno-sanitize=undefined)
  elseif(NOT CMAKE_BUILD_TYPE STREQUAL Debug)
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()

# isochor_library_first(TARGET USES lib...): of a template that a test and the library both instantiate, the linker keeps the
# copy that it meets first. That has to be the library's: the test's is not optimised, and under sanitizers the library would
# run on it, at a tenth of its speed where it works with Eigen or JSON.
function(isochor_library_first target)
  cmake_parse_arguments(ARG "" "" "USES" ${ARGN})
  set(first $<TARGET_FILE:isochor_core>)
  if("isochor::io" IN_LIST ARG_USES)
    string(PREPEND first "$<TARGET_FILE:isochor_io> ")
  endif()
  if(CMAKE_SYSTEM_NAME STREQUAL Linux)
    target_link_options(${target} PRIVATE "SHELL:-Wl,--whole-archive ${first} -Wl,--no-whole-archive")
  endif()
endfunction()

# isochor_test(MODULE [ONE_PROCESS] [BRUTE_FORCE] [COST seconds] SOURCES file... USES lib...): the executable MODULE_test. Its cases are
# registered one by one in ctest, each a process of its own; with ONE_PROCESS all together, for cases that share something
# costly. BRUTE_FORCE: its own code works hard, as plain versions of clever algorithms do, and is optimised under sanitizers.
# COST: about how long its longest case takes under sanitizers. Those go first, or one core would wait for the last of them.
function(isochor_test module)
  cmake_parse_arguments(ARG "ONE_PROCESS;BRUTE_FORCE" "COST" "SOURCES;USES" ${ARGN})
  if(NOT ARG_COST)
    set(ARG_COST 0)
  endif()
  add_executable(${module}_test ${ARG_SOURCES})
  target_link_libraries(${module}_test PRIVATE ${ARG_USES} isochor_test_support GTest::gtest GTest::gtest_main)
  target_include_directories(${module}_test PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  isochor_test_options(${module}_test)
  isochor_library_first(${module}_test USES ${ARG_USES})
  if(ARG_BRUTE_FORCE AND CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
    target_compile_options(${module}_test PRIVATE -O1)
  endif()
  isochor_unity(${module}_test)
  if(ISOCHOR_PCH)
    target_precompile_headers(${module}_test REUSE_FROM isochor_test_headers)
  endif()
  if(ARG_ONE_PROCESS)
    add_test(NAME ${module} COMMAND ${module}_test)
    set_tests_properties(${module} PROPERTIES LABELS ${module} COST ${ARG_COST} TIMEOUT 900)
  else()
    gtest_discover_tests(${module}_test DISCOVERY_MODE PRE_TEST PROPERTIES LABELS ${module} COST ${ARG_COST} TIMEOUT 600)
  endif()
endfunction()

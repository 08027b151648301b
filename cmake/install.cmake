# `cmake --install` and find_package(isochor).
include(CMakePackageConfigHelpers)

set(installed isochor_core isochor_sample)
if(ISOCHOR_IO)
  list(APPEND installed isochor_io)
endif()
if(ISOCHOR_RENDER)
  list(APPEND installed isochor_render)
endif()
if(ISOCHOR_IO AND ISOCHOR_RENDER)
  list(APPEND installed isochor_show)
endif()

install(TARGETS ${installed} EXPORT isochorTargets)
if(ISOCHOR_CLI)
  install(TARGETS isochor)
  # The page of the studio, if it was built (./run studio).
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/build/studio/ DESTINATION ${CMAKE_INSTALL_DATADIR}/isochor/studio OPTIONAL)
endif()
install(DIRECTORY include/isochor TYPE INCLUDE)
install(FILES ${PROJECT_BINARY_DIR}/generated/isochor/version.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/isochor)
install(EXPORT isochorTargets NAMESPACE isochor:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/isochor)
configure_package_config_file(cmake/isochorConfig.cmake.in ${PROJECT_BINARY_DIR}/isochorConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/isochor)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/isochorConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/isochorConfig.cmake ${PROJECT_BINARY_DIR}/isochorConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/isochor)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

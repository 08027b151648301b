# cpp-httplib as Debian has it: compiled, with TLS and compression; classes have other members without these definitions.
find_package(Threads REQUIRED)
find_path(ISOCHOR_HTTPLIB_FOLDER httplib.h REQUIRED)
find_library(ISOCHOR_HTTPLIB cpp-httplib REQUIRED)
add_library(isochor_httplib INTERFACE)
target_include_directories(isochor_httplib SYSTEM INTERFACE ${ISOCHOR_HTTPLIB_FOLDER})
target_link_libraries(isochor_httplib INTERFACE ${ISOCHOR_HTTPLIB})
target_compile_definitions(isochor_httplib INTERFACE CPPHTTPLIB_OPENSSL_SUPPORT CPPHTTPLIB_ZLIB_SUPPORT CPPHTTPLIB_BROTLI_SUPPORT)

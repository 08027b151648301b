# Sourced by ./run and ./test: installs what is missing, by Debian package name.
#
#   ensure_packages PACKAGE...   installs those that are not there (apt-get as root or through sudo)
#   use_cache ROOT               compiled results are shared between checkouts, by ccache; sets cache_folder
#   say TEXT                     one line of progress

say() { printf '\033[1m%s\033[0m\n' "$*" >&2; }
[ -t 2 ] || say() { printf '%s\n' "$*" >&2; }

# What the program needs, and what its tests need on top.
run_packages=(g++ cmake ninja-build libeigen3-dev libtbb-dev libassimp-dev nlohmann-json3-dev libembree-dev libpng-dev
  libstb-dev libcli11-dev libcpp-httplib-dev)
# What the page of the studio needs to be built, and a browser to test it in.
web_packages=(emscripten)
browser_packages=(chromium)
test_packages=(clang-14 clang lld-14 libclang-rt-14-dev libc++-14-dev libc++abi-14-dev clang-format-14 clang-tidy-14
  libgtest-dev googletest libbenchmark-dev git ccache doxygen)

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null)" = "ii " ]; }

ensure_packages() {
  command -v dpkg-query >/dev/null || {
    say "This is not a Debian system: install the counterparts of: $*"
    return 0
  }
  local missing=() package
  for package in "$@"; do is_installed "$package" || missing+=("$package"); done
  [ ${#missing[@]} -eq 0 ] && return 0

  local sudo=()
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
      sudo=(sudo)
    else
      say "Missing packages, and no right to install them. Run this, then try again:"
      say "  apt-get install --no-install-recommends ${missing[*]}"
      exit 1
    fi
  fi
  say "Installing ${#missing[@]} packages: ${missing[*]}"
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq >&2 &&
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" \
      </dev/null >"${TMPDIR:-/tmp}/isochor-apt.log" 2>&1 || {
    tail -n 5 "${TMPDIR:-/tmp}/isochor-apt.log" >&2
    say "The packages could not be installed. By hand: apt-get install --no-install-recommends ${missing[*]}"
    exit 1
  }
}

# Node comes from Debian unless the machine has one already.
ensure_node() { { command -v node && command -v npm; } >/dev/null || ensure_packages nodejs npm; }

# npm_packages FOLDER: what its lock file names, unless that is there already.
npm_packages() {
  local folder=$1
  [ "$folder/node_modules/.package-lock.json" -nt "$folder/package-lock.json" ] ||
    (cd "$folder" && npm ci --no-audit --no-fund --silent >&2)
}

# build_web ROOT: bindings/web/dist (WebAssembly and TypeScript) and build/studio (the page). Only what changed is made anew.
build_web() {
  local root=$1
  ensure_packages "${web_packages[@]}" && ensure_node || return 1
  # Debian's emscripten looks for its tools where Debian's Node does.
  (
    export NODE_PATH=/usr/share/nodejs${NODE_PATH:+:$NODE_PATH}
    cd "$root" && { [ -f build/web/build.ninja ] || cmake --preset web; } && cmake --build build/web
  ) &&
    npm_packages "$root/bindings/web" && npm_packages "$root/studio" || return 1
  (
    cd "$root/bindings/web" && npx --no-install tsc -p tsconfig.json &&
      cp -u "$root"/build/web/bindings/web/isochor.{js,wasm} dist/ &&
      cd "$root/studio" && npx --no-install tsc --noEmit && npx --no-install vite build
  )
}

# The settings are the project's own, and so is the folder: nobody's ~/.config/ccache is read or changed.
use_cache() {
  local root=$1
  cache_folder=${ISOCHOR_CACHE:-${XDG_CACHE_HOME:-${HOME:-$root/build}/.cache}/isochor}
  # Without a folder to keep anything in, everything still works.
  mkdir -p "$cache_folder/ccache" "$cache_folder/tidy" 2>/dev/null && [ -w "$cache_folder/ccache" ] ||
    { export CCACHE_DISABLE=1; cache_folder=$root/build/cache; mkdir -p "$cache_folder/tidy"; }
  export CCACHE_DIR=$cache_folder/ccache CCACHE_CONFIGPATH=/dev/null CCACHE_MAXSIZE=2G
  # Below the root, paths are relative: two checkouts then have the same command lines and the same results.
  export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
  # What a source includes is known from the compiler's own list of dependencies; preprocessing everything to find out would
  # take a tenth of the time. The list of what the sanitizers ignore is in no such list.
  export CCACHE_DEPEND=1 CCACHE_EXTRAFILES=$root/cmake/sanitizers_ignore.txt
  export CCACHE_SLOPPINESS=pch_defines,time_macros  # without these two, no precompiled header is ever used from the cache
}

jobs() { nproc 2>/dev/null || echo 2; }

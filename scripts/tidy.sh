#!/usr/bin/env bash
# scripts/tidy.sh FOLDER: clang-tidy over every source in FOLDER/compile_commands.json, the same as calling it for each.
# ccache knows nothing of clang-tidy. So a source that was clean is remembered in the cache folder, under the hash of all that
# clang-tidy reads: its version, the checks, the command line, and every file that the source includes.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=$(cd "$1" && pwd) || exit 2
source "$root/scripts/setup.sh"
use_cache "$root"
tidy="clang-tidy-14 --quiet --checks=-bugprone-suspicious-include"  # unity sources include sources
common="$tidy $({ $tidy --version; cat "$root/.clang-tidy"; } | sha256sum)"
export root folder cache_folder tidy common

# key_of COMMAND: what decides about the result. Paths below the root count as relative, so that checkouts share results.
key_of() {
  local listing
  # The compiler's own list of what it reads: "x.o: a.cpp b.h \" and so on.
  listing=$(cd "$folder" && eval "${1/ -o * -c / -M }") || return 1
  {
    echo "$common ${1//$root/}"
    cd "$folder" && tr -d '\\' <<<"${listing#*:}" | xargs sha256sum | sed "s#  $root/#  #"
  } | sha256sum | cut -d ' ' -f 1
}

# lint FILE COMMAND
lint() {
  local key
  key=$(key_of "$2") && [ -f "$cache_folder/tidy/$key" ] && { touch "$cache_folder/tidy/$key"; return; }
  $tidy -p "$folder" "$1" || return 1
  [ -z "$key" ] || : >"$cache_folder/tidy/$key"
}
export -f key_of lint

find "$cache_folder/tidy" -type f -mtime +60 -delete
# In the file that CMake writes, "command" stands on one line and "file" on the next.
sed -n 's/^  "command": "\(.*\)",$/\1/p; s/^  "file": "\(.*\)",\{0,1\}$/\1/p' "$folder/compile_commands.json" |
  sed 's/\\"/"/g; s/\\\\/\\/g' | tr '\n' '\0' |
  xargs -0 -P "$(jobs)" -n 2 bash -c 'lint "$2" "$1"' bash

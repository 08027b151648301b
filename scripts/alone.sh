#!/usr/bin/env bash
# scripts/alone.sh FOLDER: checks every source in FOLDER (the preset `alone`), each by itself, with clang, which goes through a
# source in two thirds of GCC's time.
# Nothing is compiled, so there is nothing for ccache to keep. A source that was fine is remembered in the cache folder instead,
# under the hash of itself, every header of the project, its command line, and the packages of the machine.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=$(cd "$1" && pwd) || exit 2
source "$root/scripts/setup.sh"
use_cache "$root"
fine=$cache_folder/alone
mkdir -p "$fine"
find "$fine" -type f -mtime +60 -delete
cd "$root" || exit 2

common=$({
  clang++ --version
  dpkg-query -W "${run_packages[@]}" "${test_packages[@]}" 2>/dev/null
  git ls-files --cached --others --exclude-standard -- '*.h' '*.h.in' | xargs sha256sum
} | sha256sum)

# "OBJECT KEY" for each source that is not known to be fine. In the file that CMake writes, "command" stands on one line and
# "file" on the next; paths below the root count as relative, so that checkouts share results.
open=$(
  sed -n 's/^  "command": "\(.*\)",$/\1/p; s/^  "file": "\(.*\)",\{0,1\}$/\1/p' "$folder/compile_commands.json" |
    while IFS= read -r command && IFS= read -r file; do
      case $file in */cmake_pch.hxx.cxx) continue ;; esac
      key=$({ echo "$common ${command//$root/}"; cat "$file"; } | sha256sum | cut -d ' ' -f 1)
      if [ -f "$fine/$key" ]; then
        touch "$fine/$key"
      else
        object=${command##* -o }
        echo "${object%% *} $key"
      fi
    done
)
[ -n "$open" ] || exit 0
cut -d ' ' -f 1 <<<"$open" | xargs ninja -C "$folder" -k 0 || exit 1
cut -d ' ' -f 2 <<<"$open" | sed "s#^#$fine/#" | xargs touch

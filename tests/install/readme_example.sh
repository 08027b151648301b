#!/usr/bin/env bash
# readme_example.sh SOURCE: the first C++ block of a page is a file of examples/, letter for letter.
set -euo pipefail
first_block() { awk '/^```cpp$/{on=1; next} /^```$/{if (on) exit} on' "$1"; }
diff <(first_block "$1/README.md") "$1/examples/readme.cpp"
diff <(first_block "$1/docs/gvb.md") "$1/examples/bind.cpp"

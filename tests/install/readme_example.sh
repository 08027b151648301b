#!/usr/bin/env bash
# readme_example.sh SOURCE: the first C++ block of the README is examples/readme.cpp, letter for letter.
set -euo pipefail
diff <(awk '/^```cpp$/{on=1; next} /^```$/{if (on) exit} on' "$1/README.md") "$1/examples/readme.cpp"

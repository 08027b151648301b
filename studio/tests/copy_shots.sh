#!/usr/bin/env bash
# Screenshots of the tests that the documentation shows: run after ./test web.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
cp build/studio-shots/04-three-views.png docs/images/studio-pose.png
cp build/studio-shots/05-falloff.png docs/images/studio-falloff.png
cp build/studio-shots/06-curve.png docs/images/studio-curve.png
cp build/studio-shots/14-three-deformers.png docs/images/studio-three-views.png

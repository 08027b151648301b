#!/usr/bin/env python3
"""digests.py PROGRAM [--data DATA] [--only TEXT] [--clips N]: what `isochor bind` and `isochor deform` write, as digests.

For a change that should not change results: run it before and after, and compare the two.

    scripts/digests.py build/app/cli/isochor >before.txt      # at the commit before
    scripts/digests.py build/app/cli/isochor >after.txt
    diff before.txt after.txt

One line per case: the SHA-256 of what was written, or the exit code where a case is refused. Every sample, and every
character of DATA (../shared/data beside the checkout, where it is there), is bound in three ways and deformed in ten, one of them still,
one as point caches.
Files with many clips are deformed with N of them (3), spread over the file, and those with few with all at once.
`--only` takes the cases whose name holds TEXT.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SAMPLES = ["cylinder", "cylinder3", "giraffe", "elephant", "knight", "mouth", "shoulder"]
BIND = {"bind": [], "bind-gvb": ["--method", "gvb"], "bind-paper": ["--paper"]}
DEFORM = {
    "deform": [],
    "deform-frames": ["--bake", "frames"],
    "deform-sequence": ["--joints", "sequence"],  # the former name of --treatment, so that older programs know it
    "deform-dqs": ["--deformer", "dqs"],
    "deform-medial": ["--deformer", "medial"],
    "deform-off": ["--volume", "off"],
    "deform-contact": ["--contact", "hold"],
    "deform-joints": ["--bake", "joints"],
    "deform-cache": ["--bake", "pc2"],
}
MANY_CLIPS = 6


def characters(program, data, folder):
    """(name, arguments, clips) of everything there is to bind and to deform."""
    for name in SAMPLES:
        file = folder / f"{name}.glb"
        subprocess.run([program, "sample", name, "-o", file, "--quiet"], check=True)
        yield f"sample/{name}", [str(file)]
    if not data.is_dir():
        return
    for file in sorted(data.rglob("*")):
        name = str(file.relative_to(data))
        if file.suffix in (".glb", ".fbx") and "rig-" not in file.name:
            yield name, [str(file)]
        for name_of_rig in (f"{file.stem}_rig.txt", f"{file.stem}-rig.txt", "rig.txt"):
            rig = file.with_name(name_of_rig)
            if file.suffix == ".obj" and rig.exists():
                yield name, [str(file), "--skeleton", str(rig)]
                break
    body, motion = data / "makehuman/body.obj", data / "cmu-bvh-dev/02_01.bvh"
    if body.exists() and motion.exists():
        rig = body.with_name("body_rig.txt")
        yield "makehuman/body.obj+motion", [str(body), "--skeleton", str(rig), "--motion", str(motion)]


def clips_of(program, arguments):
    """The number of clips; 0 where the file cannot be looked into."""
    file = arguments[0]
    run = subprocess.run([program, "inspect", file, "--json"], capture_output=True, text=True)
    return len(json.loads(run.stdout)["clips"]) if run.returncode == 0 else 0


def cases(program, name, arguments, most):
    has_motion = "--motion" in arguments
    if not has_motion:
        for case, options in BIND.items():
            yield f"{name} {case}", ["bind", *arguments, *options], "out.glb"
    clips = 0 if has_motion else clips_of(program, arguments)
    spread = [[]]
    if clips > MANY_CLIPS:
        spread = [["--clip", str(round(i * (clips - 1) / max(most - 1, 1)))] for i in range(most)]
    for clip in spread:
        which = f" clip {clip[1]}" if clip else ""
        for case, options in DEFORM.items():
            output = "out.pc2" if "pc2" in options else "out.glb"
            yield f"{name} {case}{which}", ["deform", *arguments, *clip, *options], output
    if clips > 0:
        yield f"{name} deform-still", ["deform", *arguments, "--time", "0.5"], "out.obj"


def digest(program, case):
    name, arguments, output = case
    with tempfile.TemporaryDirectory() as folder:
        command = [program, *arguments, "-o", os.path.join(folder, output), "--threads", "1", "--quiet"]
        code = subprocess.run(command, capture_output=True).returncode
        if code != 0:
            return f"{name}: exit {code}"
        text = hashlib.sha256()
        for file in sorted(pathlib.Path(folder).iterdir()):
            text.update(file.read_bytes())
        return f"{name}: {text.hexdigest()[:24]}"


def main():
    here = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--data", type=pathlib.Path, default=here.parent / "shared/data")
    parser.add_argument("--only", default="")
    parser.add_argument("--clips", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = characters(options.program, options.data, pathlib.Path(folder))
        work = [case for name, arguments in found for case in cases(options.program, name, arguments, options.clips)]
        work = [case for case in work if options.only in case[0]]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for line in pool.map(lambda case: digest(options.program, case), work):
                print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""The table of docs/medial.md: by deformer, the largest change of volume in a clip, and how far exact volume moves the skin.

    scripts/medial_table.py FOLDER [--program build/release/cli/isochor]

FOLDER holds the five characters, at any depth. Changes are those of the component with the largest volume."""
import argparse
import json
import pathlib
import subprocess
import tempfile

CHARACTERS = [("CesiumMan.glb", "clip_0", "CesiumMan, `clip_0`"),
              ("mannequiny-0.3.0.glb", "fight_kick", "GDQuest's mannequin, `fight_kick`"),
              ("Husky.glb", "AnimalArmature|Gallop", "Quaternius' husky, `Gallop`"),
              ("dragon-animations.glb", "Fly Flap", "mesh2motion's dragon, `Fly Flap`"),
              ("elephant.glb", "dance", "libigl's elephant, `dance`")]
DEFORMERS = ["lbs", "dqs", "medial"]


def report_of(program, path, clip, options):
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        subprocess.run([program, "deform", path, "-o", pathlib.Path(folder) / "out.pc2", "--clip", clip, "--fps", "24", "--quiet",
                        "--report", report, *options], check=True)
        return json.loads(report.read_text())["volume"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--program", default="build/release/cli/isochor")
    arguments = parser.parse_args()
    worst, turned = 0, 0
    for file, clip, name in CHARACTERS:
        path = next(arguments.folder.rglob(file))
        changes, moved = [], []
        for deformer in DEFORMERS:
            volume = report_of(arguments.program, path, clip, ["--deformer", deformer])
            largest = max(volume["components"], key=lambda component: abs(component["rest"]))
            changes.append(f"{100 * largest['max_error_before']:.2g} %")
            moved.append(f"{volume['max_displacement']:.3g}")
            worst = max(worst, volume["max_error_after"])
            turned = max(turned, volume["max_turned_faces"])
        print("|", " | ".join([name, *changes, *moved]), "|", flush=True)
    print(f"largest error of a volume: {worst:.1e}; faces turned over in a frame: {turned}")


if __name__ == "__main__":
    main()

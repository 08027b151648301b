#!/usr/bin/env python3
"""Contact sheet of volume correction: every clip of every character at its worst moment, linear blend skinning beside ours.

    scripts/contact_sheet.py [-o FOLDER] [FILE.glb ...]

Without files: the procedural characters, and those of ../shared/data where it is there. Writes FOLDER/index.html and its
pictures (FOLDER: out/contact-sheet). The worst moment is the one at which skinning loses or gains most volume."""
import argparse
import html
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build" / "release" / "cli" / "isochor"
SAMPLES = ["cylinder", "cylinder3", "giraffe", "elephant", "knight"]
VARIANTS = {"LBS": ["--volume", "off"], "LBS, exact volume": [], "DQS": ["--deformer", "dqs", "--volume", "off"],
            "DQS, exact volume": ["--deformer", "dqs"], "medial": ["--deformer", "medial", "--volume", "off"],
            "medial, exact volume": ["--deformer", "medial"]}


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)


def worst_moments(path, most):
    """(clip, time, change) of the clips that change the volume most."""
    done = run("compare", path, path, "--moments", 16, "--json")
    if done.returncode != 0:
        return []
    moments = []
    for clip in json.loads(done.stdout)["clips"]:
        over_time = clip["volume_over_time"]
        change, time = max(zip(map(abs, over_time["a"]), over_time["time"]), default=(0, 0))
        moments.append((clip["clip"], time, change))
    return sorted(moments, key=lambda moment: -moment[2])[:most]


def picture(path, clip, time, options, out):
    still = out.with_suffix(".glb")
    posed = run("deform", path, "--clip", clip, "--time", time, "-o", still, "--report", out.with_suffix(".json"), *options)
    if posed.returncode != 0:
        return posed.stderr.strip()
    drawn = run("render", still, "-o", out, "--width", 360, "--height", 360, "--samples", 4)
    report = json.loads(out.with_suffix(".json").read_text())
    still.unlink()
    out.with_suffix(".json").unlink()
    if drawn.returncode != 0:
        return drawn.stderr.strip()
    volume = report["volume"]
    text = f"volume error {100 * max((c['max_error_after'] for c in volume['components']), default=0):.2g} %"
    if "joints" in volume and volume["joints"]:
        before = max(j["max_local_error_before"] for j in volume["joints"])
        after = max(j["max_local_error_after"] for j in volume["joints"])
        text += f"; worst joint {100 * before:.1f} % to {100 * after:.1f} %; moved {volume['max_displacement']:.3g}"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", dest="folder", type=pathlib.Path, default=ROOT / "out" / "contact-sheet")
    parser.add_argument("--clips", type=int, default=2, help="clips of each character (default 2)")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    files = options.files
    if not files:
        for name in SAMPLES:
            run("sample", name, "-o", options.folder / f"{name}.glb")
            files.append(options.folder / f"{name}.glb")
        files += sorted((ROOT / ".." / "shared" / "data").glob("*/*.glb"))
    rows = []
    for path in files:
        for number, (clip, time, change) in enumerate(worst_moments(path, options.clips)):
            cells = []
            for column, (title, arguments) in enumerate(VARIANTS.items()):
                out = options.folder / f"{path.parent.name}-{path.stem}-{number}-{column}.png"
                text = picture(path, clip, time, arguments, out)
                image = f'<img src="{html.escape(out.name)}">' if out.exists() else ""
                cells.append(f"<td>{image}<br><b>{title}</b><br>{html.escape(text)}</td>")
            rows.append(f"<tr><th>{html.escape(path.stem)}<br>{html.escape(clip)}<br>{time:.2f} s<br>{100 * change:.1f} %</th>"
                        + "".join(cells) + "</tr>")
            print(path.stem, clip, f"{time:.2f} s: skinning changes the volume by {100 * change:.1f} %", flush=True)
    style = "body{font:13px system-ui,sans-serif}td{vertical-align:top}img{width:300px}"
    (options.folder / "index.html").write_text(
        f"<!doctype html><meta charset=utf-8><title>Contact sheet</title><style>{style}</style><table>{''.join(rows)}</table>")
    print(options.folder / "index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())

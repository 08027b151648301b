#!/usr/bin/env python3
"""weights_table.py PROGRAM [DATA] [--settings | --methods | --every-joint]: the tables of docs/gvb.md, in Markdown; with
--settings the one that varies one setting at a time; with --methods those of docs/weights.md, every method on every
character that has weights, bound to the joints in use; with --every-joint the same bound to all joints.

Binds the characters of DATA (../shared/data beside the checkout) that carry weights of their own, and compares each
result with the file's own weights by `isochor compare`. Characters that are not there are left out.

    default    isochor bind --method gvb, at 128 voxels
    gvb        the same to every joint of the skin: the default leaves out joints that move nothing in the file, and so
               knows a little of the answer
    paper      the settings of the paper at 128 voxels, every joint
    distance   Euclidean distance, every joint
"""

import json
import pathlib
import subprocess
import sys
import tempfile

# The first seven are those of the mean.
REFERENCE = [
    ("CesiumMan", "khronos-cesiumman/CesiumMan.glb"),
    ("Fox", "khronos-fox/Fox.glb"),
    ("horse", "mesh2motion-horse/horse-animations.glb"),
    ("left hand", "webxr-hand/left.glb"),
    ("mannequin", "gdquest-mannequin/mannequiny-0.3.0.glb"),
    ("knight (KayKit)", "kaykit-knight/Knight.glb"),
    ("adventurer", "quaternius-adventurer/Adventurer.glb"),
]
OTHERS = [
    ("elephant (libigl)", "libigl-elephant/elephant.glb"),
    ("fox (Mesh2Motion)", "mesh2motion-fox/fox-animations.glb"),
    ("rat", "quaternius-rat/Rat.glb"),
    ("RiggedFigure", "khronos-riggedfigure/RiggedFigure.glb"),
]
# All that carry weights: name, mesh, its rig where that is a file of its own, and the mean L1 of Blender 3.4's automatic
# weights where they were measured. The first six were shipped with automatic weights, more or less; on the next six
# these fail.
CHARACTERS = [
    ("human-male", "mesh2motion-human-male/human-male.glb", None, 0.00),
    ("dragon (Mesh2Motion)", "mesh2motion-dragon/dragon-animations.glb", None, 0.06),
    ("mannequin", "gdquest-mannequin/mannequiny-0.3.0.glb", None, 0.14),
    ("fox (Mesh2Motion)", "mesh2motion-fox/fox-animations.glb", None, 0.16),
    ("horse", "mesh2motion-horse/horse-animations.glb", None, 0.17),
    ("knight (KayKit)", "kaykit-knight/Knight.glb", None, 0.18),
    ("CesiumMan", "khronos-cesiumman/CesiumMan.glb", None, 0.78),
    ("RiggedFigure", "khronos-riggedfigure/RiggedFigure.glb", None, 0.75),
    ("Fox", "khronos-fox/Fox.glb", None, 0.50),
    ("left hand", "webxr-hand/left.glb", None, 0.51),
    ("adventurer", "quaternius-adventurer/Adventurer.glb", None, 1.00),
    ("wasp", "quaternius-wasp-nan/Wasp.glb", None, 0.90),
    ("elephant (libigl)", "libigl-elephant/elephant.glb", None, 0.34),
    ("husky", "quaternius-husky/Husky.glb", None, 0.42),
    ("frog", "quaternius-frog/Frog.glb", None, 0.43),
    ("rat", "quaternius-rat/Rat.glb", None, 0.60),
    ("elephant (0 A.D.)", "0ad-elephant-bush/neutral/mesh.obj", "0ad-elephant-bush/neutral/rig.txt", None),
    ("RiggedSimple", "khronos-riggedsimple/RiggedSimple.glb", None, None),
    ("MakeHuman", "makehuman/body.obj", "makehuman/body_rig.txt", None),
    ("man in a suit", "quaternius-man-suit/Smooth_Male_Suit.fbx", None, None),
    ("Red Eclipse", "redeclipse-male/neutral/mesh.obj", "redeclipse-male/neutral/rig.txt", None),
    ("dragon (Rohmer)", "rohmer-dragon/mesh.obj", "rohmer-dragon/rig.txt", None),
    ("giraffe (Rohmer)", "rohmer-girafe/mesh.obj", "rohmer-girafe/rig.txt", None),
    ("spot", "rohmer-spot/mesh.obj", "rohmer-spot/rig.txt", None),
]
BIND_METHODS = ["auto", "heat", "geodesic-heat", "gvb", "medial", "distance"]
EVERY_JOINT = ["--unused-joints", "bind"]
METHODS = [
    ("default", ["--method", "gvb", "--resolution", "128"]),
    ("gvb", ["--method", "gvb", "--resolution", "128", *EVERY_JOINT]),
    ("paper", ["--paper", "--resolution", "128", *EVERY_JOINT]),
    ("distance", ["--method", "distance", *EVERY_JOINT]),
]
# One setting at a time, away from the default.
SETTINGS = [
    ("default", []),
    ("`--sampling minimum`", ["--sampling", "minimum"]),
    ("`--sampling containing`", ["--sampling", "containing"]),
    ("`--smoothing 0`", ["--smoothing", "0"]),
    ("`--smoothing 0.4`", ["--smoothing", "0.4"]),
    ("`--smoothing 1.5`", ["--smoothing", "1.5"]),
    ("both of the paper", ["--sampling", "containing", "--smoothing", "0"]),
    ("`--falloff 0`", ["--falloff", "0"]),
    ("`--falloff 0.3`", ["--falloff", "0.3"]),
    ("`--penalty 1`", ["--penalty", "1"]),
    ("`--penalty 10`", ["--penalty", "10"]),
    ("`--leaves point`", ["--leaves", "point"]),
    ("`--resolution 64`", ["--resolution", "64"]),
    ("`--resolution 256`", ["--resolution", "256"]),
]


def run(*arguments):
    ran = subprocess.run([str(a) for a in arguments], capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"{' '.join(str(a) for a in arguments)}: {ran.stderr.strip()}")
    return ran.stdout


def bind_and_compare(program, file, folder, options):
    """The report's `weights` of the bound character against the file's own."""
    bound = folder / "bound.glb"
    run(program, "bind", file, "-o", bound, "--quiet", *options)
    return json.loads(run(program, "compare", bound, file, "--moments", "12", "--json"))["weights"]


def measure(program, file, folder):
    return {method: bind_and_compare(program, file, folder, options) for method, options in METHODS}


def mean(values):
    values = [value for value in values if value is not None]
    return sum(values) / len(values) if values else float("nan")


def print_settings(program, data, folder):
    """Over the reference characters, every joint; and the elephant's smoothness, as its mesh is even."""
    rows = []
    for name, options in SETTINGS:
        resolution = [] if "--resolution" in options else ["--resolution", "128"]
        bound = [bind_and_compare(program, data / path, folder, resolution + EVERY_JOINT + options)
                 for _, path in REFERENCE + OTHERS[:1]]
        reference = bound[:-1]
        rows.append([name,
                     f"{mean(r['l1_mean'] for r in reference):.3f}",
                     f"{mean(r['smoothness']['a'] for r in reference):.3f}",
                     f"{bound[-1]['smoothness']['a']:.3f}",
                     f"{mean(1000 * r['position_error']['mean'] for r in reference if r['position_error']):.2f}"])
    print_table(["setting", "mean L1", "smoothness", "smoothness, elephant", "mean error over clips"], rows)


def bind_character(program, data, folder, character, options):
    """Weights of one character against its own, and the seconds that binding took; None if it is not there."""
    _, mesh, rig, _ = character
    if not (data / mesh).exists():
        return None
    bound, report = folder / "bound.glb", folder / "report.json"
    # A rig of its own comes with weights, and stays the skeleton that is bound to.
    source = data / mesh
    if rig is not None:
        source = folder / "source.glb"
        run(program, "bind", data / mesh, "--skeleton", data / rig, "-o", source, "--quiet", "--keep", "*")
    run(program, "bind", source, "-o", bound, "--quiet", "--report", report, *options)
    weights = json.loads(run(program, "compare", bound, source, "--moments", "12", "--json"))["weights"]
    seconds = json.loads(report.read_text())["seconds"]
    stages = ("voxelize", "sparsify", "distance", "medial", "weights")
    weights["seconds"] = sum(seconds.get(stage, 0) for stage in stages)
    return weights


def print_methods(program, data, folder, options):
    """Every method on every character: L1, smoothness, error over clips, seconds; and the means of the groups."""
    results = {}
    for character in CHARACTERS:
        for method in BIND_METHODS:
            weights = bind_character(program, data, folder, character, ["--method", method, *options])
            if weights is not None:
                results.setdefault(character[0], {})[method] = weights
    groups = [("mean of the first six", CHARACTERS[:6]), ("mean of the next six", CHARACTERS[6:12]),
              (f"mean of all {len(results)}", CHARACTERS)]
    tables = [("Mean L1 against the file's own weights.", lambda w: w["l1_mean"], "{:.3f}"),
              ("Smoothness; the file's own weights in the last column.", lambda w: w["smoothness"]["a"], "{:.3f}"),
              ("Mean error over clips, in thousandths of the diagonal.",
               lambda w: 1000 * w["position_error"]["mean"] if w["position_error"] else None, "{:.2f}"),
              ("Milliseconds, without reading and writing files.", lambda w: 1000 * w["seconds"], "{:.0f}")]
    for title, read, form in tables:
        print(title + "\n")
        extra = {"Mean": "Blender's heat", "Smoothness": "the file's own"}.get(title.split()[0].strip(";"))
        extra = extra if title.startswith(("Mean L1", "Smoothness")) else None
        rows = []
        for name, _, _, blender in CHARACTERS:
            if name not in results:
                continue
            row = [name] + [form.format(read(results[name][m])) if read(results[name][m]) is not None else "–"
                            for m in BIND_METHODS]
            if extra == "Blender's heat":
                row.append("–" if blender is None else f"{blender:.2f}")
            elif extra:
                row.append(form.format(results[name]["auto"]["smoothness"]["b"]))
            rows.append(row)
        for label, members in groups:
            there = [name for name, *_ in members if name in results]
            row = [label] + [form.format(mean(read(results[n][m]) for n in there)) for m in BIND_METHODS]
            if extra == "Blender's heat":
                known = [b for n, _, _, b in members if n in results and b is not None]
                row.append(f"{mean(known):.2f}" if len(known) == len(there) else "–")
            elif extra:
                row.append(form.format(mean(results[n]["auto"]["smoothness"]["b"] for n in there)))
            rows.append(row)
        print_table(["character", *BIND_METHODS] + ([extra] if extra else []), rows)


def print_table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("| --- |" + " ---: |" * (len(head) - 1))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def column(results, names, read):
    """The values of the characters, and their mean over the reference ones."""
    values = {name: read(results[name]) for name in names}
    wanted = [values[name] for name, _ in REFERENCE if values.get(name) is not None]
    values["mean of the first seven" if len(wanted) == len(REFERENCE) else "mean of those with clips"] = (
        sum(wanted) / len(wanted) if wanted else None)
    return values


def print_metrics(results, names, columns):
    """columns: (title, function of a character's results, format)."""
    filled = [(title, column(results, names, read), form) for title, read, form in columns]
    rows = [[name] + [form.format(values[name]) if values[name] is not None else "–" for _, values, form in filled]
            for name in filled[0][1]]
    print_table(["character"] + [title for title, _, _ in filled], rows)


def motion(method, which):
    def read(result):
        error = result[method]["position_error"]
        return None if error is None else 1000 * error[which]
    return read


def main():
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    if not arguments:
        sys.exit(__doc__)
    program = pathlib.Path(arguments[0]).resolve()
    beside = pathlib.Path(__file__).resolve().parent.parent.parent / "shared" / "data"
    data = pathlib.Path(arguments[1]) if len(arguments) > 1 else beside
    if "--settings" in sys.argv:
        with tempfile.TemporaryDirectory() as folder:
            print_settings(program, data, pathlib.Path(folder))
        return
    if "--methods" in sys.argv or "--every-joint" in sys.argv:
        with tempfile.TemporaryDirectory() as folder:
            print_methods(program, data, pathlib.Path(folder), EVERY_JOINT if "--every-joint" in sys.argv else [])
        return
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, path in REFERENCE + OTHERS:
            if (data / path).exists():
                results[name] = measure(program, data / path, pathlib.Path(folder))
    if not results:
        sys.exit(f"none of the characters is in {data}")
    names = list(results)

    print("Mean L1 against the file's own weights, and precision and recall of the influences in per cent.\n")
    columns = [(f"L1 {m}", lambda r, m=m: r[m]["l1_mean"], "{:.3f}") for m, _ in METHODS]
    columns += [(f"{short} {m}", lambda r, m=m, key=key: 100 * r[m][key], "{:.0f}")
                for short, key in (("prec.", "precision"), ("rec.", "recall")) for m in ("gvb", "paper", "distance")]
    print_metrics(results, names, columns)

    print("Smoothness, of the file's own weights and of ours.\n")
    columns = [("the file's own", lambda r: r["gvb"]["smoothness"]["b"], "{:.3f}")]
    columns += [(m, lambda r, m=m: r[m]["smoothness"]["a"], "{:.3f}") for m, _ in METHODS]
    print_metrics(results, names, columns)

    print("Over all clips of the file, how far vertices are from where its own weights put them: mean and largest, in "
          "thousandths of the box's diagonal.\n")
    columns = [(f"mean {m}", motion(m, "mean"), "{:.1f}") for m, _ in METHODS]
    columns += [(f"largest {m}", motion(m, "max"), "{:.0f}") for m, _ in METHODS]
    print_metrics(results, names, columns)


if __name__ == "__main__":
    main()

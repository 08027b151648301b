#!/usr/bin/env python3
"""written_table.py PROGRAM DATA [NAME...] [--forms morphs,frames] [--deformers lbs,dqs]: what `isochor deform` writes, played.

Every GLB and FBX in DATA that has a clip (or those whose path holds a NAME), with the default settings otherwise. A line for each, in
Markdown: faces turned over in the corrected frames, and in the written file at keys and half-way between (the program's own report);
the largest error of a volume that `tests/node/volumes.mjs`, which shares nothing with the program, finds at keys and half-way; and
what may be there: what the report says could not be held, the errors of the report for morphs, 1e-6 and --between for frames.
The exit code is 1 if a face is turned over, or a volume is off by more.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

PLAYER = pathlib.Path(__file__).resolve().parent.parent / 'tests/node/volumes.mjs'


def files_of(data, names):
    for file in sorted(data.rglob('*')):
        name = str(file.relative_to(data))
        if file.suffix in ('.glb', '.fbx') and (not names or any(part in name for part in names)):
            yield name, file


def played(file, source):
    more = [source] if source.suffix == '.glb' else []
    run = subprocess.run(['node', PLAYER, file, *more], capture_output=True, text=True, check=False)
    return json.loads(run.stdout) if run.returncode == 0 else None


def row(program, name, file, form, deformer, folder):
    """The line, and whether all is well; None where there is nothing to bake."""
    out, report_file = folder / 'out.glb', folder / 'report.json'
    run = subprocess.run([program, 'deform', file, '-o', out, '--bake', form, '--deformer', deformer, '--report', report_file, '--quiet'],
                         capture_output=True, text=True, check=False)
    if run.returncode != 0:
        return None
    report = json.loads(report_file.read_text(encoding='utf8'))
    bake, volume = report.get('bake', {}), report['volume']
    if 'max_turned_faces' not in bake:
        return None
    held = volume['max_error_after']
    between = bake.get('between', {})
    allowed_at = held + (1e-6 if form == 'frames' else bake['max_volume_error'] + 1e-6)
    allowed_between = held + 1e-6 + (report['options']['between'] if form == 'frames' and between.get('gaps_beyond', 0) == 0
                                     else bake['max_volume_error_between'])
    player = played(out, file)
    turned = [volume.get('max_turned_faces', 0), bake['max_turned_faces'], bake['max_turned_faces_between']]
    at, half = (player['at_keys'], player['between']) if player else (float('nan'), float('nan'))
    good = max(turned) == 0 and at <= allowed_at and half <= allowed_between
    line = (f'| {name} | {form}, {deformer} | {bake["keys"]} | {turned[0]} | {turned[1]}, {turned[2]} | {at:.1e} ({allowed_at:.1e}) | '
            f'{half:.1e} ({allowed_between:.1e}) | {out.stat().st_size / 1e6:.2f} | {"" if good else "**no**"} |')
    return line, good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('program', type=pathlib.Path)
    parser.add_argument('data', type=pathlib.Path)
    parser.add_argument('names', nargs='*')
    parser.add_argument('--forms', default='morphs,frames')
    parser.add_argument('--deformers', default='lbs,dqs')
    options = parser.parse_args()
    print('| file | bake, deformer | keys | turned: frames | written: at keys, between | volume at keys (may be) | between (may be) | MB | |')
    print('| --- | --- | --- | --- | --- | --- | --- | --- | --- |')
    all_good = True
    with tempfile.TemporaryDirectory() as work:
        for name, file in files_of(options.data, options.names):
            for deformer in options.deformers.split(','):
                for form in options.forms.split(','):
                    result = row(options.program.resolve(), name, file, form, deformer, pathlib.Path(work))
                    if result:
                        print(result[0], flush=True)
                        all_good = all_good and result[1]
    return 0 if all_good else 1


if __name__ == '__main__':
    sys.exit(main())

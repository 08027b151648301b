#!/usr/bin/env python3
"""The table of docs/games.md: games_table.py PROGRAM DATA [NAME...]

Every GLB in DATA that has a clip, baked as morph targets, one target per frame, and joints. A line for each, in Markdown.
"""
import json
import os
import subprocess
import sys
import tempfile

BARS = ('morphs', 'frames', 'joints')


def baked(program, file, mode, work):
    out, report = os.path.join(work, 'out.glb'), os.path.join(work, 'report.json')
    # Frames are what a clip's keys are, without more between them: files are large enough.
    more = ['--between', '0'] if mode == 'frames' else []
    done = subprocess.run([program, 'deform', file, '-o', out, '--bake', mode, '--report', report, '--quiet', *more],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        return None
    with open(report, encoding='utf8') as text:
        return json.load(text), os.path.getsize(out)


def volume_errors(report, key):
    return max([c.get(key, 0) for c in report['volume']['components']] or [0])


def main():
    program, data, names = sys.argv[1], sys.argv[2], sys.argv[3:]
    files = sorted(os.path.join(folder, name) for folder, _, inside in os.walk(data) for name in inside if name.endswith('.glb'))
    print('| | MB | morphs | frames | joints | added | of the correction | farthest vertex | volume: skinning, joints |')
    print('| --- | --- | --- | --- | --- | --- | --- | --- | --- |')
    shares, ratios = [], []
    with tempfile.TemporaryDirectory() as work:
        for file in files:
            name = os.path.basename(file)[:-4]
            if names and name not in names:
                continue
            results = {mode: baked(program, file, mode, work) for mode in BARS}
            if results['joints'] is None:
                continue  # no clip, or no mesh
            size = os.path.getsize(file)
            report, _ = results['joints']
            joints = report['bake'].get('joints', {})
            times = ' | '.join(f'{results[mode][1] / size:.2f}' if results[mode] else '-' for mode in BARS)
            print(f'| {name} | {size / 1e6:.2f} | {times} | {joints.get("added", 0)} | {100 * joints.get("correction", 0):.1f} % | '
                  f'{100 * report["bake"]["max_position_error"]:.2f} % | {volume_errors(report, "max_error_before"):.1e}, '
                  f'{report["bake"]["max_volume_error"]:.1e} |', flush=True)
            if joints:
                shares.append(joints['correction'])
                ratios.append(results['joints'][1] / size)
    if shares:
        print(f'\nMean of those with twins: {100 * sum(shares) / len(shares):.1f} % of the correction, {sum(ratios) / len(ratios):.2f} times the file.')


if __name__ == '__main__':
    main()

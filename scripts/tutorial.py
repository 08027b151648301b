#!/usr/bin/env python3
"""tutorial.py PROGRAM [--pictures] [--check]: runs every command of docs/tutorial.md and puts what it prints into the page.

Blocks of code whose lines begin with '$ ' are commands and their output. Of an output in which the page has a line '…',
the lines about it are kept: those that differ from the page's in numbers only. Files that the page tells the reader to
save ('Save this as `NAME`') are saved from the block that follows. Tables whose rows begin with a command get their
figures from its report. What changed is printed; --check leaves the page as it is, and fails if it should change.
--pictures renews docs/images/tutorial-NAME.png with every NAME.png that the commands draw.
"""
import argparse
import difflib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PAGE = pathlib.Path(__file__).resolve().parent.parent / 'docs/tutorial.md'
GAP = '…'


def run(command, folder):
    """The lines that a command prints, errors too."""
    path = f'{folder / "bin"}:{os.environ["PATH"]}'
    done = subprocess.run(['bash', '-c', command], cwd=folder, env={**os.environ, 'PATH': path},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode and 'isochor: ' not in done.stdout:
        sys.exit(f'{command}: exit code {done.returncode}\n{done.stdout}')
    return done.stdout.splitlines()


def shape(line):
    """A line without its figures."""
    return re.sub(r'(?<![A-Za-z\d])[-+]?\d+(\.\d+)?(e[-+]?\d+)?', '#', line)


def find(line, printed, begin):
    """Where `line` is among what was printed from `begin` on: the same but for its figures, or else the most like it."""
    for i in range(begin, len(printed)):
        if shape(printed[i]) == shape(line):
            return i
    def alike(i):
        return difflib.SequenceMatcher(None, shape(line), shape(printed[i])).ratio()
    best = max(range(begin, len(printed)), key=alike, default=None)
    if best is None or alike(best) < 0.6:
        sys.exit(f'nothing that is printed is like this line of the page:\n  {line}')
    return best


def abridge(printed, old):
    """What was printed, without what the page leaves out."""
    if GAP not in old:
        return printed
    out, at = [], 0
    kept, first = [], True  # the lines of the page since the last gap
    for line in [*old, None]:
        if line is not None and line != GAP:
            kept.append(line)
            continue
        if kept:
            begin = at if first else find(kept[0], printed, at)
            end = len(printed) if line is None else find(kept[-1], printed, begin + len(kept) - 1 if first else begin) + 1
            if begin > at:
                out.append(GAP)
            out += printed[begin:end]
            at = end
        first, kept = False, []
    return out + [GAP] if at < len(printed) else out


def session(lines, folder):
    """A block of commands, with what they print now."""
    out = []
    while lines:
        command, lines = lines[0], lines[1:]
        count = next((i for i, line in enumerate(lines) if line.startswith('$ ')), len(lines))
        old, lines = lines[:count], lines[count:]
        out += [command, *abridge(run(command[2:], folder), old)]
    return out


def bake_row(line, folder):
    """A row of the table of bakes: what its command's report says."""
    command = re.match(r'\| `(isochor [^`]*)` \|', line).group(1)
    run(command + ' --report row.json', folder)
    bake = json.loads((folder / 'row.json').read_text())['bake']
    def percent(value):
        return f'{100 * value:.1g} %' if value < 1e-3 else f'{100 * value:.2g} %'
    return (f'| `{command}` | {bake["targets"]} | {bake["bytes"] / 1e6:.3g} MB '
            f'| {percent(bake["max_position_error"])} | {percent(bake["max_volume_error"])} |')


def rewrite(lines, folder):
    out, i = [], 0
    while i < len(lines):
        line = lines[i]
        if line.startswith('| `isochor'):
            out.append(bake_row(line, folder))
            i += 1
            continue
        out.append(line)
        i += 1
        if not line.startswith('```'):
            continue
        end = lines.index('```', i)
        block = lines[i:end]
        if block and block[0].startswith('$ '):
            block = session(block, folder)
        else:
            name = re.search(r'Save this as `([^`]+)`', '\n'.join(out[-4:]))
            if name:
                (folder / name.group(1)).write_text('\n'.join(block) + '\n')
        out += [*block, '```']
        i = end + 1
    return out


def renew_pictures(folder):
    for picture in sorted(folder.glob('*.png')):
        shown = PAGE.parent / 'images' / f'tutorial-{picture.name}'
        if shown.exists() and shown.read_bytes() != picture.read_bytes():
            shutil.copyfile(picture, shown)
            print(f'{shown} drawn anew')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('program', type=pathlib.Path)
    parser.add_argument('--pictures', action='store_true', help='renew the pictures of the page, too')
    parser.add_argument('--check', action='store_true', help='change nothing; exit code 1 if the page is out of date')
    options = parser.parse_args()
    old = PAGE.read_text().splitlines()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / 'bin').mkdir()
        (folder / 'bin/isochor').symlink_to(options.program.resolve(strict=True))
        new = rewrite(old, folder)
        if options.pictures and not options.check:
            renew_pictures(folder)
    changes = list(difflib.unified_diff(old, new, 'docs/tutorial.md, as it was', 'as printed', lineterm='', n=0))
    print('\n'.join(changes) if changes else 'docs/tutorial.md shows what is printed')
    if options.check:
        sys.exit(1 if changes else 0)
    PAGE.write_text('\n'.join(new) + '\n')


main()

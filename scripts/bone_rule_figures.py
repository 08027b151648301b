#!/usr/bin/env python3
"""bone_rule_figures.py [FILE]: draws docs/images/bone-rules.svg, one panel for each bone rule of docs/weights.md.

Grey: the mesh. Dots: joints as the file has them; rings: joints that take no weight. Dashed red: the bone, or the growth of
a leaf, without the rule. Blue: with it. Arrows: a joint's own axis.
"""

import math
import pathlib
import sys

WIDTH, HEIGHT, COLUMNS = 240, 210, 4
SKIN = 'fill="#e9e9ec" stroke="#b5b5bd" stroke-width="1.5"'


def tag(name, content="", **attributes):
    written = " ".join(f'{key.replace("_", "-")}="{value}"' for key, value in attributes.items())
    return f"<{name} {written}>{content}</{name}>" if content else f"<{name} {written}/>"


def skin(path):
    return f'<path d="{path}" {SKIN}/>'


def joint(x, y, weight=True):
    fill, stroke = ("#222", "#222") if weight else ("#fff", "#888")
    return tag("circle", cx=x, cy=y, r=5, fill=fill, stroke=stroke, stroke_width=2)


def before(*points):
    return tag("polyline", points=" ".join(f"{x},{y}" for x, y in points), fill="none", stroke="#d03a2f", stroke_width=2.5,
               stroke_dasharray="6 4")


def after(*points):
    return tag("polyline", points=" ".join(f"{x},{y}" for x, y in points), fill="none", stroke="#2563c9", stroke_width=5,
               stroke_linecap="round", stroke_opacity=0.75)


def axis(x, y, angle, length=26):
    dx, dy = math.cos(math.radians(angle)), -math.sin(math.radians(angle))
    return tag("line", x1=x, y1=y, x2=x + length * dx, y2=y + length * dy, stroke="#2f9e44", stroke_width=2,
               marker_end="url(#tip)")


def hand():
    """One bone along +y, as far as the nearest child; not one to each finger."""
    fingers = [(70, 78), (100, 62), (132, 62), (160, 80)]
    parts = [skin("M98 185 L98 150 Q60 140 58 70 L80 66 L88 110 L92 46 L112 46 L114 104 L122 46 L142 46 L140 108 L150 66 L172 72 "
                  "Q176 120 140 150 L140 185 Z")]
    parts += [before((118, 150), f) for f in fingers]
    parts += [after((118, 150), (118, 106)), axis(118, 150, 90, 80), joint(118, 150), *[joint(*f) for f in fingers],
              joint(88, 128), before((118, 150), (88, 128))]
    return parts


def star():
    """Every joint hangs from the wrist: bones follow the joints' axes."""
    parts = [skin("M100 188 L104 140 L62 62 L80 52 L112 104 L108 36 L130 36 L130 104 L162 54 L178 66 L138 142 L140 188 Z")]
    chains = [[(104, 132), (88, 98), (74, 66)], [(120, 116), (119, 82), (119, 48)], [(134, 132), (152, 98), (166, 68)]]
    for chain in chains:
        parts += [before((120, 172), p) for p in chain]
    for chain in chains:
        parts.append(after(*chain))
        angle = math.degrees(math.atan2(chain[0][1] - chain[-1][1], chain[-1][0] - chain[0][0]))
        parts += [axis(*p, angle, 20) for p in chain]
        parts += [joint(*p) for p in chain]
    return parts + [joint(120, 172)]


def mirror():
    """The right side was mirrored: its axes point back, and its last bone grows the other way."""
    return [skin("M96 60 Q120 48 144 60 L214 92 L208 112 L144 92 L144 180 L96 180 L96 92 L32 112 L26 92 Z"),
            after((96, 72), (68, 86)), after((68, 86), (34, 100)), after((144, 72), (172, 86)), after((172, 86), (206, 100)),
            before((172, 86), (144, 72)), axis(68, 86, 206, 30), axis(172, 86, 153, 30),
            joint(96, 72), joint(68, 86), joint(144, 72), joint(172, 86)]


def stop():
    """A torso does not grow through the neck: it ends at the joint on its way."""
    return [skin("M80 180 Q70 110 92 92 L108 84 L108 66 Q90 50 104 30 Q120 16 136 30 Q150 50 132 66 L132 84 L148 92 Q170 110 160 180 Z"),
            before((120, 160), (120, 22)), after((120, 160), (120, 78)), axis(120, 160, 90, 30), joint(120, 160), joint(120, 74)]


def outside():
    """A leaf that starts outside crosses the empty space; in a thin sheet it grows along the skin."""
    return [skin("M44 150 Q92 118 136 140 Q176 120 206 66 Q214 60 214 70 Q196 140 150 168 Q96 184 44 166 Z"),
            after((92, 150), (136, 96)), after((136, 96), (166, 126), (200, 82)), before((136, 96), (140, 92)),
            joint(92, 150), joint(136, 96),
            tag("text", "starts outside", x=96, y=84, font_size=12, fill="#666")]


def control():
    """A root outside the mesh and controls by name take no weight: they move joints, not skin."""
    return [skin("M92 40 Q120 22 148 40 L144 150 L128 150 L120 96 L112 150 L96 150 Z"),
            before((120, 184), (120, 62)), after((120, 62), (104, 142)), after((120, 62), (136, 142)), before((176, 142), (176, 118)),
            joint(120, 184, False), joint(176, 142, False), joint(120, 62), joint(104, 142), joint(136, 142),
            tag("text", "root", x=130, y=190, font_size=12, fill="#666"),
            tag("text", "foot_IK", x=160, y=164, font_size=12, fill="#666")]


def end():
    """A leaf named as an end marks where the bone before it ends, and takes no weight."""
    return [skin("M30 116 Q30 96 60 94 L186 100 Q204 108 186 122 L60 136 Q30 136 30 116 Z"),
            after((56, 114), (116, 112)), after((116, 112), (182, 111)), before((182, 111), (196, 111)),
            joint(56, 114), joint(116, 112), joint(182, 111, False),
            tag("text", "finger_end", x=150, y=88, font_size=12, fill="#666")]


def shell():
    """A small piece that does not see its bone (a buckle, an eye) follows one joint alone."""
    return [skin("M76 184 Q70 90 96 60 Q120 40 144 60 Q170 90 164 184 Z"),
            after((120, 172), (120, 116)), after((120, 116), (120, 60)),
            tag("rect", x=150, y=96, width=30, height=22, rx=5, fill="#2563c9", fill_opacity=0.45, stroke="#2563c9", stroke_width=2),
            before((150, 107), (122, 140)), before((150, 107), (122, 84)),
            joint(120, 172), joint(120, 116), joint(120, 60)]


RULES = [("off-axis", hand), ("star", star), ("mirror", mirror), ("stop", stop), ("outside", outside), ("control", control),
         ("end", end), ("shell", shell)]


def main():
    beside = pathlib.Path(__file__).resolve().parent.parent / "docs" / "images" / "bone-rules.svg"
    file = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else beside
    rows = (len(RULES) + COLUMNS - 1) // COLUMNS
    panels = []
    for i, (name, draw) in enumerate(RULES):
        x, y = i % COLUMNS * WIDTH, i // COLUMNS * HEIGHT
        title = tag("text", name, x=12, y=20, font_size=15, font_weight="bold", fill="#222")
        panels.append(tag("g", tag("title", draw.__doc__) + title + "".join(draw()), transform=f"translate({x},{y})"))
    arrow = tag("marker", tag("path", d="M0 0 L8 4 L0 8 Z", fill="#2f9e44"), id="tip", markerWidth=8, markerHeight=8, refX=6,
                refY=4, markerUnits="userSpaceOnUse", orient="auto")
    size = {"width": COLUMNS * WIDTH, "height": rows * HEIGHT}
    svg = tag("svg", tag("defs", arrow) + tag("rect", **size, fill="#fff") + "\n" + "\n".join(panels) + "\n",
              xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {size['width']} {size['height']}", font_family="sans-serif", **size)
    file.write_text(svg + "\n")


if __name__ == "__main__":
    main()

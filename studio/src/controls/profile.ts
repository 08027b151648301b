// The interpolant of isochor/volume/profile.h: what the library makes of control points, so that the editor draws the same.

export type Point = [number, number];

/** Slopes of Fritsch and Carlson, zero at both ends: the curve never overshoots. */
function slopes(points: Point[]): number[] {
  const n = points.length;
  const secants: number[] = [];
  for (let i = 0; i + 1 < n; ++i) {
    const [x0, y0] = points[i]!, [x1, y1] = points[i + 1]!;
    secants.push((y1 - y0) / (x1 - x0));
  }
  const out = new Array<number>(n).fill(0);
  for (let i = 1; i + 1 < n; ++i) {
    const a = secants[i - 1]!, b = secants[i]!;
    if (a * b <= 0) continue;
    const h0 = points[i]![0] - points[i - 1]![0], h1 = points[i + 1]![0] - points[i]![0];
    const w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;
    out[i] = (w0 + w1) / (w0 / a + w1 / b);
  }
  return out;
}

/** The curve as a function: 1 without points, constant beyond the ends. */
export function interpolant(points: Point[]): (x: number) => number {
  if (points.length === 0) return () => 1;
  const m = slopes(points);
  return (x) => {
    const first = points[0]!, last = points[points.length - 1]!;
    if (x <= first[0]) return first[1];
    if (x >= last[0]) return last[1];
    let i = 0;
    while (points[i + 1]![0] < x) ++i;
    const [x0, y0] = points[i]!, [x1, y1] = points[i + 1]!;
    const h = x1 - x0, t = (x - x0) / h;
    const s = 1 - t;
    return s * s * (1 + 2 * t) * y0 + t * t * (3 - 2 * t) * y1 + s * s * t * h * m[i]! - t * t * s * h * m[i + 1]!;
  };
}

/** A stroke of the pen as few points that keep its shape within `tolerance` (Ramer, Douglas, Peucker), by increasing x. */
export function simplify(stroke: Point[], tolerance: number): Point[] {
  const sorted = [...stroke].sort((a, b) => a[0] - b[0]).filter((point, i, all) => i === 0 || point[0] > all[i - 1]![0]);
  if (sorted.length < 3) return sorted;
  const keep = new Array<boolean>(sorted.length).fill(false);
  keep[0] = keep[sorted.length - 1] = true;
  const visit = (from: number, to: number) => {
    const [x0, y0] = sorted[from]!, [x1, y1] = sorted[to]!;
    let worst = -1, distance = tolerance;
    for (let i = from + 1; i < to; ++i) {
      const [x, y] = sorted[i]!;
      const off = Math.abs(y - (y0 + ((y1 - y0) * (x - x0)) / (x1 - x0)));
      if (off > distance) [worst, distance] = [i, off];
    }
    if (worst < 0) return;
    keep[worst] = true;
    visit(from, worst);
    visit(worst, to);
  };
  visit(0, sorted.length - 1);
  return sorted.filter((_, i) => keep[i]);
}

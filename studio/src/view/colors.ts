// Numbers as colours.

import type { PaintName } from 'isochor';

type Rgb = [number, number, number];

// From nothing (the grey of clay) over blue, green and yellow to red: more is warmer.
const scale: Rgb[] = [[0.66, 0.68, 0.71], [0.3, 0.5, 0.76], [0.16, 0.66, 0.62], [0.62, 0.78, 0.24], [0.98, 0.74, 0.2], [0.9, 0.28, 0.18]];

function fromScale(value: number): Rgb {
  const at = Math.min(1, Math.max(0, value)) * (scale.length - 1);
  const i = Math.min(scale.length - 2, Math.floor(at)), t = at - i;
  const a = scale[i]!, b = scale[i + 1]!;
  return [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2])];
}

const steps = 256;
const table = new Uint8Array(3 * steps);
for (let i = 0; i < steps; ++i) fromScale(i / (steps - 1)).forEach((channel, k) => { table[3 * i + k] = Math.round(255 * channel ** 2.2); });

/** A displacement of so much of the box is red. */
const largestDisplacement = 0.03;

/** Writes RGBA bytes, linear, for all vertices. */
export function paintColors(paint: PaintName, values: Float32Array, out: Uint8Array): void {
  if (paint === 'joints') {
    for (let v = 0; v < values.length / 3; ++v) {
      for (let k = 0; k < 3; ++k) out[4 * v + k] = Math.min(255, 255 * values[3 * v + k]!);
      out[4 * v + 3] = 255;
    }
    return;
  }
  const factor = (steps - 1) / (paint === 'displacement' ? largestDisplacement : 1);
  for (let v = 0; v < values.length; ++v) {
    const i = 3 * Math.min(steps - 1, Math.max(0, Math.round(values[v]! * factor)));
    out[4 * v] = table[i]!;
    out[4 * v + 1] = table[i + 1]!;
    out[4 * v + 2] = table[i + 2]!;
    out[4 * v + 3] = 255;
  }
}

/** The same scale for a legend. */
export const scaleGradient = `linear-gradient(to right, ${scale.map(([r, g, b]) => `rgb(${255 * r} ${255 * g} ${255 * b})`).join(', ')})`;

export function legend(paint: PaintName): { low: string; high: string; title: string } | null {
  switch (paint) {
    case 'weight': return { low: '0', high: '1', title: 'Weight of the joint' };
    case 'gamma': return { low: '0', high: 'most', title: 'Where volume is given (γ)' };
    case 'displacement': return { low: '0', high: `${100 * largestDisplacement} % of the box`, title: 'Displacement' };
    default: return null;
  }
}

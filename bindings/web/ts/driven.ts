// Twins that follow the pose: what a game does with the file that `isochor deform --bake joints --bake-driven FILE.json`
// writes. After the skeleton was posed and before it is skinned, give the node `twin.node` the transform
// driven(twin, local rotation of the node `twin.joint`).

export type Vec = [number, number, number];
/** x, y, z, w, as in glTF. */
export type Quat = [number, number, number, number];

export interface DrivenTwin {
  node: string;
  joint: string;
  /** The joint's rotation where the skin was bound. */
  rest: Quat;
  /** Along its bone, across it; where the twin rests. */
  axis: Vec;
  side: Vec;
  pivot: Vec;
  /** The swings and twists that the clips have shown. */
  low: Vec;
  high: Vec;
  /** 9×9: translation, rotation vector, scale - 1, by feature. */
  coefficients: number[][];
}
export interface Placed { translation: Vec; rotation: Quat; scale: Vec }

const dot = (a: Vec, b: Vec): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Vec, b: Vec): Vec => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const part = (q: Quat): Vec => [q[0], q[1], q[2]];

function times(a: Quat, b: Quat): Quat {
  const u = part(a), v = part(b), c = cross(u, v);
  return [a[3] * v[0] + b[3] * u[0] + c[0], a[3] * v[1] + b[3] * u[1] + c[1], a[3] * v[2] + b[3] * u[2] + c[2], a[3] * b[3] - dot(u, v)];
}

export function driven(twin: DrivenTwin, jointRotation: Quat): Placed {
  const { rest, axis, side, pivot, low, high } = twin;
  let q = times([-rest[0], -rest[1], -rest[2], rest[3]], jointRotation);
  if (q[3] < 0) q = [-q[0], -q[1], -q[2], -q[3]];
  // A twist about the axis, then a swing.
  const along = dot(part(q), axis), length = Math.hypot(along, q[3]);
  const s = length > 0 ? -along / length : 0, c = length > 0 ? q[3] / length : 1;
  const swing = part(times(q, [s * axis[0], s * axis[1], s * axis[2], c]));
  const within = (value: number, k: 0 | 1 | 2): number => Math.min(Math.max(value, low[k]), high[k]);
  const a = within(2 * dot(swing, side), 0), b = within(2 * dot(swing, cross(axis, side)), 1), t = within(2 * Math.atan2(along, q[3]), 2);
  const f = [a, b, t, a * a, a * b, b * b, a * t, b * t, t * t];
  const m = (row: number): number => f.reduce((sum, value, k) => sum + value * (twin.coefficients[row]?.[k] ?? 0), 0);
  const turn: Vec = [m(3), m(4), m(5)], angle = Math.hypot(...turn), half = angle > 0 ? Math.sin(angle / 2) / angle : 0;
  const scale = (k: number): number => Math.min(Math.max(1 + m(6 + k), 0.05), 20);
  return {
    translation: [pivot[0] + m(0), pivot[1] + m(1), pivot[2] + m(2)],
    rotation: [half * turn[0], half * turn[1], half * turn[2], Math.cos(angle / 2)],
    scale: [scale(0), scale(1), scale(2)],
  };
}

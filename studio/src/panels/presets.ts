// Curves to start from. Positions are in bone lengths: 0 is the joint, the parent bone lies at negative x.

import type { CurvePoint } from 'isochor';

export type Axis = 'x' | 'y' | 'z';

export interface Preset {
  name: string;
  help: string;
  points: Partial<Record<Axis, CurvePoint[]>>;
}

const bell = (center: number, width: number): CurvePoint[] =>
  [[center - width, 0], [center - width / 2, 0.5], [center, 1], [center + width / 2, 0.5], [center + width, 0]];

const across = bell(0, 1.2);

export const presets: Preset[] = [
  { name: 'Bell', help: 'One round bulge at the joint', points: { x: bell(0, 0.6), y: across, z: across } },
  { name: 'Muscle', help: 'A bulge on the inside of the bend, half-way along the parent bone', points: { x: bell(-0.5, 0.45), y: across, z: [[-0.1, 0], [0.3, 1], [1.2, 1], [1.4, 0]] } },
  { name: 'Outer', help: 'A bulge on the outside of the bend, as a knee or an elbow has', points: { x: bell(0, 0.5), y: across, z: [[-1.4, 0], [-1.2, 1], [-0.3, 1], [0.1, 0]] } },
  {
    name: 'Folds', help: 'Three folds along the bone',
    points: { x: [[-0.75, 0], [-0.5, 1], [-0.25, 0.08], [0, 1], [0.25, 0.08], [0.5, 1], [0.75, 0]], y: across, z: across },
  },
  { name: 'Ring', help: 'A narrow ring around the joint', points: { x: bell(0, 0.25), y: across, z: across } },
  { name: 'Broad', help: 'The whole length of both bones, evenly', points: { x: [[-1.2, 0], [-0.9, 1], [0.9, 1], [1.2, 0]], y: across, z: across } },
];

export const axisInfo: Record<Axis, { label: string; name: string; help: string }> = {
  x: { label: 'Along', name: 'along the bone', help: 'Along the parent bone: 0 is the joint, negative towards its parent' },
  y: { label: 'Side', name: 'along the bend axis', help: 'Along the axis of the bend' },
  z: { label: 'In/out', name: 'inside of the bend →', help: 'Towards the inside of the bend: positive is the flexor side' },
};

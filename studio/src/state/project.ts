// Everything that can be undone, as one value that never changes: a new one takes its place.

import type { BindOptions, EffectName, EffectSettings, Falloffs, NamedFile, Turn, VolumeSettings } from 'isochor';

export interface Project {
  /** The distances to measure; null: the weights of the file. Falloffs are beside it, as they need no new distance. */
  readonly bind: BindOptions | null;
  readonly falloff: number;
  readonly jointFalloff: Readonly<Record<string, number>>;
  readonly settings: VolumeSettings;
  /** By joint: x, y, z, w on top of the pose. */
  readonly turns: Readonly<Record<number, readonly [number, number, number, number]>>;
  /** Files whose clips come after those of the character. */
  readonly motions: readonly NamedFile[];
}

export const emptyProject: Project = { bind: null, falloff: 0.1, jointFalloff: {}, settings: {}, turns: {}, motions: [] };

export const falloffsOf = ({ falloff, jointFalloff }: Project): Falloffs => ({ falloff, joints: Object.entries(jointFalloff) });

export const turnsOf = ({ turns }: Project): Turn[] =>
  Object.entries(turns).map(([joint, [x, y, z, w]]) => [Number(joint), x, y, z, w]);

/** The joint's own effect, and whether one was set for it. Names are taken literally: patterns come from files. */
export function effectOf(settings: VolumeSettings, joint: string): { effect: EffectSettings; own: boolean } {
  const joints = settings.joints ?? {};
  let found: EffectSettings | undefined;
  for (const [pattern, effect] of Object.entries(joints)) if (matches(joint, pattern)) found = effect;
  if (Object.hasOwn(joints, joint)) found = joints[joint];
  return { effect: found ?? settings.default ?? { effect: 'blend' }, own: found !== undefined };
}

/** * and ? stand for any characters. */
export function matches(name: string, pattern: string): boolean {
  if (name === pattern) return true;
  if (!/[*?]/.test(pattern)) return false;
  const text = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*').replaceAll('?', '.');
  return new RegExp(`^${text}$`, 's').test(name);
}

/** A joint's own entry goes before patterns, wherever it stands: objects put names that are numbers first. */
export function withEffect(settings: VolumeSettings, joints: readonly string[], effect: EffectSettings | null): VolumeSettings {
  const kept = Object.entries(settings.joints ?? {}).filter(([name]) => !joints.includes(name));
  const added = effect === null ? [] : joints.map((name): [string, EffectSettings] => [name, effect]);
  return { ...settings, joints: Object.fromEntries([...kept, ...added]) };
}

export const effectName = (effect: EffectSettings): EffectName => effect.effect ?? 'blend';

/** The name of the same joint on the other side, if names tell: Left and Right, L and R with a separator. */
export function otherSide(name: string): string | null {
  const swaps: [RegExp, string][] = [
    [/Left/, 'Right'], [/Right/, 'Left'], [/left/, 'right'], [/right/, 'left'], [/LEFT/, 'RIGHT'], [/RIGHT/, 'LEFT'],
    [/(^|[._\-\s:])L(?=$|[._\-\s]|\d)/, '$1R'], [/(^|[._\-\s:])R(?=$|[._\-\s]|\d)/, '$1L'],
    [/(^|[._\-\s:])l(?=$|[._\-\s]|\d)/, '$1r'], [/(^|[._\-\s:])r(?=$|[._\-\s]|\d)/, '$1l'],
    [/([a-z0-9])L$/, '$1R'], [/([a-z0-9])R$/, '$1L'],
  ];
  for (const [from, to] of swaps) if (from.test(name)) return name.replace(from, to);
  return null;
}

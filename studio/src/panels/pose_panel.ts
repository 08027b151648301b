// The pose of the chosen joint, and what moves the character.

import { Euler, Quaternion } from 'three';
import { button, element, heading } from '../controls/dom';
import { slider, type Control } from '../controls/fields';
import type { Studio } from '../state/studio';

const degrees = 180 / Math.PI;

export class PosePanel {
  readonly root = element('div', { class: 'tab-panel' });
  private readonly name = element('p', { class: 'of' });
  private readonly angles: Control<number>[];
  private readonly resetOne: HTMLButtonElement;
  private readonly resetAll: HTMLButtonElement;

  constructor(private readonly studio: Studio, importMotion: () => void) {
    this.angles = (['X', 'Y', 'Z'] as const).map((axis, k) => {
      const made = slider({
        label: `Turn about ${axis}`, help: `Turns the joint about its own ${axis} axis, on top of the clip or the rest pose`, min: -180, max: 180, step: 1, unit: '°', value: 0,
        onChange: (value, settled) => this.turn(k, value, settled),
      });
      made.root.dataset['testid'] = `turn-${axis}`;
      return made;
    });
    this.resetOne = button('Reset this joint', 'Take the turn of this joint away', () => this.reset(false));
    this.resetAll = button('Reset all', 'Take the turns of all joints away', () => this.reset(true), { 'data-testid': 'reset-pose' });
    this.root.append(heading('Joint'), this.name, ...this.angles.map((angle) => angle.root), element('div', { class: 'actions' }, this.resetOne, this.resetAll),
      element('p', { class: 'none' }, 'Or take hold of a ring in the view. Click a bone there to choose another joint.'),
      heading('Motion'), element('p', { class: 'none' }, 'Clips of the file are in the timeline below. Motions of other files are carried over by the names of their joints.'),
      element('div', { class: 'actions' }, button('Import a motion …', 'A BVH, or a file with a clip: it becomes a new clip of this character', importMotion)));
    studio.projectChanged.on(() => this.follow());
    studio.viewChanged.on(() => this.follow());
    this.follow();
  }

  private get current(): Quaternion {
    const [x, y, z, w] = this.studio.project.turns[this.studio.view.joint] ?? [0, 0, 0, 1];
    return new Quaternion(x, y, z, w);
  }

  private turn(axis: number, value: number, settled: boolean): void {
    const { joint } = this.studio.view;
    const euler = new Euler().setFromQuaternion(this.current, 'XYZ').toArray() as [number, number, number];
    euler[axis] = value / degrees;
    const next = new Quaternion().setFromEuler(new Euler(euler[0], euler[1], euler[2], 'XYZ'));
    this.mine = true;  // the other two angles stay as they are shown
    this.studio.change(`Turn ${this.studio.character?.joints[joint]?.name ?? ''}`,
      { turns: { ...this.studio.project.turns, [joint]: [next.x, next.y, next.z, next.w] } }, settled);
    this.mine = false;
  }
  private mine = false;

  private reset(all: boolean): void {
    const { [this.studio.view.joint]: _, ...rest } = this.studio.project.turns;
    this.studio.change(all ? 'Reset the pose' : 'Reset a joint', { turns: all ? {} : rest });
  }

  private follow(): void {
    const { character, view, project } = this.studio;
    const joint = character?.joints[view.joint];
    this.name.textContent = joint?.name ?? 'No joint is chosen';
    for (const angle of this.angles) angle.enable(joint !== undefined);
    this.resetOne.disabled = project.turns[view.joint] === undefined;
    this.resetAll.disabled = Object.keys(project.turns).length === 0;
    if (this.mine) return;
    const euler = new Euler().setFromQuaternion(this.current, 'XYZ').toArray() as [number, number, number];
    this.angles.forEach((angle, k) => angle.set(Math.round((euler[k] ?? 0) * degrees * 10) / 10));
  }
}

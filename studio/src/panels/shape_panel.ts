// How the skin at a joint gives back its volume: effect, shares, size, side, and curves that one draws.

import type { CurvePoint, EffectInfo, EffectName, EffectSettings, Field, Side, Triple, VolumeSettings } from 'isochor';
import { openDialog } from '../controls/dialog';
import { button, element, heading } from '../controls/dom';
import { checkbox, choice, segments, slider, type Control } from '../controls/fields';
import { icon } from '../controls/icons';
import { ProfileEditor, type Tool } from '../controls/profile_editor';
import { sharesControl } from '../controls/shares';
import { effectName, effectOf, otherSide, withEffect } from '../state/project';
import type { Studio } from '../state/studio';
import { axisInfo, presets, type Axis } from './presets';
import { problemList } from './problem_list';

const effectHelp: Record<string, string> = {
  blend: 'Along the normals, where the skin blends between bones: needs no setting',
  isotropic: 'A round bulge about the joint, equally along all axes',
  rubber: 'A round bulge along the axis of the bend, as a bent tube has',
  muscle: 'A bulge on one side of the parent bone',
  folds: 'Waves along the parent bone',
  belly: 'One bulge that parts into folds, on one side',
  skin: 'Where several bones share the skin (2008)',
  organic: 'The same, more the farther from the bones (2008)',
  curve: 'Curves that you draw, one for each axis',
};
/** Painted and combined effects come from files; they are kept, and not edited here. */
const offered = Object.keys(effectHelp) as EffectName[];

const range: Record<string, { min: number; max: number; logarithmic?: boolean; step?: number; label: string }> = {
  frequency: { min: 0.25, max: 16, logarithmic: true, label: 'Waves' },
  center: { min: -1, max: 1, step: 0.01, label: 'Middle' },
  gain: { min: 0.1, max: 8, logarithmic: true, label: 'Sharpness' },
  distance_gain: { min: 0, max: 4, step: 0.05, label: 'Fat' },
};

export class ShapePanel {
  readonly root = element('div', { class: 'tab-panel' });
  private axis: Axis = 'x';
  private tool: Tool = 'draw';
  private key = '';
  private updaters: ((effect: EffectSettings) => void)[] = [];
  private readonly problems = element('div');

  constructor(private readonly studio: Studio) {
    studio.opened.on(() => this.build());
    studio.bindChanged.on(() => this.build());
    studio.projectChanged.on(() => this.follow());
    studio.viewChanged.on(() => this.follow());
    studio.settingsChanged.on(() => this.showProblems());
    this.build();
  }

  private get jointName(): string | null {
    return this.studio.character?.joints[this.studio.view.joint]?.name ?? null;
  }
  private get effect(): EffectSettings {
    const name = this.jointName;
    return name === null ? {} : effectOf(this.studio.project.settings, name).effect;
  }
  private info(effect: EffectSettings): EffectInfo {
    return this.studio.library.effects.find((info) => info.name === effectName(effect))!;
  }
  private field(name: string): Field {
    return this.studio.library.effect.find((field) => field.name === name)!;
  }

  private settings(label: string, settings: VolumeSettings, settled: boolean): void {
    this.studio.change(label, { settings }, settled);
  }
  private set(label: string, change: Partial<EffectSettings>, settled: boolean): void {
    const name = this.jointName;
    if (name === null) return;
    this.settings(`${label} of ${name}`, withEffect(this.studio.project.settings, [name], { ...this.effect, ...change }), settled);
  }

  /** Another effect begins with its own defaults; a curve with a bell, so that there is something to draw on. */
  private chooseEffect(effect: EffectName): void {
    const name = this.jointName;
    if (name === null) return;
    const fresh: EffectSettings = effect === 'curve' ? { effect, mu: [0.1, 0.45, 0.45], ...presets[0]!.points } : { effect };
    this.settings(`Effect of ${name}`, withEffect(this.studio.project.settings, [name], fresh), true);
  }

  private follow(): void {
    const key = this.currentKey();
    if (key !== this.key) this.build();
    else for (const update of this.updaters) update(this.effect);
  }
  /** What decides which controls there are. */
  private currentKey(): string {
    return `${this.jointName}/${effectName(this.effect)}/${this.info(this.effect).direction}`;
  }

  private build(): void {
    const { studio } = this;
    const name = this.jointName;
    const joint = studio.character?.joints[studio.view.joint];
    this.key = this.currentKey();
    this.updaters = [];
    const effect = this.effect;
    const parts: (Node | null)[] = [heading('Effect'), element('p', { class: 'of' }, name ?? 'No joint is chosen')];
    if (joint && !joint.bends) {
      parts.push(element('p', { class: 'none' }, 'No skin bends at this joint, so it has nothing to shape. Choose another one.'));
    } else if (joint) {
      parts.push(...this.effectControls(effect));
    }
    parts.push(heading('On the skin'), checkbox({
      label: 'Show the map while I shape', help: 'Paint on the skin where this joint gives volume', value: studio.view.showMap, onChange: (showMap) => studio.look({ showMap }),
    }).root, ...this.allJoints(), this.problems);
    this.root.replaceChildren(...parts.filter((part): part is Node => part !== null));
    this.showProblems();
  }

  private effectControls(effect: EffectSettings): (Node | null)[] {
    const info = this.info(effect), uses = (field: string) => info.fields.includes(field);
    const known = offered.includes(effectName(effect));
    const parts: (Node | null)[] = [choice<EffectName>({
      label: 'Kind', help: effectHelp[effectName(effect)] ?? 'Comes from the file', value: effectName(effect),
      choices: [...offered, ...(known ? [] : [effectName(effect)])].map((value) => ({ value, label: value, help: effectHelp[value] ?? '' })),
      onChange: (value) => this.chooseEffect(value),
    }).root];
    parts[0] instanceof HTMLElement && (parts[0].dataset['testid'] = 'effect');
    parts.push(element('p', { class: 'none' }, effectHelp[effectName(effect)] ?? 'This effect comes from the file: it is kept, and can be replaced.'));
    if (effectName(effect) === 'curve') parts.push(...this.curveControls(effect));
    if (known && uses('mu') && info.direction === 'axes') parts.push(this.shares(effect, info));
    if (uses('sigma')) parts.push(this.size(effect, info));
    if (uses('side')) parts.push(this.side(effect, info));
    for (const field of ['center', 'frequency', 'gain', 'distance_gain'] as const) if (uses(field)) parts.push(this.number(field, effect, info));
    if (effectName(effect) === 'belly') parts.push(this.minShare(effect, info));
    parts.push(this.copyButtons());
    return parts;
  }

  private update<T>(control: Control<T>, value: (effect: EffectSettings) => T): HTMLElement {
    this.updaters.push((effect) => control.set(value(effect)));
    return control.root;
  }

  private shares(effect: EffectSettings, info: EffectInfo): HTMLElement {
    const value = (of: EffectSettings): Triple => of.mu ?? info.mu;
    return this.update(sharesControl({
      label: 'Shares μ', help: this.field('mu').help, names: ['along', 'sideways', 'in/out'], value: value(effect),
      onChange: (mu, settled) => this.set('Shares', { mu }, settled),
    }), value);
  }

  private size(effect: EffectSettings, info: EffectInfo): HTMLElement {
    const triple = (of: EffectSettings): Triple => (typeof of.sigma === 'number' ? [of.sigma, of.sigma, of.sigma] : of.sigma ?? info.sigma);
    const names: [string, string, string] = ['Size along', 'Size sideways', 'Size in and out'];
    const each = names.map((label, k) => this.update(slider({
      label, help: `Higher: the bulge reaches farther. ${this.field('sigma').help}`, min: 0.02, max: 4, logarithmic: true, unit: 'bones', value: triple(effect)[k]!,
      onChange: (next, settled) => this.set('Size', { sigma: triple(this.effect).map((old, i) => (i === k ? next : old)) as Triple }, settled),
    }), (of) => triple(of)[k]!));
    return element('div', {}, ...each);
  }

  private side(effect: EffectSettings, info: EffectInfo): HTMLElement {
    const value = (of: EffectSettings): Side => of.side ?? info.side;
    return this.update(segments<Side>({
      label: 'Side', value: value(effect), onChange: (side) => this.set('Side', { side }, true),
      choices: [{ value: 'flexor', label: 'Inside', help: 'The inside of the bend' }, { value: 'extensor', label: 'Outside', help: 'The outside of the bend' }, { value: 'both', label: 'Both', help: 'Both sides' }],
    }), value);
  }

  private number(name: 'center' | 'frequency' | 'gain' | 'distance_gain', effect: EffectSettings, info: EffectInfo): HTMLElement {
    const { label, ...limits } = range[name]!;
    const value = (of: EffectSettings): number => of[name] ?? info[name];
    return this.update(slider({ label, help: this.field(name).help, ...limits, value: value(effect), onChange: (next, settled) => this.set(label, { [name]: next }, settled) }), value);
  }

  private minShare(effect: EffectSettings, info: EffectInfo): HTMLElement {
    const pair = (of: EffectSettings): [number, number] => (typeof of.min_share === 'number' ? [of.min_share, of.min_share] : of.min_share ?? info.min_share);
    const each = ['Folds at rest', 'Folds when bent'].map((label, k) => this.update(slider({
      label, help: this.field('min_share').help, min: 0, max: 1, step: 0.01, value: pair(effect)[k]!,
      onChange: (next, settled) => this.set(label, { min_share: pair(this.effect).map((old, i) => (i === k ? next : old)) as [number, number] }, settled),
    }), (of) => pair(of)[k]!));
    return element('div', {}, ...each);
  }

  // ------------------------------------------------------------------ curves

  private curveControls(effect: EffectSettings): Node[] {
    const points = (of: EffectSettings): CurvePoint[] => of[this.axis] ?? [];
    const editor = new ProfileEditor({
      label: `Profile ${axisInfo[this.axis].name}`, help: `${axisInfo[this.axis].help}. Draw with the pen, or drag points`,
      x: { min: -1.5, max: 1.5, label: `${axisInfo[this.axis].name}, in bone lengths`, ticks: [-1.5, -1, -0.5, 0, 0.5, 1, 1.5] },
      y: { min: 0, max: 1.2, label: 'γ', ticks: [0, 0.5, 1] },
      value: points(effect), onChange: (next, settled) => this.set('Curve', { [this.axis]: next }, settled),
    });
    editor.setTool(this.tool);
    this.updaters.push((of) => editor.set(points(of)));
    const axes = segments<Axis>({
      label: 'Axis', value: this.axis, choices: (['x', 'y', 'z'] as const).map((value) => ({ value, label: axisInfo[value].label, help: axisInfo[value].help })),
      onChange: (axis) => { this.axis = axis; this.build(); }, hideLabel: true,
    });
    const tools = segments<Tool>({
      label: 'Tool', value: this.tool, hideLabel: true, onChange: (tool) => { this.tool = tool; editor.setTool(tool); },
      choices: [{ value: 'draw', label: icon('pen'), help: 'Draw the curve freehand' }, { value: 'points', label: icon('point'), help: 'Add and drag points; double-click takes one away' }],
    });
    const even = button('Even', `Take the curve away: everywhere the same ${axisInfo[this.axis].name}`, () => this.set('Curve', { [this.axis]: undefined }, true), { class: 'link' });
    const starts = element('div', { class: 'presets', role: 'group', 'aria-label': 'Curves to start from' }, ...presets.map((preset) =>
      button(preset.name, preset.help, () => this.set('Curve', { x: undefined, y: undefined, z: undefined, ...preset.points }, true))));
    return [element('div', { class: 'curve-bar' }, axes.root, tools.root, even), editor.root, element('p', { class: 'none' }, 'Start from'), starts];
  }

  // ------------------------------------------------------------------ other joints

  private copyButtons(): HTMLElement {
    const { studio } = this;
    const name = this.jointName ?? '';
    const other = otherSide(name);
    const exists = other !== null && (studio.character?.joints.some((joint) => joint.name === other) ?? false);
    const mirror = button('Other side', exists ? `Give ${other} the same effect` : 'The name of this joint does not tell another side',
      () => this.settings(`Copy to ${other}`, withEffect(studio.project.settings, [other!], this.effect), true));
    mirror.disabled = !exists;
    const reset = button('Reset', 'Give this joint the default effect again', () => this.settings(`Reset ${name}`, withEffect(studio.project.settings, [name], null), true));
    // Not a reason to build the panel anew, which would take a slider out of the hand that drags it.
    const follow = () => { reset.disabled = !effectOf(studio.project.settings, name).own; };
    this.updaters.push(follow);
    follow();
    return element('div', { class: 'actions' }, button('Copy to …', 'Give other joints the same effect', () => this.copyDialog(this.effect)), mirror, reset);
  }

  private copyDialog(effect: EffectSettings): void {
    const { studio } = this;
    const chosen = new Set<string>();
    const rows = (studio.character?.joints ?? []).filter((joint) => joint.bends && joint.name !== this.jointName).map((joint) =>
      checkbox({ label: joint.name, help: `Give ${joint.name} the same effect`, value: false, onChange: (on) => (on ? chosen.add(joint.name) : chosen.delete(joint.name)) }).root);
    openDialog(`Copy ${effectName(effect)} to other joints`, [element('div', { class: 'check-list' }, ...rows)], [
      { label: 'Cancel', title: 'Change nothing' },
      { label: 'Copy', title: 'Give the chosen joints this effect', primary: true, onclick: () => this.settings('Copy an effect', withEffect(studio.project.settings, [...chosen], effect), true) },
    ]);
  }

  private allJoints(): Node[] {
    const { studio } = this;
    const field = (name: string): Field => studio.library.volume.find((one) => one.name === name)!;
    /** As it is set, or as the library has it by itself. */
    const of = <K extends 'smoothness' | 'reach' | 'solver' | 'faces'>(key: K, name: string) =>
      (studio.project.settings[key] ?? field(name).value) as NonNullable<VolumeSettings[K]>;
    const set = (label: string, change: Partial<VolumeSettings>, settled: boolean) => this.settings(label, { ...studio.project.settings, ...change }, settled);
    const smoothness = slider({
      label: 'Smoothness', help: field('volume-smoothness').help, min: 0, max: 10, step: 0.1, value: of('smoothness', 'volume-smoothness'),
      onChange: (value, settled) => set('Smoothness', { smoothness: value }, settled),
    });
    const reach = slider({
      label: 'Reach', help: field('volume-reach').help, min: 0.05, max: 2, logarithmic: true, value: of('reach', 'volume-reach'), onChange: (value, settled) => set('Reach', { reach: value }, settled),
    });
    const solver = choice({
      label: 'Solver', help: field('volume-solver').help, value: of('solver', 'volume-solver'), choices: (['exact', 'three-step', 'linear'] as const).map((value) => ({ value, label: value })),
      onChange: (value) => set('Solver', { solver: value }, true),
    });
    const faces = choice({
      label: 'Faces', help: field('volume-faces').help, value: of('faces', 'volume-faces'), choices: [{ value: 'keep', label: 'do not turn over' }, { value: 'free', label: 'may turn over' }] as const,
      onChange: (value) => set('Faces', { faces: value }, true),
    });
    this.updaters.push(() => {
      smoothness.set(of('smoothness', 'volume-smoothness'));
      reach.set(of('reach', 'volume-reach'));
      solver.set(of('solver', 'volume-solver'));
      faces.set(of('faces', 'volume-faces'));
    });
    return [heading('All joints'), smoothness.root, reach.root, solver.root, faces.root];
  }

  private showProblems(): void {
    const { settingError, settingProblems } = this.studio;
    const error = settingError === null ? null : element('p', { class: 'wrong', role: 'alert' }, settingError);
    this.problems.replaceChildren(...(error ? [error] : []), ...(settingProblems.length > 0 ? [problemList(this.studio, settingProblems, '')] : []));
  }
}

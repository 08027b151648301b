// Weights: how they are found, and how local they are.

import type { BindOptions, Field } from 'isochor';
import { button, digits, element, heading } from '../controls/dom';
import { choice, names, slider, type Control } from '../controls/fields';
import type { Studio } from '../state/studio';
import { problemList } from './problem_list';

const methods = [
  { value: 'auto', label: 'Automatic', help: 'Heat; geodesic distances for pieces that heat does not suit' },
  { value: 'gvb', label: 'Geodesic', help: 'Distances through the inside: limbs that lie side by side stay apart' },
  { value: 'geodesic-heat', label: 'Geodesic heat', help: 'Heat over the skin, started from distances through the inside' },
  { value: 'heat', label: 'Heat', help: 'Heat over the skin, from the bones that it sees' },
  { value: 'medial', label: 'Medial', help: 'The bones move the middle of the body, and that moves the skin: all around a limb alike' },
  { value: 'distance', label: 'Distance', help: 'Straight distances: quick, and limbs that lie side by side share weights. A contrast' },
];

export class BindPanel {
  readonly root = element('div', { class: 'tab-panel' });
  private options: BindOptions = {};
  /** The bind whose options are shown, unless others were chosen since. */
  private shown: BindOptions | null = null;
  private falloff!: Control<number>;
  private jointFalloff!: Control<number>;
  private readonly jointRow = element('div', { class: 'joint-falloff' });
  private readonly report = element('div', { class: 'report' });
  private readonly bindButton: HTMLButtonElement;
  private readonly unbindButton: HTMLButtonElement;

  constructor(private readonly studio: Studio) {
    this.bindButton = button('Bind', 'Measure distances through the inside of the character, and give every vertex weights by them', () => this.bind(),
      { class: 'primary', 'data-testid': 'bind' });
    this.unbindButton = button('Weights of the file', 'Go back to the weights that the file came with', () => studio.change('Weights of the file', { bind: null }));
    this.build();
    studio.opened.on(() => this.build());
    studio.projectChanged.on(() => this.follow());
    studio.travelled.on(() => { if (studio.project.bind && studio.project.bind !== this.shown) this.build(); });
    studio.viewChanged.on(() => this.follow());
    studio.bindChanged.on(() => {
      this.follow();
      this.showReport();
    });
  }

  private field(name: string): Field {
    const found = this.studio.library.bind.find((field) => field.name === name);
    if (!found) throw new Error(`the library has no option ${name}`);
    return found;
  }

  private bind(): void {
    this.shown = { ...this.options };
    this.studio.change('Bind', { bind: this.shown });
  }

  private set(name: string, value: BindOptions[string], isDefault: boolean): void {
    const { [name]: _, ...rest } = this.options;
    this.options = isDefault ? rest : { ...rest, [name]: value };
  }

  private build(): void {
    const { studio } = this;
    this.shown = studio.project.bind;
    this.options = { ...(this.shown ?? {}) };
    const usualMethod = String(this.field('method').value);
    const method = choice<string>({
      label: 'Method', help: methods.map(({ label, help }) => `${label}: ${help}`).join('\n'),
      value: String(this.options['method'] ?? usualMethod), choices: methods,
      onChange: (value) => this.set('method', value, value === usualMethod),
    });
    method.root.dataset['testid'] = 'method';
    const resolution = choice<string>({
      label: 'Resolution', help: this.field('resolution').help, value: String(this.options['resolution'] ?? 0),
      choices: [{ value: '0', label: 'Automatic' }, ...[32, 64, 128, 256, 512].map((n) => ({ value: String(n), label: `${n}³` }))],
      onChange: (value) => this.set('resolution', Number(value), value === '0'),
    });
    resolution.root.dataset['testid'] = 'resolution';
    const number = (name: string, label: string, limits: { min: number; max: number; step: number }) => {
      const usual = Number(this.field(name).value);
      return slider({
        label, help: this.field(name).help, ...limits, value: Number(this.options[name] ?? usual),
        onChange: (value) => this.set(name, value, value === usual),
      });
    };
    const penalty = number('penalty', 'Penalty', { min: 1, max: 32, step: 0.5 });
    const influences = number('influences', 'Influences', { min: 1, max: 8, step: 1 });
    const exclude = names({
      label: 'Leave out', help: this.field('exclude').help, value: (this.options['exclude'] as string[] | undefined) ?? [],
      suggestions: (studio.character?.joints ?? []).filter((joint) => joint.deforms).map((joint) => joint.name),
      onChange: (value) => this.set('exclude', value, value.length === 0),
    });
    this.falloff = slider({
      label: 'Falloff α', help: `${this.field('falloff').help}. Changes the weights at once, in any pose`, min: 0, max: 1, step: 0.01, value: studio.project.falloff,
      onChange: (falloff, settled) => studio.change('Falloff', { falloff }, settled),
    });
    this.falloff.root.dataset['testid'] = 'falloff';
    this.jointFalloff = slider({
      label: 'α of this joint', help: 'A falloff of its own for the chosen joint', min: 0, max: 1, step: 0.01, value: studio.project.falloff,
      onChange: (value, settled) => this.setJointFalloff(value, settled),
    });
    this.root.replaceChildren(
      heading('Weights'), method.root, resolution.root, penalty.root, influences.root, exclude.root,
      element('div', { class: 'actions' }, this.bindButton, this.unbindButton),
      heading('Falloff'), this.falloff.root, this.jointRow, heading('Report'), this.report);
    this.follow();
    this.showReport();
  }

  /** Whether α has an effect: on all vertices, or on the pieces that heat does not suit. */
  private get knowsFalloff(): boolean {
    const method = String(this.studio.project.bind?.['method'] ?? this.field('method').value);
    return method === 'gvb' || (method === 'auto' && (this.studio.report?.resolution ?? 0) > 0);
  }

  private bindByDistances(): void {
    this.set('method', 'gvb', false);
    this.bind();
    this.build();
  }

  private get jointName(): string | null {
    return this.studio.character?.joints[this.studio.view.joint]?.name ?? null;
  }

  private setJointFalloff(value: number | null, settled: boolean): void {
    const name = this.jointName;
    if (name === null) return;
    const { [name]: _, ...rest } = this.studio.project.jointFalloff;
    this.studio.change(`Falloff of ${name}`, { jointFalloff: value === null ? rest : { ...rest, [name]: value } }, settled);
  }

  private follow(): void {
    const { project, character } = this.studio;
    const name = this.jointName;
    const bound = project.bind !== null && this.knowsFalloff;
    this.bindButton.disabled = !character;
    this.unbindButton.disabled = project.bind === null;
    this.falloff.set(project.falloff);
    this.falloff.enable(bound);
    const own = name === null ? undefined : project.jointFalloff[name];
    this.jointFalloff.set(own ?? project.falloff);
    this.jointFalloff.enable(bound && name !== null);
    const remove = own === undefined ? null
      : button('As all others', `Let ${name} have the common falloff again`, () => this.setJointFalloff(null, true), { class: 'link' });
    // Rebuilt only if it differs: the slider may be in use.
    const key = `${name}/${own !== undefined}/${bound}/${project.bind === null}`;
    if (this.jointRow.dataset['key'] === key) return;
    this.jointRow.dataset['key'] = key;
    const hint = bound ? null : element('p', { class: 'none' }, project.bind === null
      ? 'Bind first: α is then changed while you look at the result.' : 'These weights have no α; those of geodesic distances do.');
    const geodesic = bound || project.bind === null ? null
      : button('Bind by geodesic distances', 'The same options, by the method that has an α', () => this.bindByDistances(), { class: 'link', 'data-testid': 'geodesic' });
    this.jointRow.replaceChildren(element('p', { class: 'of' }, name ?? 'No joint is chosen'), this.jointFalloff.root,
      ...[remove, hint, geodesic].filter((node) => node !== null));
  }

  private showReport(): void {
    const { report, project } = this.studio;
    if (!report || !project.bind) {
      this.report.replaceChildren(element('p', { class: 'none' }, 'The weights are those of the file.'));
      return;
    }
    const total = ['voxelize', 'sparsify', 'distance', 'weights'].reduce((sum, stage) => sum + (report.seconds[stage] ?? 0), 0);
    this.report.replaceChildren(
      element('dl', {},
        ...row('Vertices bound', `${report.bound} of ${report.vertices}`), ...row('Joints', String(report.joints)),
        ...(report.resolution > 0 ? row('Resolution', `${report.resolution}³`, report.resolution_reason) : []),
        ...(report.resolution > 0 ? row('Cells', `${report.voxels.sparse} for ${report.voxels.uniform} voxels`) : []),
        ...row('Time', `${digits(total, 2)} s`)),
      problemList(this.studio, report.problems, 'No warnings.'));
  }
}

function row(name: string, value: string, title = ''): HTMLElement[] {
  return [element('dt', { title }, name), element('dd', { title }, value)];
}

// The joints as a tree: pick one with the mouse or the arrows, search by name.

import { button, element } from '../controls/dom';
import { icon } from '../controls/icons';
import { effectOf } from '../state/project';
import type { Studio } from '../state/studio';

export class JointTree {
  readonly root = element('nav', { class: 'panel tree', 'aria-label': 'Joints' });
  private readonly list = element('ul', { role: 'tree', 'aria-label': 'Joints', tabindex: 0 });
  private readonly search = element('input', { type: 'search', placeholder: 'Find a joint …', 'aria-label': 'Find a joint by name' });
  private rows: HTMLElement[] = [];
  private readonly closed = new Set<number>();

  constructor(private readonly studio: Studio) {
    this.root.append(element('header', {}, element('h2', {}, 'Joints'), this.search), this.list);
    this.search.addEventListener('input', () => this.filter());
    this.list.addEventListener('keydown', (event) => this.key(event));
    studio.opened.on(() => this.build());
    studio.closed.on(() => this.build());
    studio.viewChanged.on(() => this.mark());
    studio.projectChanged.on(() => this.marks());
    studio.bindChanged.on(() => this.marks());
  }

  private get joints() {
    return this.studio.character?.joints ?? [];
  }

  private build(): void {
    this.closed.clear();
    const depth: number[] = [];
    const parents = new Set(this.joints.map((joint) => joint.parent));
    this.rows = this.joints.map((joint, j) => {
      depth[j] = joint.parent < 0 ? 0 : depth[joint.parent]! + 1;
      const branch = parents.has(j);
      const toggle = branch
        ? button(icon('chevron'), `Show or hide what hangs from ${joint.name}`, () => this.toggle(j), { class: 'quiet toggle', tabindex: -1 })
        : element('span', { class: 'toggle' });
      const name = element('span', { class: 'name' }, joint.name || '(no name)');
      const row = element('li', {
        role: 'treeitem', 'aria-level': depth[j]! + 1, 'aria-expanded': branch ? 'true' : undefined, 'aria-selected': 'false', id: `joint-${j}`,
        class: joint.deforms ? 'deforms' : '', 'data-joint': joint.name,
        onclick: () => this.studio.look({ joint: j }),
      }, toggle, icon(joint.deforms ? 'joint' : 'node'), name, element('span', { class: 'marks' }));
      row.style.setProperty('--depth', String(depth[j]));
      return row;
    });
    this.list.replaceChildren(...this.rows);
    this.search.value = '';
    this.mark();
    this.marks();
  }

  private lastJoint = -1;
  private mark(): void {
    const { joint } = this.studio.view;
    this.rows.forEach((row, j) => row.setAttribute('aria-selected', String(j === joint)));
    if (joint === this.lastJoint) return;
    this.lastJoint = joint;
    const row = this.rows[joint];
    if (!row) return;
    for (let at = this.joints[joint]?.parent ?? -1; at >= 0; at = this.joints[at]!.parent) if (this.closed.has(at)) this.toggle(at);
    this.list.setAttribute('aria-activedescendant', row.id);
    row.scrollIntoView({ block: 'nearest' });
  }

  /** Which joints are turned, shaped, or have a falloff of their own. */
  private marks(): void {
    const { project } = this.studio;
    this.rows.forEach((row, j) => {
      const { name, deforms, bends } = this.joints[j]!;
      row.title = describe(name, deforms, bends);
      const marks: [string, string, boolean][] = [
        ['T', 'turned', project.turns[j] !== undefined],
        ['E', 'has an effect of its own', effectOf(project.settings, name).own],
        ['α', 'has a falloff of its own', project.jointFalloff[name] !== undefined],
      ];
      const text = marks.filter(([, , on]) => on);
      row.querySelector('.marks')!.replaceChildren(...text.map(([letter, title]) => element('abbr', { title: `${name} ${title}` }, letter)));
    });
  }

  private toggle(joint: number): void {
    const open = this.closed.has(joint);
    if (open) this.closed.delete(joint);
    else this.closed.add(joint);
    this.rows[joint]?.setAttribute('aria-expanded', String(open));
    this.filter();
  }

  private hidden(joint: number): boolean {
    for (let at = this.joints[joint]!.parent; at >= 0; at = this.joints[at]!.parent) if (this.closed.has(at)) return true;
    return false;
  }

  private filter(): void {
    const words = this.search.value.trim().toLowerCase();
    this.rows.forEach((row, j) => {
      row.hidden = words === '' ? this.hidden(j) : !this.joints[j]!.name.toLowerCase().includes(words);
    });
  }

  private key(event: KeyboardEvent): void {
    const shown = this.rows.map((row, j) => ({ row, j })).filter(({ row }) => !row.hidden).map(({ j }) => j);
    const joint = this.studio.view.joint, at = shown.indexOf(joint);
    const go = (to: number | undefined) => { if (to !== undefined) this.studio.look({ joint: to }); };
    const branch = this.rows[joint]?.hasAttribute('aria-expanded') ?? false;
    const actions: Record<string, () => void> = {
      ArrowDown: () => go(shown[at + 1]),
      ArrowUp: () => go(shown[at - 1]),
      Home: () => go(shown[0]),
      End: () => go(shown[shown.length - 1]),
      ArrowRight: () => (branch && this.closed.has(joint) ? this.toggle(joint) : go(shown[at + 1])),
      ArrowLeft: () => (branch && !this.closed.has(joint) ? this.toggle(joint) : go(this.joints[joint]?.parent)),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }
}

function describe(name: string, deforms: boolean, bends: boolean): string {
  if (!deforms) return `${name}: a plain node, no skin follows it`;
  return bends ? `${name}: skin bends here` : `${name}: skin follows it, and bends nowhere against another joint`;
}

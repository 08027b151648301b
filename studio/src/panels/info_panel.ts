// What is in the file, as `isochor inspect` lists it.

import { digits, element, heading } from '../controls/dom';
import type { Studio } from '../state/studio';
import { problemList } from './problem_list';

export class InfoPanel {
  readonly root = element('div', { class: 'tab-panel' });

  constructor(private readonly studio: Studio) {
    studio.opened.on(() => this.show());
    studio.clipsChanged.on(() => this.show());
    studio.closed.on(() => this.root.replaceChildren());
  }

  private show(): void {
    const { character, clips } = this.studio;
    if (!character) return;
    const { faces, components } = character;
    const rows: [string, string][] = [
      ['Vertices', `${character.vertices} (${character.welded_vertices} where they are welded)`],
      ['Faces', `${faces.triangles} triangles, ${faces.quads} quads, ${faces.polygons} larger`],
      ['Meshes', String(character.parts.length)],
      ['Components', `${components.count}, ${components.closed} closed, ${components.measured} with a volume`],
      ['Joints', String(character.deforming)],
      ['Clips', String(clips.length)],
    ];
    this.root.replaceChildren(
      heading(character.name),
      element('dl', { 'data-testid': 'inspect' }, ...rows.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)])),
      heading('Clips'),
      clips.length === 0 ? element('p', { class: 'none' }, 'None. Turn joints, or import a motion.')
        : element('ul', { class: 'plain' }, ...clips.map((clip) => element('li', {}, clip.name || '(no name)', element('small', {}, ` ${digits(clip.duration, 2)} s, ${clip.keys} keys`)))),
      heading('Meshes'),
      element('ul', { class: 'plain' }, ...character.parts.map((part) =>
        element('li', {}, part.name || '(no name)', element('small', {}, ` ${part.vertices} vertices, ${part.skinned ? 'skinned' : 'not skinned'}`)))),
      heading('Problems'),
      problemList(this.studio, character.problems, 'None.'));
  }
}

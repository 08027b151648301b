// What one sees first: drop a file, or take a sample.

import { button, element } from '../controls/dom';
import { icon } from '../controls/icons';
import type { Studio } from '../state/studio';

const pictures = import.meta.glob<string>('../samples/*.png', { eager: true, query: '?url', import: 'default' });

export class StartScreen {
  readonly root = element('section', { class: 'start', 'aria-label': 'Start' });

  constructor(studio: Studio, open: () => void) {
    const samples = studio.library.samples.map(({ name, description }) => {
      const url = pictures[`../samples/${name}.png`];
      const picture = url ? element('img', { src: url, alt: '', width: 200, height: 150 }) : null;
      return element('button', { type: 'button', class: 'sample', title: description, 'data-sample': name, onclick: () => void studio.open({ sample: name }) },
        picture, element('strong', {}, name), element('span', {}, description));
    });
    this.root.append(element('div', { class: 'inner' },
      element('h1', {}, 'Isochor Studio'),
      element('p', { class: 'lead' }, 'Bind a character, pose it, and draw how it bulges. Its volume is held exactly.'),
      element('div', { class: 'drop' }, icon('open'), element('p', {}, 'Drop a character here: GLB, glTF, OBJ, PLY, STL or OFF, with a BVH, TGF or rig.txt if it has no skeleton.'),
        button('Open a file …', 'Choose a file on this machine; it stays there', open, { class: 'primary', 'data-testid': 'open' })),
      element('h2', {}, 'Or begin with a sample'),
      element('div', { class: 'samples' }, ...samples),
      element('p', { class: 'none' }, 'Nothing leaves this machine: the library runs in this page.')));
    const show = (on: boolean) => { this.root.hidden = !on; };
    studio.opened.on(() => show(false));
    studio.closed.on(() => show(true));
  }
}

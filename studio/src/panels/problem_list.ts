// What the library found, as a list that selects what it names.

import type { Problem } from 'isochor';
import { button, element } from '../controls/dom';
import { icon } from '../controls/icons';
import type { Studio } from '../state/studio';

export function problemList(studio: Studio, problems: Problem[], none: string): HTMLElement {
  if (problems.length === 0) return element('p', { class: 'none' }, none);
  return element('ul', { class: 'problems' }, ...problems.map((problem) => {
    const joints = problem.kind === 'joint' ? problem.elements : [];
    const names = joints.slice(0, 6).map((joint) => studio.character?.joints[joint]?.name ?? String(joint));
    const shown = problem.kind !== 'other' && problem.elements.length > 0;
    const text = element('span', {}, problem.sentence, names.length > 0 ? element('small', {}, ` ${names.join(', ')}${joints.length > 6 ? ' …' : ''}`) : null);
    const choose = () => {
      studio.highlighted.emit(problem);
      if (joints[0] !== undefined) studio.look({ joint: joints[(joints.indexOf(studio.view.joint) + 1) % joints.length]! });
    };
    const title = problem.kind === 'joint' ? 'Select the joints that it names, one after another' : 'Mark the vertices that it names';
    const label = element('span', { class: 'line' }, icon(problem.severity === 'note' ? 'note' : 'warning'), text);
    return element('li', { class: problem.severity, 'data-code': problem.code }, shown ? button(label, title, choose, { class: 'quiet' }) : label);
  }));
}

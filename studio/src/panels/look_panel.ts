// What is drawn: views, overlays, section.

import type { PaintName, ViewName } from 'isochor';
import { element, heading } from '../controls/dom';
import { checkbox, choice, segments, slider, type Control } from '../controls/fields';
import type { Studio, ViewState } from '../state/studio';

export class LookPanel {
  readonly root = element('div', { class: 'tab-panel' });
  private readonly controls: { control: Control<never>; name: keyof ViewState }[] = [];

  constructor(private readonly studio: Studio) {
    const look = <K extends keyof ViewState>(name: K) => (value: ViewState[K]) => studio.look({ [name]: value } as Partial<ViewState>);
    const add = <T>(name: keyof ViewState, control: Control<T>): HTMLElement => {
      this.controls.push({ control: control as unknown as Control<never>, name });
      return control.root;
    };
    const box = (name: 'skeleton' | 'wireframe' | 'grid' | 'voxels', label: string, help: string) =>
      add(name, checkbox({ label, help, value: studio.view[name], onChange: look(name) }));
    this.root.append(
      heading('Views'),
      add('layout', segments<ViewState['layout']>({
        label: 'Layout', value: studio.view.layout, onChange: look('layout'),
        choices: [{ value: 'one', label: 'One', help: 'One view' }, { value: 'three', label: 'LBS | DQS | Isochor', help: 'Three deformers side by side, with one camera' }],
      })),
      add('view', choice<ViewName>({
        label: 'Deformer', help: 'What a single view shows', value: studio.view.view, onChange: look('view'),
        choices: [{ value: 'lbs', label: 'Linear blending (LBS)' }, { value: 'dqs', label: 'Dual quaternions (DQS)' }, { value: 'held', label: 'Isochor: volume held' }],
      })),
      heading('On the skin'),
      add('paint', choice<PaintName>({
        label: 'Paint', help: 'What the colour of the skin shows', value: studio.view.paint, onChange: look('paint'),
        choices: [
          { value: 'none', label: 'Materials of the file' }, { value: 'weight', label: 'Weight of the joint' }, { value: 'joints', label: 'All joints in colour' },
          { value: 'gamma', label: 'Correction map γ' }, { value: 'displacement', label: 'Displacement' },
        ],
      })),
      heading('Beside it'),
      box('skeleton', 'Skeleton', 'Draw joints and bones, to be chosen and turned'),
      box('wireframe', 'Wireframe', 'Draw the edges of the triangles'),
      box('voxels', 'Voxels', 'Draw the voxels that the surface touches, at the resolution of the last bind; the character then stands in its rest pose'),
      box('grid', 'Grid', 'Draw the ground'),
      heading('Section'),
      add('section', segments<ViewState['section']>({
        label: 'Plane', value: studio.view.section, onChange: look('section'),
        choices: [{ value: 'none', label: 'None', help: 'No section' }, ...(['x', 'y', 'z'] as const).map((axis) => ({ value: axis, label: axis.toUpperCase(), help: `Cut across the ${axis} axis` }))],
      })),
      add('sectionAt', slider({ label: 'At', help: 'Where the plane cuts, from one end of the box to the other', min: 0, max: 1, step: 0.01, value: studio.view.sectionAt, onChange: look('sectionAt') })));
    studio.viewChanged.on(() => this.follow());
  }

  private follow(): void {
    for (const { control, name } of this.controls) control.set(this.studio.view[name] as never);
  }
}

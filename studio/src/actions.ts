// What menus, keys, buttons and dropped files do.

import type { BakeOptions, NamedFile, VolumeSettings } from 'isochor';
import { message, openDialog } from './controls/dialog';
import { element } from './controls/dom';
import { segments, slider } from './controls/fields';
import { accepted, chooseFiles, download, sortFiles } from './files';
import { turnsOf } from './state/project';
import type { Studio } from './state/studio';
import type { Viewport } from './view/viewport';

export class Actions {
  constructor(private readonly studio: Studio, private readonly viewport: Viewport) {}

  async open(): Promise<void> {
    await this.take(await this.choose(accepted, true));
  }

  /** None if one of them cannot be read: a folder, or more than the browser takes. */
  private choose(accept: string, multiple: boolean): Promise<NamedFile[]> {
    return chooseFiles(accept, multiple).catch((error: unknown) => {
      this.studio.complain(error);
      return [];
    });
  }

  /** Opens, or adds to what is open, whatever the files are. */
  async take(files: NamedFile[]): Promise<void> {
    const dropped = sortFiles(files);
    const { studio } = this;
    if (!dropped) return;
    if (dropped.kind === 'character') {
      await studio.open(dropped.skeleton ? { files: dropped.files, skeleton: dropped.skeleton } : { files: dropped.files });
    } else if (dropped.kind === 'settings') {
      this.takeSettings(dropped.file);
    } else if (!studio.character) {
      await studio.open({ files: [dropped.file] });
    } else if (dropped.kind === 'motion' && studio.character.deforming > 0) {
      await studio.addMotion(dropped.file);
    } else {
      await this.attach(dropped.file);
    }
  }

  /** The skeleton of another file for the mesh that is open. */
  private async attach(skeleton: NamedFile): Promise<void> {
    const { source } = this.studio;
    if (!source || 'sample' in source) return message('Open a mesh first: this file is a skeleton.', 'error');
    await this.studio.open({ files: source.files, skeleton });
  }

  private takeSettings(file: NamedFile): void {
    if (!this.studio.character) return message('Open a character first: this file holds settings.', 'error');
    try {
      const settings = JSON.parse(new TextDecoder().decode(file.bytes)) as VolumeSettings & { $schema?: string };
      delete settings.$schema;
      this.studio.change(`Settings of ${file.name}`, { settings });
    } catch {
      message(`${file.name} is not JSON.`, 'error');
    }
  }

  async importMotion(): Promise<void> {
    const [file] = await this.choose('.bvh,.glb,.gltf', false);
    if (file && this.studio.character) await this.studio.addMotion(file);
  }

  async importSettings(): Promise<void> {
    const [file] = await this.choose('.json', false);
    if (file) this.takeSettings(file);
  }

  private get name(): string {
    return this.studio.character?.name ?? 'character';
  }

  exportBaked(): void {
    const options: BakeOptions = { form: 'morphs' };
    const form = segments<'morphs' | 'frames'>({
      label: 'Form', value: 'morphs', onChange: (value) => { options.form = value; },
      choices: [{ value: 'morphs', label: 'Few targets', help: 'A small file; every vertex within a ten thousandth of its place' },
        { value: 'frames', label: 'One per frame', help: 'A larger file, exact at every key' }],
    });
    const help = (name: string) => this.studio.library.bake.find((field) => field.name === name)?.help ?? '';
    const targets = slider({
      label: 'Most targets (0: as needed)', help: help('bake-targets'), min: 0, max: 128, step: 1, value: 0, onChange: (value) => { options['bake-targets'] = value; },
    });
    const between = slider({
      label: 'Error between keys', help: help('between'), min: 0, max: 0.01, step: 0.0005, value: 0.001, onChange: (value) => { options.between = value; },
    });
    openDialog('Export a GLB that holds its volume', [
      element('p', {}, 'The character with its weights and clips, and morph targets that give back the volume. It plays in any viewer that knows skins and morph targets.'),
      form.root, targets.root, between.root], [
      { label: 'Cancel', title: 'Write nothing' },
      { label: 'Export', title: 'Bake all clips and save the file', primary: true, onclick: () => void this.bake(options) },
    ]);
  }

  /** The last frame may have been asked for without them, as beside voxels. To be followed at once by what writes. */
  private tellTurns(): void {
    this.studio.isochor.setTurns(turnsOf(this.studio.project)).catch((error: unknown) => this.studio.complain(error));
  }

  async bake(options: BakeOptions): Promise<void> {
    const baked = await this.studio.job('Baking', (job) => {
      this.tellTurns();
      return this.studio.isochor.bake(options, job);
    });
    if (!baked) return;
    download(`${this.name}-isochor.glb`, baked.glb, 'model/gltf-binary');
    const { report } = baked;
    message(`${report.targets} morph targets, ${report.keys} keys, ${(baked.glb.length / 1e6).toFixed(2)} MB. The largest error of a volume went from ${(100 * report.max_error_before).toFixed(2)} % to ${(100 * report.max_error_after).toPrecision(1)} %.`);
  }

  async exportPlain(): Promise<void> {
    const glb = await this.studio.job('Saving', () => {
      this.tellTurns();
      return this.studio.isochor.save();
    });
    if (glb) download(`${this.name}-bound.glb`, glb, 'model/gltf-binary');
  }

  exportSettings(): void {
    download(`${this.name}-volume.json`, `${JSON.stringify(this.studio.project.settings, null, 2)}\n`, 'application/json');
  }

  async exportPicture(): Promise<void> {
    download(`${this.name}.png`, await this.viewport.picture(), 'image/png');
  }

  showKeys(): void {
    const keys: [string, string][] = [
      ['Ctrl O', 'Open a file'], ['Ctrl E', 'Export a GLB with its volume held'], ['Ctrl Z, Ctrl Shift Z', 'Undo, redo'], ['Space', 'Play or pause'],
      ['← →', 'A frame back, a frame on'], ['Home', 'To the beginning of the clip'], ['F', 'See all of the character'], ['1, 3', 'One view, three views'],
      ['B, P, S, V, I', 'Bind, pose, shape, view, info'], ['W', 'Wireframe'], ['?', 'This window'],
    ];
    openDialog('Keys', [element('dl', { class: 'keys' }, ...keys.flatMap(([key, what]) => [element('dt', {}, element('kbd', {}, key)), element('dd', {}, what)]))],
      [{ label: 'Close', title: 'Close this window', primary: true }]);
  }

  about(): void {
    openDialog('Isochor Studio', [
      element('p', {}, `Version ${this.studio.library.version}. Binds a character's skin to its skeleton and deforms it without losing volume. Everything runs on this machine; nothing leaves it.`),
      element('p', {}, 'After Rohmer, Hahmann and Cani (2008, 2009) and Dionne and de Lasa (2014). MIT licence. Uses three.js and uPlot (MIT), Eigen (MPL2) and nlohmann/json (MIT).')],
      [{ label: 'Close', title: 'Close this window', primary: true }]);
  }
}

// Puts the page together.

import './style.css';
import { Actions } from './actions';
import { message } from './controls/dialog';
import { button, element } from './controls/dom';
import { icon } from './controls/icons';
import { menuBar, type MenuItem } from './controls/menu';
import { readFiles } from './files';
import { BindPanel } from './panels/bind_panel';
import { InfoPanel } from './panels/info_panel';
import { JointTree } from './panels/joint_tree';
import { LookPanel } from './panels/look_panel';
import { PosePanel } from './panels/pose_panel';
import { ShapePanel } from './panels/shape_panel';
import { StartScreen } from './panels/start_screen';
import { Timeline } from './panels/timeline';
import { Studio, type Panel } from './state/studio';
import { applyTheme, isDark, onThemeOfMachine, setTheme } from './theme';
import { Viewport } from './view/viewport';

const panelNames: Record<Panel, { label: string; help: string }> = {
  bind: { label: 'Bind', help: 'Give every vertex weights' },
  pose: { label: 'Pose', help: 'Turn joints' },
  shape: { label: 'Shape', help: 'Say how the skin bulges' },
  look: { label: 'View', help: 'What is drawn' },
  info: { label: 'Info', help: 'What is in the file' },
};

/** The panels on the right, one at a time. */
function properties(studio: Studio, panels: Record<Panel, HTMLElement>): HTMLElement {
  const tabs = element('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Properties' });
  const body = element('div', { class: 'tab-body' });
  const names = Object.keys(panelNames) as Panel[];
  const made = names.map((name) => button(panelNames[name].label, panelNames[name].help, () => studio.look({ panel: name }), {
    role: 'tab', id: `tab-${name}`, 'aria-controls': `panel-${name}`, 'data-testid': `tab-${name}`,
  }));
  tabs.append(...made);
  names.forEach((name) => {
    const panel = panels[name];
    panel.id = `panel-${name}`;
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', `tab-${name}`);
    body.append(panel);
  });
  tabs.addEventListener('keydown', (event) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const next = names[(names.indexOf(studio.view.panel) + step + names.length) % names.length]!;
    studio.look({ panel: next });
    made[names.indexOf(next)]?.focus();
  });
  const follow = () => names.forEach((name, i) => {
    const on = name === studio.view.panel;
    made[i]!.setAttribute('aria-selected', String(on));
    made[i]!.tabIndex = on ? 0 : -1;
    panels[name].hidden = !on;
  });
  studio.viewChanged.on(follow);
  follow();
  return element('aside', { class: 'panel properties', 'aria-label': 'Properties' }, tabs, body);
}

function menus(studio: Studio, actions: Actions, fit: () => void, retheme: () => void): HTMLElement {
  const open = () => studio.character !== null;
  const check = (label: string, name: 'skeleton' | 'wireframe' | 'voxels' | 'grid', help: string, keys?: string): MenuItem =>
    ({ label, help, checked: () => studio.view[name], action: () => studio.look({ [name]: !studio.view[name] }), ...(keys ? { keys } : {}) });
  return menuBar([
    {
      label: 'File', items: () => [
        { label: 'Open …', keys: 'Ctrl O', help: 'Choose a character on this machine', action: () => void actions.open() },
        ...studio.library.samples.map(({ name, description }): MenuItem => ({ label: `Sample: ${name}`, help: description, action: () => void studio.open({ sample: name }) })),
        'line',
        { label: 'Import a motion …', help: 'A BVH or a clip of another file', enabled: open, action: () => void actions.importMotion() },
        { label: 'Import settings …', help: 'Effects from a JSON file', enabled: open, action: () => void actions.importSettings() },
        'line',
        { label: 'Export GLB with its volume held …', keys: 'Ctrl E', help: 'Bakes all clips into morph targets', enabled: open, testid: 'export-baked', action: () => actions.exportBaked() },
        { label: 'Export GLB with these weights', help: 'The file, with new weights and clips; nothing is baked', enabled: open, testid: 'export-plain', action: () => void actions.exportPlain() },
        { label: 'Export settings', help: 'The effects as JSON, for isochor deform --effects', enabled: open, testid: 'export-settings', action: () => actions.exportSettings() },
        { label: 'Save a picture', help: 'What the view shows, as PNG', enabled: open, testid: 'export-picture', action: () => void actions.exportPicture() },
        'line',
        { label: 'Close', help: 'Close the character', enabled: open, testid: 'close', action: () => void studio.close() },
      ],
    },
    {
      label: 'Edit', items: () => [
        { label: studio.undoLabel === null ? 'Undo' : `Undo: ${studio.undoLabel}`, keys: 'Ctrl Z', help: 'Take the last change back', enabled: () => studio.undoLabel !== null, action: () => studio.undo() },
        { label: studio.redoLabel === null ? 'Redo' : `Redo: ${studio.redoLabel}`, keys: 'Ctrl ⇧ Z', help: 'Make the last change again', enabled: () => studio.redoLabel !== null, action: () => studio.redo() },
        'line',
        { label: 'Reset the pose', help: 'Take all turns of joints away', enabled: open, action: () => studio.change('Reset the pose', { turns: {} }) },
        { label: 'Reset all effects', help: 'Every joint has the default effect again', enabled: open, action: () => studio.change('Reset all effects', { settings: {} }) },
      ],
    },
    {
      label: 'View', items: () => [
        { label: 'One view', keys: '1', help: 'One deformer', checked: () => studio.view.layout === 'one', action: () => studio.look({ layout: 'one' }) },
        { label: 'LBS | DQS | Isochor', keys: '3', help: 'Three deformers side by side', checked: () => studio.view.layout === 'three', action: () => studio.look({ layout: 'three' }) },
        'line',
        check('Skeleton', 'skeleton', 'Draw joints and bones'), check('Wireframe', 'wireframe', 'Draw edges', 'W'), check('Voxels', 'voxels', 'Draw the voxels of the surface'), check('Grid', 'grid', 'Draw the ground'),
        'line',
        { label: 'See all', keys: 'F', help: 'Put the camera where all of the character is seen', enabled: open, action: fit },
        { label: 'Dark', help: 'Dark or light page', checked: isDark, action: retheme },
      ],
    },
    { label: 'Help', items: () => [{ label: 'Keys', keys: '?', help: 'What the keys do', action: () => actions.showKeys() }, { label: 'About', help: 'Version and licences', action: () => actions.about() }] },
  ]);
}

/** Keys act everywhere but in fields of text. */
function keyboard(studio: Studio, actions: Actions, fit: () => void): void {
  const panelKeys: Record<string, Panel> = { b: 'bind', p: 'pose', s: 'shape', v: 'look', i: 'info' };
  const step = (by: number) => {
    const { clip } = studio;
    if (!clip) return;
    studio.play(false);
    studio.seek(Math.min(clip.start + clip.duration, Math.max(clip.start, studio.view.time + by / 24)));
  };
  window.addEventListener('keydown', (event) => {
    const key = event.key.toLowerCase();
    const target = event.target as HTMLElement;
    const inText = target.closest('input:not([type=range]):not([type=checkbox]), textarea') !== null;
    if (document.querySelector('dialog[open]')) return;
    if (event.ctrlKey || event.metaKey) {
      const commands: Record<string, () => void> = {
        o: () => void actions.open(), e: () => { if (studio.character) actions.exportBaked(); }, z: () => (event.shiftKey ? studio.redo() : studio.undo()), y: () => studio.redo(),
      };
      // In a field of text its own undo is meant.
      if (!commands[key] || (inText && (key === 'z' || key === 'y'))) return;
      event.preventDefault();
      commands[key]();
      return;
    }
    if (inText || target.closest('select') || event.altKey) return;
    if (key === ' ' && target.closest('button, input')) return;
    const moves = !target.closest('input, [role=slider], [role=tree], [role=radio]');
    const commands: Record<string, () => void> = {
      ' ': () => studio.play(!studio.playing), f: fit, w: () => studio.look({ wireframe: !studio.view.wireframe }), 1: () => studio.look({ layout: 'one' }), 3: () => studio.look({ layout: 'three' }),
      home: () => studio.seek(studio.clip?.start ?? 0), '?': () => actions.showKeys(),
      ...(moves ? { arrowleft: () => step(-1), arrowright: () => step(1) } : {}),
      ...Object.fromEntries(Object.entries(panelKeys).map(([letter, panel]) => [letter, () => studio.look({ panel })])),
    };
    if (!commands[key]) return;
    event.preventDefault();
    commands[key]();
  });
}

function dropping(take: (files: File[]) => void): void {
  const veil = element('div', { class: 'veil', hidden: true }, 'Drop to open');
  document.body.append(veil);
  let depth = 0;
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
  window.addEventListener('dragenter', (event) => { if (hasFiles(event)) { ++depth; veil.hidden = false; } });
  window.addEventListener('dragleave', () => { depth = Math.max(0, depth - 1); veil.hidden = depth === 0; });
  window.addEventListener('dragover', (event) => event.preventDefault());
  window.addEventListener('drop', (event) => {
    event.preventDefault();
    depth = 0;
    veil.hidden = true;
    take([...(event.dataTransfer?.files ?? [])]);
  });
}

/** `isochor studio FILE` serves the file beside the page, with a list of what belongs to it. */
async function servedFiles(list: string): Promise<{ name: string; bytes: Uint8Array }[]> {
  const address = new URL(list, location.href);
  if (address.origin !== location.origin) throw new Error(`${list} is not on this page's own server`);
  const names = (await (await fetch(address)).json()) as string[];
  return Promise.all(names.map(async (name) => ({
    name, bytes: new Uint8Array(await (await fetch(new URL(encodeURIComponent(name), address))).arrayBuffer()),
  })));
}

/** #sample=NAME or #open=LIST say what to open; without them, what was open last. */
async function openFirst(studio: Studio, actions: Actions): Promise<void> {
  const wish = new URLSearchParams(location.hash.slice(1));
  const sample = wish.get('sample'), list = wish.get('open');
  if (sample !== null) await studio.open({ sample });
  else if (list !== null) await actions.take(await servedFiles(list));
  else await studio.restoreLast();
  // A reload goes on with what was done to it, instead of opening it anew.
  if (location.hash !== '') history.replaceState(null, '', location.pathname + location.search);
}

async function start(): Promise<void> {
  applyTheme();
  const root = document.getElementById('studio')!;
  root.append(element('p', { class: 'loading' }, 'Starting …'));
  const studio = await Studio.start();
  const viewport = new Viewport(studio);
  const actions = new Actions(studio, viewport);
  const timeline = new Timeline(studio);
  const fit = () => viewport.fit();
  const themeButton = button(icon(isDark() ? 'sun' : 'moon'), 'Dark or light page', () => retheme(), { class: 'quiet' });
  const recolor = () => {
    themeButton.replaceChildren(icon(isDark() ? 'sun' : 'moon'));
    viewport.recolor();
    timeline.recolor();
  };
  const retheme = () => {
    setTheme(isDark() ? 'light' : 'dark');
    recolor();
  };
  onThemeOfMachine(recolor);

  const undo = button(icon('undo'), 'Undo', () => studio.undo(), { class: 'quiet', 'data-testid': 'undo' });
  const redo = button(icon('redo'), 'Redo', () => studio.redo(), { class: 'quiet', 'data-testid': 'redo' });
  const layouts = (['one', 'three'] as const).map((layout) =>
    button(icon(layout), layout === 'one' ? 'One view' : 'LBS, DQS and Isochor side by side', () => studio.look({ layout }), { class: 'quiet', 'data-testid': `layout-${layout}` }));
  const name = element('span', { class: 'file-name' });
  const follow = () => {
    undo.disabled = studio.undoLabel === null;
    redo.disabled = studio.redoLabel === null;
    undo.title = `Undo${studio.undoLabel ? `: ${studio.undoLabel}` : ''}`;
    redo.title = `Redo${studio.redoLabel ? `: ${studio.redoLabel}` : ''}`;
    layouts.forEach((made, i) => made.setAttribute('aria-pressed', String(studio.view.layout === (['one', 'three'] as const)[i])));
    name.textContent = studio.character?.name ?? '';
    document.body.classList.toggle('empty', studio.character === null);
  };
  for (const signal of [studio.projectChanged, studio.viewChanged, studio.closed]) signal.on(follow);
  studio.opened.on(follow);

  const panels: Record<Panel, HTMLElement> = {
    bind: new BindPanel(studio).root, pose: new PosePanel(studio, () => void actions.importMotion()).root, shape: new ShapePanel(studio).root,
    look: new LookPanel(studio).root, info: new InfoPanel(studio).root,
  };
  root.replaceChildren(
    element('header', { class: 'bar' }, element('img', { src: './icon.svg', alt: '', width: 20, height: 20 }), menus(studio, actions, fit, retheme),
      element('div', { class: 'tools', role: 'toolbar', 'aria-label': 'Tools' }, undo, redo), name,
      element('div', { class: 'tools end', role: 'toolbar', 'aria-label': 'View' }, ...layouts, themeButton)),
    new JointTree(studio).root, viewport.root, properties(studio, panels), timeline.root, new StartScreen(studio, () => void actions.open()).root);
  follow();
  keyboard(studio, actions, fit);
  dropping((files) => void readFiles(files).then((read) => actions.take(read)).catch((error: unknown) => studio.complain(error)));

  const frame = (now: number) => {
    requestAnimationFrame(frame);  // first: one picture that fails is not the last one
    studio.tick(now);
    viewport.render();
  };
  requestAnimationFrame(frame);
  Object.assign(window, { isochorStudio: { studio, viewport, timeline } });  // for scripts
  await openFirst(studio, actions).catch((error: unknown) => studio.complain(error));
  document.body.dataset['started'] = 'yes';
}

start().catch((error: unknown) => message(error instanceof Error ? error.message : String(error), 'error'));

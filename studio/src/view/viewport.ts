// The picture: one pane or three with one camera, joints to pick and turn, labels with volume and time.

import type { Frame, Opened, ViewName } from 'isochor';
import {
  AmbientLight, Box3, BufferAttribute, BufferGeometry, Color, DirectionalLight, GridHelper, HemisphereLight, Matrix4, Mesh, MeshStandardMaterial, Object3D,
  PerspectiveCamera, Plane, Quaternion, Scene, SRGBColorSpace, Vector3, WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { TransformControls } from 'three/examples/jsm/controls/TransformControls.js';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { message } from '../controls/dialog';
import { element } from '../controls/dom';
import type { Studio } from '../state/studio';
import { CharacterView, layerOf } from './character_view';
import { legend, scaleGradient } from './colors';
import { SkeletonView } from './skeleton_view';

const titles: Record<ViewName, { short: string; long: string }> = {
  lbs: { short: 'LBS', long: 'Linear blend skinning: what every engine does' },
  dqs: { short: 'DQS', long: 'Dual quaternion skinning' },
  held: { short: 'Isochor', long: 'Linear blend skinning with its volume held exactly' },
};

/** Degrees, from top to bottom. */
const fieldOfView = 35;

interface Pane {
  view: ViewName;
  root: HTMLElement;
  volume: HTMLElement;
  time: HTMLElement;
}

export class Viewport {
  readonly root = element('section', { class: 'viewport', 'aria-label': 'View of the character', tabindex: -1 });
  private readonly canvas = element('canvas', { 'aria-label': 'The character; drag to turn it, click a bone to choose a joint' });
  private readonly panesRoot = element('div', { class: 'panes' });
  private readonly legendRoot = element('div', { class: 'legend', hidden: true });
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly camera = new PerspectiveCamera(fieldOfView, 1, 0.01, 100);
  private readonly orbit: OrbitControls;
  private readonly gizmo: TransformControls;
  private readonly proxy = new Object3D();
  private grid: GridHelper | null = null;
  private readonly plane = new Plane();
  private panes: Pane[] = [];
  private character: CharacterView | null = null;
  private skeleton: SkeletonView | null = null;
  private voxels: { mesh: Mesh; resolution: number } | null = null;
  private box = new Box3();
  private dirty = true;
  private size = 1;
  /** The turn of the joint, and its place in the world, when a drag began. */
  private drag: { turn: Quaternion; world: Quaternion; joint: number } | null = null;

  constructor(private readonly studio: Studio) {
    this.renderer = new WebGLRenderer({ canvas: this.canvas, antialias: true, alpha: false, powerPreference: 'high-performance' });
    this.renderer.outputColorSpace = SRGBColorSpace;
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.renderer.setScissorTest(true);
    this.renderer.localClippingEnabled = true;
    this.root.append(this.canvas, this.panesRoot, this.legendRoot);

    const key = new DirectionalLight(0xffffff, 2.1), fill = new DirectionalLight(0xbfd4ff, 0.7);
    key.position.set(0.6, 1, 0.9);
    fill.position.set(-1, 0.3, -0.7);
    this.camera.add(key, fill);
    this.scene.add(this.camera, new HemisphereLight(0xffffff, 0x8d99a8, 1.1), new AmbientLight(0xffffff, 0.25), this.proxy);
    this.camera.position.set(2, 1.2, 3);

    this.orbit = new OrbitControls(this.camera, this.panesRoot);
    this.orbit.enableDamping = false;
    this.orbit.addEventListener('change', () => this.invalidate());
    this.orbit.addEventListener('end', () => this.keepCamera());
    this.gizmo = new TransformControls(this.camera, this.panesRoot);
    this.gizmo.setMode('rotate');
    this.gizmo.setSpace('local');
    this.gizmo.setSize(0.75);
    this.gizmo.addEventListener('change', () => this.invalidate());
    this.gizmo.addEventListener('dragging-changed', ({ value }) => this.dragging(value === true));
    this.gizmo.addEventListener('objectChange', () => this.turnJoint());
    this.scene.add(this.gizmo.getHelper());

    studio.opened.on((opened) => void this.open(opened));
    studio.closed.on(() => this.clear());
    studio.frameShown.on((frame) => this.show(frame));
    studio.viewChanged.on(() => this.follow());
    studio.highlighted.on((problem) => {
      this.character?.mark(problem?.kind === 'vertex' ? problem.elements : []);
      studio.requestFrame();
    });
    new ResizeObserver(() => this.resize()).observe(this.root);
    this.panesRoot.addEventListener('pointerdown', (event) => this.press(event));
    this.makePanes();
    this.recolor();
  }

  invalidate(): void {
    this.dirty = true;
  }

  /** To be called once for each frame of the screen. */
  render(): void {
    if (!this.dirty) return;
    this.dirty = false;
    const { clientWidth: width, clientHeight: height } = this.root;
    const each = width / this.panes.length;
    this.shapeCamera(each / Math.max(1, height));
    this.panes.forEach((pane, i) => {
      this.camera.layers.set(0);
      this.camera.layers.enable(layerOf(pane.view));
      this.renderer.setViewport(i * each, 0, each, height);
      this.renderer.setScissor(i * each, 0, each, height);
      this.renderer.render(this.scene, this.camera);
    });
  }

  /** A narrow pane shows as much from side to side as a square one. */
  private shapeCamera(aspect: number): void {
    const half = (fieldOfView * Math.PI) / 360;
    this.camera.aspect = aspect;
    this.camera.fov = aspect < 1 ? (360 / Math.PI) * Math.atan(Math.tan(half) / aspect) : fieldOfView;
    this.camera.updateProjectionMatrix();
  }

  /** A picture of what is seen, without the page around it. */
  picture(): Promise<Blob> {
    this.dirty = true;
    this.render();  // the drawing is lost once the browser has shown it
    return new Promise((resolve, reject) => this.canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the browser made no picture'))), 'image/png'));
  }

  /** Takes over the colours of the page. */
  recolor(): void {
    const style = getComputedStyle(document.documentElement);
    this.scene.background = new Color(style.getPropertyValue('--viewport').trim() || '#20242b');
    this.makeGrid();
    this.invalidate();
  }

  // ------------------------------------------------------------------ what is shown

  private async open(opened: Opened): Promise<void> {
    this.clear();
    const { character, glb } = opened;
    this.size = character.size;
    try {
      const bytes = glb.buffer.slice(glb.byteOffset, glb.byteOffset + glb.byteLength) as ArrayBuffer;
      const gltf = await new GLTFLoader().parseAsync(bytes, '');
      if (this.studio.character !== character) return;  // another one was opened meanwhile
      this.character = new CharacterView(character, gltf);
      this.skeleton = new SkeletonView(character);
      this.scene.add(this.character.root, this.skeleton.root);
    } catch (error) {
      message(`The view cannot show this file: ${error instanceof Error ? error.message : String(error)}`, 'error');
    }
    this.fitted = false;
    if (this.studio.lastFrame) this.studio.requestFrame();
    document.body.dataset['ready'] = '';
    this.follow();
  }
  private fitted = false;

  private clear(): void {
    this.character?.dispose();
    this.skeleton?.dispose();
    this.character = null;
    this.skeleton = null;
    this.removeVoxels();
    this.gizmo.detach();
    delete document.body.dataset['ready'];
    this.invalidate();
  }

  private show(frame: Frame): void {
    if (!this.character || !this.skeleton) return;
    this.character.show(frame, this.studio.paint);
    this.skeleton.show(frame.joints, this.size);
    if (!this.fitted) this.fit(frame);
    for (const pane of this.panes) {
      const shown = frame.views[pane.view];
      if (!shown) continue;
      pane.volume.textContent = `${(100 * shown.volume).toFixed(2)} %`;
      pane.volume.classList.toggle('lost', Math.abs(shown.volume - 1) > 0.005);
      pane.time.textContent = shown.failure ?? `${shown.milliseconds.toFixed(1)} ms`;
      pane.root.dataset['volume'] = String(shown.volume);
      pane.root.dataset['milliseconds'] = String(shown.milliseconds);
    }
    if (!this.drag) this.placeGizmo();
    if (document.body.dataset['ready'] !== this.character.character.name) document.body.dataset['ready'] = this.character.character.name;
    this.invalidate();
  }

  /** Puts the camera where all of the character is seen. */
  fit(frame: Frame | null = this.studio.lastFrame): void {
    if (!frame) return;
    const shown = frame.views.held ?? frame.views.lbs ?? frame.views.dqs;
    this.box.makeEmpty();
    if (shown && shown.positions.length > 0) this.box.setFromArray(shown.positions as unknown as number[]);
    else for (const at of this.skeleton?.positions ?? []) this.box.expandByPoint(at);
    if (this.box.isEmpty()) this.box.set(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
    const center = this.box.getCenter(new Vector3()), radius = Math.max(this.box.getSize(new Vector3()).length() / 2, 1e-9);
    const kept = this.fitted ? null : this.studio.view.camera;
    const distance = (0.82 * radius) / Math.sin((fieldOfView * Math.PI) / 360);
    const direction = this.fitted ? this.camera.position.clone().sub(this.orbit.target).normalize() : new Vector3(0.75, 0.35, 1).normalize();
    this.camera.near = distance / 200;
    this.camera.far = distance * 20;
    if (kept) {
      this.camera.position.fromArray(kept, 0);
      this.orbit.target.fromArray(kept, 3);
    } else {
      this.camera.position.copy(center).addScaledVector(direction, distance);
      this.orbit.target.copy(center);
    }
    this.orbit.update();
    this.fitted = true;
    this.makeGrid();
    this.invalidate();
  }

  private keepCamera(): void {
    if (!this.fitted) return;
    this.studio.look({ camera: [...this.camera.position.toArray(), ...this.orbit.target.toArray()] });
  }

  private makeGrid(): void {
    if (this.grid) {
      this.grid.removeFromParent();
      this.grid.dispose();
    }
    const style = getComputedStyle(document.documentElement);
    const color = new Color(style.getPropertyValue('--grid').trim() || '#3a414c');
    const extent = this.box.isEmpty() ? this.size : Math.max(...this.box.getSize(new Vector3()).toArray());
    const step = 10 ** Math.floor(Math.log10(extent / 2)) / 2;
    this.grid = new GridHelper(60 * step, 60, color, color);
    const center = this.box.isEmpty() ? new Vector3() : this.box.getCenter(new Vector3());
    this.grid.position.set(Math.round(center.x / step) * step, this.box.isEmpty() ? 0 : this.box.min.y, Math.round(center.z / step) * step);
    this.grid.visible = this.studio.view.grid;
    this.scene.add(this.grid);
  }

  // ------------------------------------------------------------------ panes

  private makePanes(): void {
    const views = this.studio.views;
    if (views.join() === this.panes.map((pane) => pane.view).join()) return;
    this.panes = views.map((view) => {
      const volume = element('span', { class: 'volume', title: 'Volume, relative to what the character should have' }, '–');
      const time = element('span', { class: 'time', title: 'Time that the library needs for a frame' }, '');
      const root = element('div', { class: 'pane', 'data-view': view },
        element('div', { class: 'caption', title: titles[view].long }, element('strong', {}, titles[view].short), volume, time));
      return { view, root, volume, time };
    });
    this.panesRoot.replaceChildren(...this.panes.map((pane) => pane.root));
    for (const pane of this.panes) {
      // The gizmo measures the pointer against one element: that of the pane under it.
      pane.root.addEventListener('pointermove', () => this.useGizmoIn(pane.root), true);
      pane.root.addEventListener('pointerdown', () => this.useGizmoIn(pane.root), true);
    }
    this.useGizmoIn(this.panes[this.panes.length - 1]!.root);
    this.invalidate();
  }

  private useGizmoIn(pane: HTMLElement): void {
    if (this.drag || this.gizmo.domElement === pane) return;
    this.gizmo.disconnect();
    this.gizmo.domElement = pane;
    this.gizmo.connect();
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.root;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height, false);
    this.invalidate();
    this.render();
  }

  private follow(): void {
    const { view } = this.studio;
    this.makePanes();
    this.character?.setWireframe(view.wireframe);
    if (this.grid) this.grid.visible = view.grid;
    if (this.skeleton) {
      this.skeleton.root.visible = view.skeleton;
      this.skeleton.select(view.joint);
    }
    this.section();
    this.showLegend();
    void this.showVoxels();
    if (!this.drag) this.placeGizmo();
    this.invalidate();
  }

  private sectionKey = '';
  private section(): void {
    const { section, sectionAt } = this.studio.view;
    const key = `${section} ${this.character?.character.name ?? ''}`;
    if (section !== 'none' && !this.box.isEmpty()) {
      const axis = section === 'x' ? 0 : section === 'y' ? 1 : 2;
      const low = this.box.min.getComponent(axis), high = this.box.max.getComponent(axis);
      this.plane.normal.set(0, 0, 0).setComponent(axis, -1);
      this.plane.constant = low + sectionAt * (high - low);
    }
    if (key === this.sectionKey) return;
    this.sectionKey = key;
    this.character?.setSection(section === 'none' ? null : this.plane);
  }

  private showLegend(): void {
    const shown = legend(this.studio.paint);
    this.legendRoot.hidden = !shown || !this.studio.character;
    if (!shown) return;
    const bar = element('div', { class: 'bar' });
    bar.style.background = scaleGradient;
    this.legendRoot.replaceChildren(element('span', {}, shown.title), bar, element('small', {}, shown.low), element('small', {}, shown.high));
  }

  private async showVoxels(): Promise<void> {
    const { studio } = this;
    const resolution = Math.min(128, studio.report?.resolution || 64);
    if (!studio.view.voxels || !studio.character) return this.removeVoxels();
    if (this.voxels?.resolution === resolution) return;
    this.removeVoxels();
    const geometry = new BufferGeometry();
    const mesh = new Mesh(geometry, new MeshStandardMaterial({ color: 0x5b8fd6, flatShading: true, transparent: true, opacity: 0.45, depthWrite: false }));
    this.voxels = { mesh, resolution };
    try {
      const { positions, indices } = await studio.isochor.voxels(resolution);
      if (this.voxels?.mesh !== mesh) return;
      geometry.setAttribute('position', new BufferAttribute(positions, 3));
      geometry.setIndex(new BufferAttribute(indices, 1));
      mesh.frustumCulled = false;
      this.scene.add(mesh);
      this.invalidate();
    } catch (error) {
      studio.complain(error);
    }
  }

  private removeVoxels(): void {
    if (!this.voxels) return;
    this.voxels.mesh.removeFromParent();
    this.voxels.mesh.geometry.dispose();
    (this.voxels.mesh.material as MeshStandardMaterial).dispose();
    this.voxels = null;
    this.invalidate();
  }

  // ------------------------------------------------------------------ joints

  private project(pane: HTMLElement): (point: Vector3) => { x: number; y: number } | null {
    const box = pane.getBoundingClientRect();
    const at = new Vector3();
    return (point) => {
      at.copy(point).project(this.camera);
      return at.z > 1 ? null : { x: box.left + ((at.x + 1) / 2) * box.width, y: box.top + ((1 - at.y) / 2) * box.height };
    };
  }

  /** A click, not a drag, chooses the bone under it. */
  private press(event: PointerEvent): void {
    if (event.button !== 0 || !this.skeleton || this.gizmo.axis !== null) return;
    const pane = this.panes.find(({ root }) => root.contains(event.target as Node));
    if (!pane) return;
    const { clientX: x, clientY: y } = event;
    const up = (end: PointerEvent) => {
      if (Math.hypot(end.clientX - x, end.clientY - y) > 4 || !this.skeleton) return;
      const joint = this.skeleton.pick(x, y, this.project(pane.root));
      if (joint >= 0) this.studio.look({ joint });
    };
    window.addEventListener('pointerup', up, { once: true });
  }

  private worldOf(joint: number): { position: Vector3; rotation: Quaternion } | null {
    const joints = this.studio.lastFrame?.joints;
    if (!joints || joint < 0 || 16 * joint + 16 > joints.length) return null;
    const position = new Vector3(), rotation = new Quaternion();
    new Matrix4().fromArray(joints, 16 * joint).decompose(position, rotation, new Vector3());
    return { position, rotation };
  }

  private placeGizmo(): void {
    const { joint, panel, skeleton } = this.studio.view;
    const world = skeleton && panel !== 'look' && panel !== 'info' && !this.studio.playing ? this.worldOf(joint) : null;
    if (!world) {
      this.gizmo.detach();
      return;
    }
    this.proxy.position.copy(world.position);
    this.proxy.quaternion.copy(world.rotation);
    this.proxy.updateMatrixWorld(true);
    if (this.gizmo.object !== this.proxy) this.gizmo.attach(this.proxy);
  }

  private dragging(on: boolean): void {
    this.orbit.enabled = !on;
    const { joint } = this.studio.view;
    const world = this.worldOf(joint);
    if (on && world) {
      const [x, y, z, w] = this.studio.project.turns[joint] ?? [0, 0, 0, 1];
      this.drag = { turn: new Quaternion(x, y, z, w), world: this.proxy.quaternion.clone(), joint };
      return;
    }
    if (!on && this.drag) {
      this.turnJoint(true);
      this.drag = null;
      this.placeGizmo();
    }
  }

  /** The gizmo turned the joint in the world by R; on top of its own turn that is G⁻¹ R G, G its rotation when the drag began. */
  private turnJoint(settled = false): void {
    if (!this.drag) return;
    const { turn, world, joint } = this.drag;
    const local = world.clone().invert().multiply(this.proxy.quaternion);
    const next = turn.clone().multiply(local).normalize();
    const name = this.studio.character?.joints[joint]?.name ?? '';
    this.studio.change(`Turn ${name}`, { turns: { ...this.studio.project.turns, [joint]: [next.x, next.y, next.z, next.w] } }, settled);
  }

  /** Where the ring of the gizmo about an axis is on the screen, for tests: a point to take hold of, and one to drag to. */
  gizmoHandle(axis: 'X' | 'Y' | 'Z', view: ViewName = 'held', angle = 0.5): [{ x: number; y: number }, { x: number; y: number }] | null {
    const pane = this.panes.find((one) => one.view === view);
    if (!pane || !this.gizmo.object) return null;
    const project = this.project(pane.root);
    const distance = this.camera.position.distanceTo(this.proxy.position);
    const radius = (distance * Math.min(1.9 * Math.tan((this.camera.fov * Math.PI) / 360), 7) * 0.75) / 4 * 0.5;
    const around = { X: new Vector3(1, 0, 0), Y: new Vector3(0, 1, 0), Z: new Vector3(0, 0, 1) }[axis];
    const away = this.camera.position.clone().sub(this.proxy.position).applyQuaternion(this.proxy.quaternion.clone().invert());
    // The rings are drawn on the side towards the camera alone.
    const start = away.addScaledVector(around, -away.dot(around)).normalize();
    const place = (turn: number) => project(start.clone().applyAxisAngle(around, turn).multiplyScalar(radius).applyQuaternion(this.proxy.quaternion).add(this.proxy.position));
    const from = place(0.25), to = place(0.25 + angle);
    return from && to ? [from, to] : null;
  }
}

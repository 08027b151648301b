// The character as the file has it, materials and textures, with vertices that the library moves: once for each view.

import type { Character, Frame, PaintName, ViewName } from 'isochor';
import { viewNames } from 'isochor';
import {
  BufferAttribute, BufferGeometry, DoubleSide, DynamicDrawUsage, Group, LineBasicMaterial, LineSegments, Material, Mesh, MeshStandardMaterial, Object3D, Plane,
  Points, PointsMaterial, Texture, type MeshBasicMaterial,
} from 'three';
import type { GLTF } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { paintColors } from './colors';

/** Objects of one view lie on a layer of their own; everything else is on layer 0. */
export const layerOf = (view: ViewName): number => 1 + viewNames.indexOf(view);

interface Piece {
  mesh: Mesh;
  wire: LineSegments;
  first: number;
  count: number;
  material: Material | Material[];
}

/** The unique edges of triangles, as pairs of vertices. */
function edges(geometry: BufferGeometry, count: number): Uint32Array {
  const index = geometry.index;
  const corners = index ? index.count : count;
  const seen = new Set<number>();
  const out: number[] = [];
  const corner = (i: number) => (index ? index.getX(i) : i);
  for (let t = 0; t + 2 < corners; t += 3) {
    for (let k = 0; k < 3; ++k) {
      const a = corner(t + k), b = corner(t + ((k + 1) % 3));
      const key = a < b ? a * count + b : b * count + a;
      if (seen.has(key)) continue;
      seen.add(key);
      out.push(a, b);
    }
  }
  return new Uint32Array(out);
}

export class CharacterView {
  readonly root = new Group();
  private readonly pieces = new Map<ViewName, Piece[]>();
  private readonly painted = new MeshStandardMaterial({ vertexColors: true, roughness: 0.75, metalness: 0, side: DoubleSide });
  private readonly wireMaterial = new LineBasicMaterial({ color: 0x0b0e13, transparent: true, opacity: 0.35 });
  private readonly marked = new Points(new BufferGeometry(), new PointsMaterial({ color: 0xff3b6b, size: 7, sizeAttenuation: false, depthTest: false }));
  private colors: Uint8Array;
  private paint: PaintName = 'none';
  private wireframe = false;
  private markedVertices: number[] = [];
  private readonly owned: { dispose(): void }[] = [];

  constructor(readonly character: Character, gltf: GLTF) {
    this.colors = new Uint8Array(4 * character.vertices);
    const sources = this.meshesByPrimitive(gltf);
    for (const view of viewNames) {
      const pieces: Piece[] = [];
      for (const part of character.parts) {
        for (const primitive of part.primitives) {
          const source = sources.get(`${part.node}/${primitive.primitive}`);
          if (source) pieces.push(this.makePiece(source, part.first + primitive.first, primitive.vertices, view));
        }
      }
      this.pieces.set(view, pieces);
    }
    this.marked.frustumCulled = false;
    this.marked.renderOrder = 5;
    this.root.add(this.marked);
    this.owned.push(this.painted, this.wireMaterial, this.marked.geometry, this.marked.material);
  }

  /** three.js keeps for every object which node, mesh and primitive of the file it is. */
  private meshesByPrimitive(gltf: GLTF): Map<string, Mesh> {
    const found = new Map<string, Mesh>();
    const nodeOf = (object: Object3D): number | undefined => {
      for (let at: Object3D | null = object; at; at = at.parent) {
        const node = gltf.parser.associations.get(at)?.nodes;
        if (node !== undefined) return node;
      }
      return undefined;
    };
    gltf.scene.traverse((object) => {
      const mesh = object as Mesh;
      if (!mesh.isMesh) return;
      const node = nodeOf(mesh);
      const primitive = (gltf.parser.associations.get(mesh) as { primitives?: number } | undefined)?.primitives ?? 0;
      found.set(`${node}/${primitive}`, mesh);
      this.owned.push(mesh.geometry);
      for (const material of [mesh.material].flat()) this.owned.push(material, ...texturesOf(material));
    });
    return found;
  }

  private makePiece(source: Mesh, first: number, count: number, view: ViewName): Piece {
    const geometry = new BufferGeometry();
    geometry.setIndex(source.geometry.index);
    for (const name of ['uv', 'uv1', 'uv2', 'color']) {
      const attribute = source.geometry.getAttribute(name);
      if (attribute && name !== 'color') geometry.setAttribute(name, attribute);
    }
    for (const name of ['position', 'normal']) geometry.setAttribute(name, new BufferAttribute(new Float32Array(3 * count), 3).setUsage(DynamicDrawUsage));
    const color = source.geometry.getAttribute('color');
    const mesh = new Mesh(geometry, source.material);
    mesh.userData['fileColor'] = color;
    if (color) geometry.setAttribute('color', color);
    const lines = new BufferGeometry();
    lines.setAttribute('position', geometry.getAttribute('position'));
    const edgeIndex = new BufferAttribute(edges(geometry, count), 1);
    lines.setIndex(edgeIndex);
    const wire = new LineSegments(lines, this.wireMaterial);
    for (const object of [mesh, wire]) {
      object.frustumCulled = false;
      object.layers.set(layerOf(view));
      this.root.add(object);
    }
    wire.visible = false;
    this.owned.push(geometry, lines);
    return { mesh, wire, first, count, material: source.material };
  }

  show(frame: Frame, paint: PaintName): void {
    for (const view of viewNames) {
      const shown = frame.views[view];
      if (!shown) continue;
      for (const { mesh, first, count } of this.pieces.get(view) ?? []) {
        copyInto(mesh.geometry.getAttribute('position') as BufferAttribute, shown.positions, first, count);
        if (shown.normals.length > 0) copyInto(mesh.geometry.getAttribute('normal') as BufferAttribute, shown.normals, first, count);
      }
    }
    this.showPaint(frame, paint);
    this.showMarked(frame);
  }

  private showPaint(frame: Frame, paint: PaintName): void {
    const painted = paint !== 'none' && frame.paint.length > 0;
    if (painted) paintColors(paint, frame.paint, this.colors);
    const changed = painted !== (this.paint !== 'none');
    this.paint = painted ? paint : 'none';
    for (const pieces of this.pieces.values()) {
      for (const { mesh, first, count, material } of pieces) {
        if (painted) {
          let color = mesh.userData['paint'] as BufferAttribute | undefined;
          if (!color) {
            color = new BufferAttribute(new Uint8Array(4 * count), 4, true).setUsage(DynamicDrawUsage);
            mesh.userData['paint'] = color;
          }
          (color.array as Uint8Array).set(this.colors.subarray(4 * first, 4 * (first + count)));
          color.needsUpdate = true;
          mesh.geometry.setAttribute('color', color);
          mesh.material = this.painted;
        } else if (changed) {
          mesh.material = material;
          const fileColor = mesh.userData['fileColor'] as BufferAttribute | undefined;
          if (fileColor) mesh.geometry.setAttribute('color', fileColor);
          else mesh.geometry.deleteAttribute('color');
        }
      }
    }
  }

  setWireframe(on: boolean): void {
    this.wireframe = on;
    for (const pieces of this.pieces.values()) for (const { wire } of pieces) wire.visible = this.wireframe;
  }

  /** What lies before the plane is not drawn; what is then seen from behind is drawn, too. */
  setSection(plane: Plane | null): void {
    const planes = plane ? [plane] : null;
    const materials = new Set<Material>([this.painted, this.wireMaterial]);
    for (const pieces of this.pieces.values()) for (const { material } of pieces) for (const one of [material].flat()) materials.add(one);
    for (const material of materials) {
      material.userData['side'] ??= material.side;
      material.clippingPlanes = planes;
      material.side = plane ? DoubleSide : (material.userData['side'] as typeof material.side);
      material.needsUpdate = true;
    }
  }

  /** Vertices that a report names. */
  mark(vertices: number[]): void {
    this.markedVertices = vertices;
    this.marked.geometry.setAttribute('position', new BufferAttribute(new Float32Array(3 * vertices.length), 3));
  }

  private showMarked(frame: Frame): void {
    this.marked.visible = this.markedVertices.length > 0;
    const shown = frame.views.held ?? frame.views.lbs ?? frame.views.dqs;
    const attribute = this.marked.geometry.getAttribute('position') as BufferAttribute | undefined;
    if (!shown || !attribute) return;
    this.markedVertices.forEach((vertex, i) => attribute.setXYZ(i, shown.positions[3 * vertex]!, shown.positions[3 * vertex + 1]!, shown.positions[3 * vertex + 2]!));
    attribute.needsUpdate = true;
  }

  dispose(): void {
    this.root.removeFromParent();
    for (const thing of this.owned) thing.dispose();
  }
}

function copyInto(attribute: BufferAttribute, from: Float32Array, first: number, count: number): void {
  (attribute.array as Float32Array).set(from.subarray(3 * first, 3 * (first + count)));
  attribute.needsUpdate = true;
}

function texturesOf(material: Material): Texture[] {
  return Object.values(material as MeshBasicMaterial).filter((value): value is Texture => value instanceof Texture);
}

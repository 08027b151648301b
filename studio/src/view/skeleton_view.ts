// Joints and bones, drawn over the skin.

import type { Character } from 'isochor';
import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, Group, InstancedMesh, LineBasicMaterial, LineSegments, Matrix4, MeshBasicMaterial, OctahedronGeometry, Quaternion, Vector3 } from 'three';

/** The bones of a joint end at its children that deform, or where its tail is. */
interface Bone {
  joint: number;
  child: number;
}

const plain = new Color(0x9fb4cc), chosen = new Color(0xffa726);

export class SkeletonView {
  readonly root = new Group();
  readonly positions: Vector3[] = [];
  private readonly bones: Bone[] = [];
  private readonly shown: number[] = [];
  private readonly lines: LineSegments<BufferGeometry, LineBasicMaterial>;
  private readonly knots: InstancedMesh<OctahedronGeometry, MeshBasicMaterial>;
  private selected = -1;

  constructor(character: Character) {
    const { joints } = character;
    const any = joints.some((joint) => joint.deforms);
    joints.forEach((joint, j) => {
      this.positions.push(new Vector3());
      if (any && !joint.deforms) return;
      this.shown.push(j);
      // Plain nodes between two joints pass the bone on.
      let parent = joint.parent;
      while (parent >= 0 && any && !joints[parent]!.deforms) parent = joints[parent]!.parent;
      if (parent >= 0) this.bones.push({ joint: parent, child: j });
    });
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(6 * this.bones.length), 3).setUsage(DynamicDrawUsage));
    geometry.setAttribute('color', new BufferAttribute(new Float32Array(6 * this.bones.length), 3));
    this.lines = new LineSegments(geometry, new LineBasicMaterial({ vertexColors: true, depthTest: false, transparent: true, opacity: 0.85 }));
    this.knots = new InstancedMesh(new OctahedronGeometry(1), new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.9 }), this.shown.length);
    for (const object of [this.lines, this.knots]) {
      object.frustumCulled = false;
      object.renderOrder = 3;
      this.root.add(object);
    }
    this.select(-1);
  }

  show(joints: Float32Array, size: number): void {
    const position = this.lines.geometry.getAttribute('position') as BufferAttribute;
    this.positions.forEach((at, j) => at.set(joints[16 * j + 12]!, joints[16 * j + 13]!, joints[16 * j + 14]!));
    this.bones.forEach(({ joint, child }, i) => {
      const a = this.positions[joint]!, b = this.positions[child]!;
      position.setXYZ(2 * i, a.x, a.y, a.z);
      position.setXYZ(2 * i + 1, b.x, b.y, b.z);
    });
    position.needsUpdate = true;
    const matrix = new Matrix4(), scale = new Vector3();
    this.shown.forEach((j, i) => {
      const radius = size * (j === this.selected ? 0.0075 : 0.0045);
      this.knots.setMatrixAt(i, matrix.compose(this.positions[j]!, new Quaternion(), scale.setScalar(radius)));
    });
    this.knots.instanceMatrix.needsUpdate = true;
  }

  select(joint: number): void {
    this.selected = joint;
    const color = this.lines.geometry.getAttribute('color') as BufferAttribute;
    this.bones.forEach((bone, i) => {
      const of = bone.joint === joint ? chosen : plain;
      color.setXYZ(2 * i, of.r, of.g, of.b);
      color.setXYZ(2 * i + 1, of.r, of.g, of.b);
    });
    color.needsUpdate = true;
    this.shown.forEach((j, i) => this.knots.setColorAt(i, j === joint ? chosen : plain));
    if (this.knots.instanceColor) this.knots.instanceColor.needsUpdate = true;
  }

  /** The joint whose bone or knot is nearest to a place on the screen, given as a projection to pixels; -1 if none is near. */
  pick(x: number, y: number, project: (point: Vector3) => { x: number; y: number } | null): number {
    const places = this.positions.map(project);
    let best = -1, nearest = 12;
    const consider = (joint: number, distance: number) => { if (distance < nearest) [best, nearest] = [joint, distance]; };
    for (const j of this.shown) {
      const at = places[j];
      if (at) consider(j, Math.hypot(at.x - x, at.y - y) - 4);
    }
    for (const { joint, child } of this.bones) {
      const a = places[joint], b = places[child];
      if (!a || !b) continue;
      const dx = b.x - a.x, dy = b.y - a.y;
      const t = Math.min(1, Math.max(0, ((x - a.x) * dx + (y - a.y) * dy) / (dx * dx + dy * dy || 1)));
      consider(joint, Math.hypot(a.x + t * dx - x, a.y + t * dy - y));
    }
    return best;
  }

  dispose(): void {
    this.root.removeFromParent();
    this.lines.geometry.dispose();
    this.lines.material.dispose();
    this.knots.geometry.dispose();
    this.knots.material.dispose();
    this.knots.dispose();
  }
}

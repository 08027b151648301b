// Files in and out.

import type { NamedFile } from 'isochor';

export async function readFiles(files: Iterable<File>): Promise<NamedFile[]> {
  return Promise.all([...files].map(async (file) => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })));
}

/** The browser's own window for files. */
export function chooseFiles(accept: string, multiple: boolean): Promise<NamedFile[]> {
  return new Promise((resolve) => {
    const input = document.createElement('input');
    input.type = 'file';
    input.accept = accept;
    input.multiple = multiple;
    input.dataset['testid'] = 'file';
    input.style.display = 'none';
    document.body.append(input);
    const done = (files: FileList | null) => {
      input.remove();
      resolve(readFiles(files ?? []));
    };
    input.addEventListener('change', () => done(input.files));
    input.addEventListener('cancel', () => done(null));
    input.click();
  });
}

export function download(name: string, content: Blob | Uint8Array | string, type: string): void {
  const blob = content instanceof Blob ? content : new Blob([content as BlobPart], { type });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const extension = (name: string): string => name.slice(name.lastIndexOf('.') + 1).toLowerCase();
const skeletons = ['bvh', 'tgf', 'txt', 'skel'];
const meshes = ['glb', 'gltf', 'obj', 'ply', 'stl', 'off', 'mesh'];

export const accepted = [...meshes, ...skeletons, 'bin', 'png', 'jpg', 'jpeg', 'mtl', 'json'].map((name) => `.${name}`).join(',');

/** Dropped files have lost their folders: those that a glTF names get the names that it gives them, as textures/skin.png. */
export function inFolders(files: NamedFile[]): NamedFile[] {
  const main = files.find((file) => extension(file.name) === 'gltf');
  if (!main) return files;
  const names = new Map<string, string>();
  try {
    const { buffers = [], images = [] } = JSON.parse(new TextDecoder().decode(main.bytes)) as { buffers?: { uri?: string }[]; images?: { uri?: string }[] };
    for (const { uri } of [...buffers, ...images]) {
      if (uri === undefined || uri.startsWith('data:')) continue;
      const name = decodeURIComponent(uri);
      names.set(name.slice(name.lastIndexOf('/') + 1), name);
    }
  } catch {
    return files;  // the library says what is wrong with it
  }
  return files.map((file) => (file === main ? file : { ...file, name: names.get(file.name) ?? file.name }));
}

/** What dropped files are for. */
export type Dropped =
  | { kind: 'character'; files: NamedFile[]; skeleton?: NamedFile }
  | { kind: 'skeleton'; file: NamedFile }
  | { kind: 'motion'; file: NamedFile }
  | { kind: 'settings'; file: NamedFile };

/** A mesh with what belongs to it; a skeleton or a motion alone; settings. */
export function sortFiles(files: NamedFile[]): Dropped | null {
  const first = files[0];
  if (!first) return null;
  const has = (kinds: string[]) => files.find((file) => kinds.includes(extension(file.name)));
  const mesh = has(meshes), skeleton = has(skeletons), settings = has(['json']);
  if (mesh) {
    const own = inFolders(files.filter((file) => file !== skeleton && file !== settings));
    return skeleton ? { kind: 'character', files: own, skeleton } : { kind: 'character', files: own };
  }
  if (skeleton) return extension(skeleton.name) === 'bvh' ? { kind: 'motion', file: skeleton } : { kind: 'skeleton', file: skeleton };
  if (settings) return { kind: 'settings', file: settings };
  return { kind: 'character', files };  // the library says why it cannot read it
}

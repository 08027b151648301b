// What is open survives a reload: kept in the browser's own database, on this machine.

import type { NamedFile } from 'isochor';
import type { Project } from './project';
import type { ViewState } from './studio';

export type Source = { sample: string } | { files: NamedFile[]; skeleton?: NamedFile };

export interface Session {
  source: Source;
  project: Project;
  view: ViewState;
}

const name = 'isochor-studio', table = 'sessions', key = 'last', sourceKey = 'source';

/** What tells one source from another, in all windows. */
const ids = new WeakMap<Source, string>();
function idOf(source: Source): string {
  const id = ids.get(source) ?? `${Date.now()} ${Math.random()}`;
  ids.set(source, id);
  return id;
}

function database(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(table);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('the browser keeps no database'));
  });
}

async function run<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<T>): Promise<T | null> {
  try {
    const db = await database();
    return await new Promise<T>((resolve, reject) => {
      const transaction = db.transaction(table, mode);
      const request = work(transaction.objectStore(table));
      transaction.oncomplete = () => { db.close(); resolve(request.result); };
      transaction.onerror = transaction.onabort = () => { db.close(); reject(transaction.error ?? new Error('not kept')); };
    });
  } catch {
    return null;  // private windows may refuse: the studio works all the same
  }
}

/** Files are large, and copying them holds up the page: they are written once, and not with every change. */
export const saveSession = ({ source, project, view }: Session): Promise<unknown> => run('readwrite', (store) => {
  const id = idOf(source);
  const before = store.get(key) as IDBRequest<{ id?: string } | undefined>;
  before.onsuccess = () => {
    if (before.result?.id !== id) store.put(source, sourceKey);
    store.put({ id, project, view }, key);
  };
  return before;
});

export async function loadSession(): Promise<Session | null> {
  const kept = await run<Omit<Session, 'source'>>('readonly', (store) => store.get(key) as IDBRequest<Omit<Session, 'source'>>);
  const source = await run<Source>('readonly', (store) => store.get(sourceKey) as IDBRequest<Source>);
  return kept && source ? { source, project: kept.project, view: kept.view } : null;
}

export const clearSession = (): Promise<unknown> => run('readwrite', (store) => store.clear());

const restoringKey = 'isochor-restoring';

/** False where the attempt before this one never ended; the next may try again. */
export function beginRestoring(): boolean {
  try {
    const died = sessionStorage.getItem(restoringKey) !== null;
    if (died) sessionStorage.removeItem(restoringKey);
    else sessionStorage.setItem(restoringKey, 'yes');
    return !died;
  } catch {
    return true;
  }
}
export function endRestoring(): void {
  try {
    sessionStorage.removeItem(restoringKey);
  } catch {
    // nothing was kept either
  }
}

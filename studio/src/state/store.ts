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

const name = 'isochor-studio', table = 'sessions', key = 'last';

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

export const saveSession = (session: Session): Promise<unknown> => run('readwrite', (store) => store.put(session, key));
export const loadSession = (): Promise<Session | null> => run<Session>('readonly', (store) => store.get(key) as IDBRequest<Session>).then((found) => found ?? null);
export const clearSession = (): Promise<unknown> => run('readwrite', (store) => store.delete(key));

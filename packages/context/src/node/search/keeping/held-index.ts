/** The index stays open for a moment after a search: whoever searches again, as one does, finds everything ready. */

import type { Files } from "../../files/files.ts";
import { isOurs, openIndex } from "./open-index.ts";
import { type Database, databaseFault } from "./sqlite.ts";

/** Nobody else has it meanwhile; a second search at the same time opens it once more. */
export async function withIndex<Made>(
  path: string,
  files: Files,
  act: (database: Database) => Promise<Made>,
): Promise<Made> {
  const held = taken(path, files) ?? opened(path, files);
  try {
    const made = await act(held.database);
    hold(path, held);
    return made;
  } catch (error) {
    held.database.close();
    throw error;
  }
}

interface Held {
  readonly database: Database;
  /** Of the file that was opened; another one may have taken its place. */
  readonly identity: string;
}

function opened(path: string, files: Files): Held {
  const database = openIndex(path, files);
  return { database, identity: files.stat(path)?.identity ?? "" };
}

function taken(path: string, files: Files): Held | null {
  const held = HELD.get(path);
  if (!held) return null;
  HELD.delete(path);
  clearTimeout(held.timer);
  if (files.stat(path)?.identity === held.identity && isStillOurs(held.database)) return held;
  held.database.close();
  return null;
}

function isStillOurs(database: Database): boolean {
  try {
    return isOurs(database);
  } catch (error) {
    // It is opened anew, and that says what is wrong with it.
    if (databaseFault(error) === null) throw error;
    return false;
  }
}

function hold(path: string, held: Held): void {
  if (HELD.has(path)) {
    held.database.close();
    return;
  }
  closeAtExit();
  const timer = setTimeout(() => release(path), HELD_FOR).unref();
  HELD.set(path, { ...held, timer });
}

function release(path: string): void {
  const held = HELD.get(path);
  if (!held) return;
  clearTimeout(held.timer);
  HELD.delete(path);
  held.database.close();
}

// Left open, its log would lie beside it until the next search.
let closesAtExit = false;
function closeAtExit(): void {
  if (closesAtExit) return;
  closesAtExit = true;
  process.on("exit", () => [...HELD.keys()].forEach(release));
}

const HELD = new Map<string, Held & { readonly timer: NodeJS.Timeout }>();
const HELD_FOR = 3_000;

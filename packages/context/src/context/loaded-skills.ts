/** Finds the skills loaded in a context. A model has a skill word for word or not at all, so no summary retells it. */

import type { CompactionEntry, Entry } from "../entry.ts";
import { isObject } from "../format/read-line.ts";
import { isBlobHash } from "../session/blobs.ts";
import type { Window } from "../session/loaded-branch.ts";
import { plainText } from "../text/sanitize.ts";
import { latestEdit } from "./build-context.ts";

export interface Reference {
  readonly kind: "skill";
  readonly name: string;
  readonly path: string;
  /** SHA-256 of the bytes it was loaded from, in hexadecimal digits. */
  readonly hash: string;
  /** Only some of its lines were loaded. */
  readonly part?: true;
}

export interface LoadedReference extends Reference {
  /** Where its text stands in the log. */
  readonly entryId: string;
}

/** The kind of a custom message that says which references are not attached, and which have changed. */
export const LISTED = "pith.skills";

/** Null for an entry that says something of its own. */
export function referenceOf(entry: Entry): Reference | null {
  const details = detailsOf(entry);
  const pith = isObject(details) ? details.pith : null;
  return isObject(pith) ? referenceIn(pith.reference) : null;
}

/** What stands for it where its text does not. */
export function referenceLine({ name, path }: Reference): string {
  return `(the skill ${name} was loaded here from ${plainText(path, LONGEST_PATH)}; it is kept as it is, so its text is left out)`;
}

/** The newest of each name, the newest last, also where a compaction covers it; what the user took out of the context is gone. */
export function loadedReferences({ entries, compactionAt, edits }: Window): readonly LoadedReference[] {
  const before = entries[compactionAt];
  const loaded = new Map<string, LoadedReference>();
  for (const reference of before?.type === "compaction" ? referencesIn(before) : []) load(loaded, reference);
  for (const entry of entries) {
    const reference = referenceOf(entry);
    const edit = reference && latestEdit(edits, entry);
    if (!reference) continue;
    if (edit && !edit.pith?.reduced) loaded.delete(reference.name);
    else load(loaded, { ...reference, entryId: entry.id });
  }
  return [...loaded.values()].slice(-MOST);
}

/** Those of which the context does not have every word. */
export function missingReferences(window: Window): readonly LoadedReference[] {
  const loaded = loadedReferences(window);
  if (loaded.length === 0) return loaded;
  const intact = new Set(window.entries.filter((entry) => !latestEdit(window.edits, entry)).map(({ id }) => id));
  return loaded.filter(({ entryId }) => !intact.has(entryId));
}

/** Files are not checked field by field. */
function detailsOf(entry: Entry): unknown {
  if (entry.type === "custom_message") return entry.details;
  return entry.type === "message" && "details" in entry.message ? entry.message.details : null;
}

function referenceIn(value: unknown): Reference | null {
  if (!isObject(value) || value.kind !== "skill") return null;
  const { name, path, hash, part } = value;
  if (typeof name !== "string" || !NAME.test(name) || typeof path !== "string" || !isBlobHash(hash)) return null;
  return { kind: "skill", name, path, hash, ...(part === true && { part }) };
}

const NAME = /^[a-z0-9-]{1,64}$/;
const LONGEST_PATH = 1_000;

function referencesIn({ details }: CompactionEntry): readonly LoadedReference[] {
  const pith = isObject(details) ? details.pith : null;
  const listed: readonly unknown[] = isObject(pith) && Array.isArray(pith.references) ? pith.references : [];
  return listed.flatMap((each) => {
    const reference = referenceIn(each);
    const entryId = isObject(each) ? each.entryId : null;
    return reference && typeof entryId === "string" ? [{ ...reference, entryId }] : [];
  });
}

// Looking again at some lines of it takes nothing away from who has all of them.
function load(loaded: Map<string, LoadedReference>, reference: LoadedReference): void {
  const known = loaded.get(reference.name);
  const hasAll = known && !known.part && known.hash === reference.hash;
  loaded.delete(reference.name);
  loaded.set(reference.name, reference.part && hasAll ? known : reference);
}

const MOST = 50;

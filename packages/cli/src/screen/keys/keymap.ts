/** Which key does what: as the tables say, and over them what the keymap file says. Pure. */

import { nearest } from "../../asking/nearest.ts";
import { readCommentedJson } from "../../home/commented-json/read-commented-json.ts";
import { plain } from "../../printing/plain.ts";
import { editorKeys } from "./editor-keys.ts";
import { isTyped, keyNamed, ordered } from "./key-name.ts";
import { keyTable } from "./key-table.ts";

/** Keys by the id of what they do. */
export type Keymap = Readonly<Record<string, readonly string[]>>;

export interface KeymapRead {
  readonly keymap: Keymap;
  /** The ids that the file names. */
  readonly own: readonly string[];
  /** What is wrong with the file, for people. */
  readonly notes: readonly string[];
}

const rows = [...keyTable, ...editorKeys];

export const usualKeymap: Keymap = Object.fromEntries(rows.map(({ id, keys }) => [id, keys.map(ordered)]));

/** What is wrong is told and left as it was; everything else counts. */
export function keymapIn(text: string, file: string): KeymapRead {
  const json = readCommentedJson(text);
  if (json.type === "broken")
    return { keymap: usualKeymap, own: [], notes: [`${file}:${json.line}:${json.column}: ${json.why}`] };
  const notes: string[] = [];
  const own: Record<string, readonly string[]> = {};
  for (const [id, value] of Object.entries(json.value)) {
    const place = `${file}:${json.lineOf([id])}`;
    const read = keysFor(id, value);
    notes.push(...read.notes.map((note) => `${place}: ${note}`));
    if (read.keys) own[id] = read.keys;
  }
  const { keymap, lost } = withOwn(own);
  return { keymap, own: Object.keys(own), notes: [...notes, ...lost.map((note) => `${file}: ${note}`)] };
}

interface KeysRead {
  /** Null where nothing of it can be used. */
  readonly keys: readonly string[] | null;
  readonly notes: readonly string[];
}

function keysFor(id: string, value: unknown): KeysRead {
  if (!Object.hasOwn(usualKeymap, id)) return { keys: null, notes: [unknownId(id)] };
  const words = value === null ? [] : [value].flat();
  if (!words.every((word) => typeof word === "string"))
    return { keys: null, notes: [`${id} takes a key, such as "ctrl+o", or a list of keys`] };
  const notes: string[] = [];
  const keys = words.flatMap((word) => {
    const read = keyNamed(word);
    if (read.type === "unknown") notes.push(unknownKey(read));
    else if (read.key.includes(" ") && id.startsWith("tui.")) notes.push(`${id} takes single keys, not "${read.key}"`);
    else if (isTyped(read.key)) notes.push(`"${read.key}" is typed; hold ctrl or alt with it, or take f1 to f12`);
    else return [read.key];
    return [];
  });
  return { keys: keys.length === 0 && notes.length > 0 ? null : keys, notes };
}

function unknownId(id: string): string {
  const near = nearest(id, Object.keys(usualKeymap));
  return `there is nothing called "${plain(id)}"; ${near === null ? "/keys names all there is" : `did you mean "${near}"?`}`;
}

function unknownKey({ part, near }: { readonly part: string; readonly near: string | null }): string {
  return `there is no key "${plain(part)}"${near === null ? "" : `; did you mean "${near}"?`}`;
}

/** A key that was given to one thing does no other any more; the first in the file has it. */
function withOwn(own: Keymap): { readonly keymap: Keymap; readonly lost: readonly string[] } {
  const lost: string[] = [];
  const taken = new Map<string, string>();
  const kept: Record<string, readonly string[]> = {};
  for (const [id, keys] of Object.entries(own))
    kept[id] = keys.filter((key) => {
      const by = taken.get(claim(id, key)) ?? id;
      if (by !== id) lost.push(`${key} stands for ${by} and for ${id}; it is ${by}`);
      else taken.set(claim(id, key), id);
      return by === id;
    });
  for (const [id, keys] of Object.entries(usualKeymap))
    kept[id] ??= keys.filter((key) => {
      const by = taken.get(claim(id, key));
      if (by !== undefined) lost.push(`${key} is ${by} now, and no longer ${id}`);
      return by === undefined;
    });
  return { keymap: kept, lost };
}

/** While a completion is open, its keys are its own. */
function claim(id: string, key: string): string {
  return `${id.startsWith("tui.select.") ? "select" : "screen"} ${key}`;
}

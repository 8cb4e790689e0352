/** Defines the default key bindings, parses key names such as `ctrl+o`, and applies the user's keymap file. Pure. */

import { readCommentedJson } from "../text/jsonc.ts";
import { plain } from "../text/safe-text.ts";
import { nearest } from "../text/usage-error.ts";

export interface KeyRow {
  /** As the keymap file names it. */
  readonly id: ActionId;
  readonly keys: readonly string[];
  /** What it does, for people. */
  readonly says: string;
}

export type ActionId =
  | "stop"
  | "quit"
  | "clear"
  | "tree"
  | "fold"
  | "transcript"
  | "mode"
  | "suspend"
  | "model"
  | "externalEditor"
  | "followUp"
  | "takeBack"
  | "pasteImage"
  | "undoCompaction"
  | "seen"
  | "context";

export const keyTable: readonly KeyRow[] = [
  { id: "stop", keys: ["escape"], says: "stop what is under way" },
  { id: "tree", keys: ["escape escape"], says: "the tree of this session, when nothing is under way" },
  { id: "clear", keys: ["ctrl+c"], says: "stop, or empty the editor; twice: quit" },
  { id: "quit", keys: ["ctrl+d"], says: "quit, when the editor is empty" },
  { id: "suspend", keys: ["ctrl+z"], says: "sleep; fg in the shell brings it back" },
  { id: "fold", keys: ["ctrl+o"], says: "open or close what is folded" },
  { id: "transcript", keys: ["ctrl+t"], says: "all that was said and done, from the beginning" },
  { id: "mode", keys: ["shift+tab"], says: "the next permission mode: plan, ask, edit" },
  { id: "model", keys: ["ctrl+l"], says: "choose who speaks" },
  { id: "externalEditor", keys: ["ctrl+g"], says: "write on in your editor" },
  { id: "followUp", keys: ["alt+enter"], says: "say it when the work under way is done" },
  { id: "takeBack", keys: ["alt+up"], says: "take what waits back into the editor" },
  { id: "pasteImage", keys: ["ctrl+v"], says: "paste a picture" },
  { id: "undoCompaction", keys: ["alt+u"], says: "undo the newest compaction, or take that back" },
  { id: "seen", keys: ["alt+s"], says: "what the model sees now" },
  { id: "context", keys: ["alt+c"], says: "what fills the context" },
];

export interface EditorKeyRow {
  /** As the keymap file names it. */
  readonly id: EditorKeyId;
  readonly keys: readonly string[];
  /** What it does, for people. */
  readonly says: string;
}

/** As pi-tui names them. */
export type EditorKeyId = `tui.${"editor" | "input" | "select"}.${string}`;

export const editorKeys: readonly EditorKeyRow[] = [
  { id: "tui.input.submit", keys: ["enter"], says: "say it; while it works: before its next request" },
  { id: "tui.input.newLine", keys: ["shift+enter", "ctrl+j"], says: "a new line; so does \\ at the end of one" },
  { id: "tui.input.tab", keys: ["tab"], says: "complete a command, an argument or a path" },
  { id: "tui.editor.cursorUp", keys: ["up"], says: "a line up; on the first: what was said before" },
  { id: "tui.editor.cursorDown", keys: ["down"], says: "a line down; on the last: what was said after it" },
  { id: "tui.editor.cursorLeft", keys: ["left", "ctrl+b"], says: "a letter to the left" },
  { id: "tui.editor.cursorRight", keys: ["right", "ctrl+f"], says: "a letter to the right" },
  { id: "tui.editor.cursorWordLeft", keys: ["alt+left", "ctrl+left", "alt+b"], says: "a word to the left" },
  { id: "tui.editor.cursorWordRight", keys: ["alt+right", "ctrl+right", "alt+f"], says: "a word to the right" },
  { id: "tui.editor.cursorLineStart", keys: ["home", "ctrl+home", "ctrl+a"], says: "to the start of the line" },
  { id: "tui.editor.cursorLineEnd", keys: ["end", "ctrl+end", "ctrl+e"], says: "to the end of the line" },
  { id: "tui.editor.pageUp", keys: ["pageUp", "ctrl+pageUp"], says: "a page up" },
  { id: "tui.editor.pageDown", keys: ["pageDown", "ctrl+pageDown"], says: "a page down" },
  { id: "tui.editor.jumpForward", keys: ["ctrl+]"], says: "forward to the letter that is typed next" },
  { id: "tui.editor.jumpBackward", keys: ["ctrl+alt+]"], says: "back to the letter that is typed next" },
  { id: "tui.editor.deleteCharBackward", keys: ["backspace"], says: "delete the letter before" },
  { id: "tui.editor.deleteCharForward", keys: ["delete", "ctrl+d"], says: "delete the letter behind" },
  { id: "tui.editor.deleteWordBackward", keys: ["ctrl+w", "alt+backspace"], says: "delete the word before" },
  { id: "tui.editor.deleteWordForward", keys: ["alt+d", "alt+delete"], says: "delete the word behind" },
  { id: "tui.editor.deleteToLineStart", keys: ["ctrl+u"], says: "delete to the start of the line" },
  { id: "tui.editor.deleteToLineEnd", keys: ["ctrl+k"], says: "delete to the end of the line" },
  { id: "tui.editor.yank", keys: ["ctrl+y"], says: "put back what was deleted last" },
  { id: "tui.editor.yankPop", keys: ["alt+y"], says: "put back what was deleted before that" },
  { id: "tui.editor.undo", keys: ["ctrl+-"], says: "undo the last change of the words" },
  { id: "tui.editor.historyPrevious", keys: [], says: "what was said before, wherever the cursor is" },
  { id: "tui.editor.historyNext", keys: [], says: "what was said after it, wherever the cursor is" },
  { id: "tui.select.up", keys: ["up"], says: "the row above, in a completion" },
  { id: "tui.select.down", keys: ["down"], says: "the row below, in a completion" },
  { id: "tui.select.confirm", keys: ["enter"], says: "take the row, in a completion" },
  { id: "tui.select.cancel", keys: ["escape", "ctrl+c"], says: "close a completion" },
];

export type KeyRead =
  | { readonly type: "key"; readonly key: string }
  /** `near`: what may have been meant. */
  | { readonly type: "unknown"; readonly part: string; readonly near: string | null };

/** One key, or several pressed one after the other, with a blank between them. */
export function keyNamed(text: string): KeyRead {
  const keys: string[] = [];
  for (const word of text.trim().split(/\s+/)) {
    const read = oneKey(word);
    if (read.type === "unknown") return read;
    keys.push(read.key);
  }
  return { type: "key", key: keys.join(" ") };
}

/** The same key has one name, in whichever order it holds others down. */
export function ordered(key: string): string {
  return key.split(" ").map(orderedOne).join(" ");
}

/** Whether a key of it comes into the words: whoever gave that to anything else could not write any more. */
export function isTyped(key: string): boolean {
  return key.split(" ").some((each) => /^(?:shift\+)?(?:.|space)$/.test(each));
}

function oneKey(word: string): KeyRead {
  const parts = partsOf(word);
  const wrong = parts.slice(0, -1).find((part) => !MODIFIERS.includes(part.toLowerCase()));
  if (wrong !== undefined) return { type: "unknown", part: wrong, near: nearest(wrong, MODIFIERS) };
  const last = parts.at(-1) ?? "";
  const named = other[last.toLowerCase()] ?? SPECIAL.find((each) => each.toLowerCase() === last.toLowerCase());
  const base = named ?? (/^[\x21-\x7e]$/.test(last) ? last.toLowerCase() : null);
  if (base === null) return { type: "unknown", part: word, near: nearest(last, SPECIAL) };
  return { type: "key", key: orderedOne([...parts.slice(0, -1).map((part) => part.toLowerCase()), base].join("+")) };
}

function orderedOne(key: string): string {
  const parts = partsOf(key);
  const held = MODIFIERS.filter((modifier) => parts.slice(0, -1).includes(modifier));
  return [...held, parts.at(-1) ?? ""].join("+");
}

/** A plus may be the key itself. */
function partsOf(key: string): readonly string[] {
  if (key === "+") return ["+"];
  return key.endsWith("++") ? [...key.slice(0, -2).split("+"), "+"] : key.split("+");
}

const MODIFIERS = ["ctrl", "shift", "alt", "super"];

const SPECIAL = [
  ...["escape", "enter", "tab", "space", "backspace", "delete", "insert", "clear", "home", "end", "pageUp", "pageDown"],
  ...["up", "down", "left", "right"],
  ...Array.from({ length: 12 }, (_, at) => `f${at + 1}`),
];

const other: Readonly<Record<string, string>> = { esc: "escape", return: "enter", del: "delete", ins: "insert" };

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

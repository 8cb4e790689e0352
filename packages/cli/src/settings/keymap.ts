/** Defines the default key bindings, parses key names such as `ctrl+o`, and reads and formats the user's keymap. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseJsonc } from "@pith/host/text/jsonc";
import { escapeControls } from "@pith/host/text/safe-text";
import { findNearest } from "@pith/host/text/usage-error";

export interface KeyBinding {
  /** The name in the keymap file. */
  readonly id: ActionId;
  readonly keys: readonly string[];
  readonly description: string;
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

export const actionBindings: readonly KeyBinding[] = [
  { id: "stop", keys: ["escape"], description: "stop the current work" },
  { id: "tree", keys: ["escape escape"], description: "open this session's tree, when nothing is running" },
  { id: "clear", keys: ["ctrl+c"], description: "stop, or clear the editor; press twice to quit" },
  { id: "quit", keys: ["ctrl+d"], description: "quit, if the editor is empty" },
  { id: "suspend", keys: ["ctrl+z"], description: "suspend Pith; fg in the shell resumes it" },
  { id: "fold", keys: ["ctrl+o"], description: "expand or collapse folded content" },
  { id: "transcript", keys: ["ctrl+t"], description: "show the whole transcript, from the beginning" },
  { id: "mode", keys: ["shift+tab"], description: "switch to the next permission mode: plan, ask, edit" },
  { id: "model", keys: ["ctrl+l"], description: "choose a model" },
  { id: "externalEditor", keys: ["ctrl+g"], description: "continue writing in your external editor" },
  { id: "followUp", keys: ["alt+enter"], description: "send the message when the current work is done" },
  { id: "takeBack", keys: ["alt+up"], description: "move queued messages back to the editor" },
  { id: "pasteImage", keys: ["ctrl+v"], description: "paste an image" },
  { id: "undoCompaction", keys: ["alt+u"], description: "undo the latest compaction, or redo it" },
  { id: "seen", keys: ["alt+s"], description: "show what the model sees now" },
  { id: "context", keys: ["alt+c"], description: "show what fills the context" },
];

export interface EditorKeyBinding {
  /** The name in the keymap file. */
  readonly id: EditorKeyId;
  readonly keys: readonly string[];
  readonly description: string;
}

/** pi-tui's names. */
export type EditorKeyId = `tui.${"editor" | "input" | "select"}.${string}`;

export const editorBindings: readonly EditorKeyBinding[] = [
  { id: "tui.input.submit", keys: ["enter"], description: "send; during a run, before its next request" },
  { id: "tui.input.newLine", keys: ["shift+enter", "ctrl+j"], description: "insert a new line (or \\, then Enter)" },
  { id: "tui.input.tab", keys: ["tab"], description: "complete a command, an argument or a path" },
  { id: "tui.editor.cursorUp", keys: ["up"], description: "move up (on the first line: previous message)" },
  { id: "tui.editor.cursorDown", keys: ["down"], description: "move down (on the last line: next message)" },
  { id: "tui.editor.cursorLeft", keys: ["left", "ctrl+b"], description: "move one character left" },
  { id: "tui.editor.cursorRight", keys: ["right", "ctrl+f"], description: "move one character right" },
  { id: "tui.editor.cursorWordLeft", keys: ["alt+left", "ctrl+left", "alt+b"], description: "move one word left" },
  { id: "tui.editor.cursorWordRight", keys: ["alt+right", "ctrl+right", "alt+f"], description: "move one word right" },
  {
    id: "tui.editor.cursorLineStart",
    keys: ["home", "ctrl+home", "ctrl+a"],
    description: "move to the start of the line",
  },
  { id: "tui.editor.cursorLineEnd", keys: ["end", "ctrl+end", "ctrl+e"], description: "move to the end of the line" },
  { id: "tui.editor.pageUp", keys: ["pageUp", "ctrl+pageUp"], description: "move one page up" },
  { id: "tui.editor.pageDown", keys: ["pageDown", "ctrl+pageDown"], description: "move one page down" },
  { id: "tui.editor.jumpForward", keys: ["ctrl+]"], description: "jump forward to the character you type next" },
  { id: "tui.editor.jumpBackward", keys: ["ctrl+alt+]"], description: "jump back to the character you type next" },
  { id: "tui.editor.deleteCharBackward", keys: ["backspace"], description: "delete the previous character" },
  { id: "tui.editor.deleteCharForward", keys: ["delete", "ctrl+d"], description: "delete the next character" },
  { id: "tui.editor.deleteWordBackward", keys: ["ctrl+w", "alt+backspace"], description: "delete the previous word" },
  { id: "tui.editor.deleteWordForward", keys: ["alt+d", "alt+delete"], description: "delete the next word" },
  { id: "tui.editor.deleteToLineStart", keys: ["ctrl+u"], description: "delete to the start of the line" },
  { id: "tui.editor.deleteToLineEnd", keys: ["ctrl+k"], description: "delete to the end of the line" },
  { id: "tui.editor.yank", keys: ["ctrl+y"], description: "paste the last deleted text" },
  { id: "tui.editor.yankPop", keys: ["alt+y"], description: "replace pasted text with text deleted earlier" },
  { id: "tui.editor.undo", keys: ["ctrl+-"], description: "undo the last edit" },
  { id: "tui.editor.historyPrevious", keys: [], description: "previous message, wherever the cursor is" },
  { id: "tui.editor.historyNext", keys: [], description: "next message, wherever the cursor is" },
  { id: "tui.select.up", keys: ["up"], description: "select the row above in a completion list" },
  { id: "tui.select.down", keys: ["down"], description: "select the row below in a completion list" },
  { id: "tui.select.confirm", keys: ["enter"], description: "accept the selected row in a completion list" },
  { id: "tui.select.cancel", keys: ["escape", "ctrl+c"], description: "close a completion list" },
];

export type ParsedKey =
  | { readonly type: "key"; readonly key: string }
  /** `suggestion` is a similar key or modifier; null if there is none. */
  | { readonly type: "unknown"; readonly part: string; readonly suggestion: string | null };

/** Parses one key, or several keys pressed in sequence and separated by spaces. */
function parseKeys(text: string): ParsedKey {
  const keys: string[] = [];
  for (const word of text.trim().split(/\s+/)) {
    const parsed = parseSingleKey(word);
    if (parsed.type === "unknown") return parsed;
    keys.push(parsed.key);
  }
  return { type: "key", key: keys.join(" ") };
}

/** Sorts the modifiers, so that each key has exactly one name. */
export function normalizeKey(key: string): string {
  return key.split(" ").map(normalizeSingleKey).join(" ");
}

/** Whether a key inserts text. Such a key cannot be bound: the user could no longer type it. */
function isTypedKey(key: string): boolean {
  return key.split(" ").some((part) => /^(?:shift\+)?(?:.|space)$/.test(part));
}

function parseSingleKey(word: string): ParsedKey {
  const parts = splitKey(word);
  const unknownModifier = parts.slice(0, -1).find((part) => !MODIFIERS.includes(part.toLowerCase()));
  if (unknownModifier !== undefined)
    return { type: "unknown", part: unknownModifier, suggestion: findNearest(unknownModifier, MODIFIERS) };
  const baseName = parts.at(-1) ?? "";
  const specialKey =
    KEY_ALIASES[baseName.toLowerCase()] ?? SPECIAL_KEYS.find((key) => key.toLowerCase() === baseName.toLowerCase());
  const base = specialKey ?? (/^[\x21-\x7e]$/.test(baseName) ? baseName.toLowerCase() : null);
  if (base === null) return { type: "unknown", part: word, suggestion: findNearest(baseName, SPECIAL_KEYS) };
  return {
    type: "key",
    key: normalizeSingleKey([...parts.slice(0, -1).map((part) => part.toLowerCase()), base].join("+")),
  };
}

function normalizeSingleKey(key: string): string {
  const parts = splitKey(key);
  const modifiers = MODIFIERS.filter((modifier) => parts.slice(0, -1).includes(modifier));
  return [...modifiers, parts.at(-1) ?? ""].join("+");
}

/** The last part may be the plus key itself. */
function splitKey(key: string): readonly string[] {
  if (key === "+") return ["+"];
  return key.endsWith("++") ? [...key.slice(0, -2).split("+"), "+"] : key.split("+");
}

const MODIFIERS = ["ctrl", "shift", "alt", "super"];

const SPECIAL_KEYS = [
  ...["escape", "enter", "tab", "space", "backspace", "delete", "insert", "clear", "home", "end", "pageUp", "pageDown"],
  ...["up", "down", "left", "right"],
  ...Array.from({ length: 12 }, (_, index) => `f${index + 1}`),
];

const KEY_ALIASES: Readonly<Record<string, string>> = { esc: "escape", return: "enter", del: "delete", ins: "insert" };

/** Keys by the id of their action. */
export type Keymap = Readonly<Record<string, readonly string[]>>;

export interface LoadedKeymap {
  readonly keymap: Keymap;
  /** The ids that the file sets. */
  readonly customIds: readonly string[];
  /** Problems in the file, for the user. */
  readonly warnings: readonly string[];
}

const allBindings = [...actionBindings, ...editorBindings];

export const defaultKeymap: Keymap = Object.fromEntries(
  allBindings.map(({ id, keys }) => [id, keys.map(normalizeKey)]),
);

/** An invalid binding causes a warning and keeps its default. All other bindings apply. */
export function parseKeymap(text: string, file: string): LoadedKeymap {
  const json = parseJsonc(text);
  if (json.type === "invalid")
    return { keymap: defaultKeymap, customIds: [], warnings: [`${file}:${json.line}:${json.column}: ${json.message}`] };
  const warnings: string[] = [];
  const custom: Record<string, readonly string[]> = {};
  for (const [id, value] of Object.entries(json.value)) {
    const location = `${file}:${json.findLine([id])}`;
    const parsed = parseBinding(id, value);
    warnings.push(...parsed.warnings.map((warning) => `${location}: ${warning}`));
    if (parsed.keys) custom[id] = parsed.keys;
  }
  const { keymap, conflicts } = mergeKeymap(custom);
  return {
    keymap,
    customIds: Object.keys(custom),
    warnings: [...warnings, ...conflicts.map((warning) => `${file}: ${warning}`)],
  };
}

interface ParsedKeys {
  /** Null if no key is valid. */
  readonly keys: readonly string[] | null;
  readonly warnings: readonly string[];
}

function parseBinding(id: string, value: unknown): ParsedKeys {
  if (!Object.hasOwn(defaultKeymap, id)) return { keys: null, warnings: [formatUnknownId(id)] };
  const keyNames = value === null ? [] : [value].flat();
  if (!keyNames.every((keyName) => typeof keyName === "string"))
    return { keys: null, warnings: [`${id} must be a key, such as "ctrl+o", or a list of keys`] };
  const warnings: string[] = [];
  const keys = keyNames.flatMap((keyName) => {
    const parsed = parseKeys(keyName);
    if (parsed.type === "unknown") warnings.push(formatUnknownKey(parsed));
    else if (parsed.key.includes(" ") && id.startsWith("tui."))
      warnings.push(`${id} does not support a sequence of keys such as "${parsed.key}"`);
    else if (isTypedKey(parsed.key))
      warnings.push(`"${parsed.key}" inserts text and cannot be bound; add ctrl or alt, or use f1 to f12`);
    else return [parsed.key];
    return [];
  });
  return { keys: keys.length === 0 && warnings.length > 0 ? null : keys, warnings };
}

function formatUnknownId(id: string): string {
  const suggestion = findNearest(id, Object.keys(defaultKeymap));
  return `unknown action "${escapeControls(id)}"; ${suggestion === null ? "run /keys to list all actions" : `did you mean "${suggestion}"?`}`;
}

function formatUnknownKey({ part, suggestion }: { readonly part: string; readonly suggestion: string | null }): string {
  return `unknown key "${escapeControls(part)}"${suggestion === null ? "" : `; did you mean "${suggestion}"?`}`;
}

/** A key in the file is removed from its default action. If the file uses a key twice, the first action gets it. */
function mergeKeymap(custom: Keymap): { readonly keymap: Keymap; readonly conflicts: readonly string[] } {
  const conflicts: string[] = [];
  const owners = new Map<string, string>();
  const merged: Record<string, readonly string[]> = {};
  for (const [id, keys] of Object.entries(custom))
    merged[id] = keys.filter((key) => {
      const owner = owners.get(scopeKey(id, key)) ?? id;
      if (owner !== id) conflicts.push(`${key} is bound to both ${owner} and ${id}; ${owner} is used`);
      else owners.set(scopeKey(id, key), id);
      return owner === id;
    });
  for (const [id, keys] of Object.entries(defaultKeymap))
    merged[id] ??= keys.filter((key) => {
      const owner = owners.get(scopeKey(id, key));
      if (owner !== undefined) conflicts.push(`${key} is now bound to ${owner} instead of ${id}`);
      return owner === undefined;
    });
  return { keymap: merged, conflicts };
}

/** The keys of an open completion are separate: they do not conflict with others. */
function scopeKey(id: string, key: string): string {
  return `${id.startsWith("tui.select.") ? "select" : "screen"} ${key}`;
}

/** Returns the first key of the action, for hints. Null if it has no key, so that no hint is shown. */
export function keyHint(id: ActionId, keymap: Keymap = defaultKeymap): string | null {
  const key = keymap[id]?.[0];
  return key === undefined ? null : formatKey(key);
}

/** Returns the key with a description, as in `Ctrl+O expand`. Empty if the action has no key. */
export function formatKeyHint(id: ActionId, description: string, keymap?: Keymap): string {
  const key = keyHint(id, keymap);
  return key === null ? "" : `${key} ${description}`;
}

/** Formats `ctrl+o` as `Ctrl+O`, and `escape escape` as `Esc Esc`. */
export function formatKey(key: string): string {
  return key.replaceAll(/[^+ ]+/g, (part) => KEY_LABELS[part] ?? part.charAt(0).toUpperCase() + part.slice(1));
}

const KEY_LABELS: Readonly<Record<string, string>> = { escape: "Esc", pageUp: "PgUp", pageDown: "PgDn" };

export interface KeyHelp {
  readonly id: string;
  readonly keys: readonly string[];
  readonly description: string;
}

export function listKeys(keymap: Keymap): readonly KeyHelp[] {
  return [...actionBindings, ...editorBindings].map(({ id, description }) => ({
    id,
    keys: keymap[id] ?? [],
    description,
  }));
}

/** Formats all keys. With a query: the bindings whose id, key or description contains it, with their ids; null if there are none. */
export function formatKeys(keymap: Keymap, query = ""): string | null {
  const all = listKeys(keymap);
  if (query !== "") return formatDetails(all.filter((row) => matchesQuery(row, query.toLowerCase())));
  const actionKeys = all.filter(({ id }) => !id.startsWith("tui."));
  const typingKeys = all.filter(({ id, keys }) => /^tui\.(?:input|editor)/.test(id) && keys.length > 0);
  return [formatColumns(actionKeys), "", "While typing:", formatColumns(typingKeys)].join("\n");
}

function formatColumns(rows: readonly KeyHelp[]): string {
  const width = Math.max(...rows.map((row) => formatBoundKeys(row).length));
  return rows.map((row) => `  ${formatBoundKeys(row).padEnd(width)}  ${row.description}`).join("\n");
}

function formatDetails(rows: readonly KeyHelp[]): string | null {
  if (rows.length === 0) return null;
  return rows.map((row) => `  "${row.id}": ${formatBoundKeys(row)}\n      ${row.description}`).join("\n");
}

function matchesQuery({ id, keys, description }: KeyHelp, query: string): boolean {
  return [id, ...keys, description].some((text) => text.toLowerCase().includes(query));
}

function formatBoundKeys({ keys }: KeyHelp): string {
  return keys.length === 0 ? "(no key)" : keys.join(", ");
}

/** Not to be confused with `keys.json`, which contains provider keys. */
export function keymapFile(home: string): string {
  return join(home, "keymap.json");
}

export async function readKeymap(home: string): Promise<LoadedKeymap> {
  const file = keymapFile(home);
  try {
    return parseKeymap(await readFile(file, "utf8"), file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return { keymap: defaultKeymap, customIds: [], warnings: [] };
    return { keymap: defaultKeymap, customIds: [], warnings: [`${file} cannot be read: ${message}`] };
  }
}

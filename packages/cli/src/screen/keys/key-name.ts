/** Names of keys, as the keymap file writes them: `ctrl+o`, `alt+enter`, `escape escape`. Pure. */

import { nearest } from "../../asking/nearest.ts";

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

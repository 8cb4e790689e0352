/** Decodes terminal input into key names, recognises sequences such as `escape escape`, and reads pasted lines. */

import { type ActionId, type Keymap, keyTable, ordered, usualKeymap } from "../../../settings/keymap.ts";
import { harmless } from "../../../text/safe-text.ts";
import { decodeKittyPrintable, isKeyRelease, parseKey } from "../terminal/pi-tui.ts";

/** How long the next key of a sequence may take. */
const PATIENCE_MS = 800;

const LONGEST_NAME = 40;

/** Some terminals send two at once, and then it looks like another key. */
const TWICE = new Map([["ctrl+alt+[", ["escape", "escape"]]]);

export class Presses {
  readonly #meanings = new Map<string, ActionId[]>();
  #before: { readonly key: string; readonly at: number } | null = null;

  constructor(keymap: Keymap = usualKeymap) {
    for (const { id } of keyTable)
      for (const key of keymap[id] ?? []) this.#meanings.set(key, [...(this.#meanings.get(key) ?? []), id]);
  }

  /** `act` says whether it means anything now; what meant something is no beginning of a sequence. `now` in milliseconds. */
  press(pressed: string, now: number, act: (id: ActionId) => boolean): boolean {
    // What was pasted is no key, and may be long.
    if (pressed === "" || pressed.length > LONGEST_NAME) return false;
    const key = ordered(pressed);
    const twice = this.#meanings.has(key) ? undefined : TWICE.get(key);
    if (twice) return twice.map((each) => this.#one(each, now, act)).some((isUsed) => isUsed);
    return this.#one(key, now, act);
  }

  /** What comes next is no part of a sequence. */
  forget(): void {
    this.#before = null;
  }

  #one(key: string, now: number, act: (id: ActionId) => boolean): boolean {
    const before = this.#before;
    const sequence = before && now - before.at <= PATIENCE_MS ? `${before.key} ${key}` : null;
    const meant = [...(this.#meanings.get(sequence ?? "") ?? []), ...(this.#meanings.get(key) ?? [])];
    const isUsed = meant.some(act);
    this.#before = isUsed ? null : { key, at: now };
    return isUsed;
  }
}

/**
 * Returns a name such as `up` or `ctrl+c`, or the character that was typed. Nothing for a key that is let go: some terminals tell that,
 * too, and it is no second press.
 */
export function keyOf(data: string): string {
  if (isKeyRelease(data)) return "";
  const sign = decodeKittyPrintable(data) ?? (isTyped(data) ? data : null);
  return sign ?? parseKey(data) ?? INSIDE_TMUX[data] ?? data;
}

function isTyped(data: string): boolean {
  return data.length > 0 && !/[\p{Cc}\p{Cs}]/u.test(data);
}

/** As tmux spells them, whatever the terminal around it does. */
const INSIDE_TMUX: Readonly<Record<string, string>> = { "\x1b[1~": "home", "\x1b[4~": "end" };

const BEGIN = "\x1b[200~";
const END = "\x1b[201~";
/** Nobody means more by one line. */
const MOST = 2_000;

/** Null where the key is no paste. */
export function pastedLine(key: string): string | null {
  if (!key.startsWith(BEGIN) || !key.endsWith(END)) return null;
  const text = key.slice(BEGIN.length, -END.length);
  return harmless(text.slice(0, MOST)).replaceAll(/\s+/g, " ").trim();
}

/** Decodes terminal input into key names, recognises sequences such as `escape escape`, and reads pasted lines. */

import { type ActionId, actionBindings, defaultKeymap, type Keymap, normalizeKey } from "../../../settings/keymap.ts";
import { stripControls } from "../../../text/safe-text.ts";
import { decodeKittyPrintable, isKeyRelease, parseKey } from "./pi-tui.ts";

/** How long the next key of a sequence may take. */
const SEQUENCE_TIMEOUT_MS = 800;

const MAX_KEY_NAME_CHARS = 40;

/** Some terminals send two at once, and then it looks like another key. */
const DOUBLE_KEYS = new Map([["ctrl+alt+[", ["escape", "escape"]]]);

export class KeyMatcher {
  readonly #actionsByKey = new Map<string, ActionId[]>();
  #previous: { readonly key: string; readonly at: number } | null = null;

  constructor(keymap: Keymap = defaultKeymap) {
    for (const { id } of actionBindings)
      for (const key of keymap[id] ?? []) this.#actionsByKey.set(key, [...(this.#actionsByKey.get(key) ?? []), id]);
  }

  /** `act` says whether it means anything now; what meant something is no beginning of a sequence. `now` in milliseconds. */
  handleKey(rawKey: string, nowMs: number, run: (id: ActionId) => boolean): boolean {
    // What was pasted is no key, and may be long.
    if (rawKey === "" || rawKey.length > MAX_KEY_NAME_CHARS) return false;
    const key = normalizeKey(rawKey);
    const doubleKeys = this.#actionsByKey.has(key) ? undefined : DOUBLE_KEYS.get(key);
    if (doubleKeys)
      return doubleKeys.map((singleKey) => this.#handleSingleKey(singleKey, nowMs, run)).some((isUsed) => isUsed);
    return this.#handleSingleKey(key, nowMs, run);
  }

  /** What comes next is no part of a sequence. */
  reset(): void {
    this.#previous = null;
  }

  #handleSingleKey(key: string, nowMs: number, run: (id: ActionId) => boolean): boolean {
    const previous = this.#previous;
    const sequence = previous && nowMs - previous.at <= SEQUENCE_TIMEOUT_MS ? `${previous.key} ${key}` : null;
    const actions = [...(this.#actionsByKey.get(sequence ?? "") ?? []), ...(this.#actionsByKey.get(key) ?? [])];
    const isUsed = actions.some(run);
    this.#previous = isUsed ? null : { key, at: nowMs };
    return isUsed;
  }
}

/**
 * Returns a name such as `up` or `ctrl+c`, or the character that was typed. Nothing for a key that is let go: some terminals tell that,
 * too, and it is no second press.
 */
export function decodeKey(data: string): string {
  if (isKeyRelease(data)) return "";
  const character = decodeKittyPrintable(data) ?? (isPrintable(data) ? data : null);
  return character ?? parseKey(data) ?? TMUX_KEYS[data] ?? data;
}

function isPrintable(data: string): boolean {
  return data.length > 0 && !/[\p{Cc}\p{Cs}]/u.test(data);
}

/** As tmux spells them, whatever the terminal around it does. */
const TMUX_KEYS: Readonly<Record<string, string>> = { "\x1b[1~": "home", "\x1b[4~": "end" };

const PASTE_START = "\x1b[200~";
const PASTE_END = "\x1b[201~";
/** Nobody means more by one line. */
const MAX_LINE_CHARS = 2_000;

/** Null where the key is no paste. */
export function parsePastedLine(key: string): string | null {
  if (!key.startsWith(PASTE_START) || !key.endsWith(PASTE_END)) return null;
  const text = key.slice(PASTE_START.length, -PASTE_END.length);
  return stripControls(text.slice(0, MAX_LINE_CHARS)).replaceAll(/\s+/g, " ").trim();
}

/** Decodes terminal input into key names, recognises sequences such as `escape escape`, and reads pasted lines. */

import { stripControls } from "@pith/host/text/safe-text";
import { type ActionId, actionBindings, defaultKeymap, type Keymap, normalizeKey } from "../../../settings/keymap.ts";
import { decodeKittyPrintable, isKeyRelease, parseKey } from "./pi-tui.ts";

/** The longest time between two keys of a sequence. */
const SEQUENCE_TIMEOUT_MS = 800;

const MAX_KEY_NAME_CHARS = 40;

/** Some terminals send two presses together, which are decoded as another key. */
const DOUBLE_KEYS = new Map([["ctrl+alt+[", ["escape", "escape"]]]);

export class KeyMatcher {
  readonly #actionsByKey = new Map<string, ActionId[]>();
  #previous: { readonly key: string; readonly at: number } | null = null;

  constructor(keymap: Keymap = defaultKeymap) {
    for (const { id } of actionBindings)
      for (const key of keymap[id] ?? []) this.#actionsByKey.set(key, [...(this.#actionsByKey.get(key) ?? []), id]);
  }

  /** `run` returns whether the action applies now. A key that was used does not start a sequence. */
  handleKey(rawKey: string, nowMs: number, run: (id: ActionId) => boolean): boolean {
    // Pasted text is not a key, and may be long.
    if (rawKey === "" || rawKey.length > MAX_KEY_NAME_CHARS) return false;
    const key = normalizeKey(rawKey);
    const doubleKeys = this.#actionsByKey.has(key) ? undefined : DOUBLE_KEYS.get(key);
    if (doubleKeys)
      return doubleKeys.map((singleKey) => this.#handleSingleKey(singleKey, nowMs, run)).some((isUsed) => isUsed);
    return this.#handleSingleKey(key, nowMs, run);
  }

  /** Forgets the previous key, so that the next one does not continue a sequence. */
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
 * Returns a name such as `up` or `ctrl+c`, or the typed character. Returns an empty string for a key release, which some terminals
 * report and which is not a second press.
 */
export function decodeKey(data: string): string {
  if (isKeyRelease(data)) return "";
  const character = decodeKittyPrintable(data) ?? (isPrintable(data) ? data : null);
  return character ?? parseKey(data) ?? TMUX_KEYS[data] ?? data;
}

function isPrintable(data: string): boolean {
  return data.length > 0 && !/[\p{Cc}\p{Cs}]/u.test(data);
}

/** Sequences that tmux sends, whatever the outer terminal sends. */
const TMUX_KEYS: Readonly<Record<string, string>> = { "\x1b[1~": "home", "\x1b[4~": "end" };

const PASTE_START = "\x1b[200~";
const PASTE_END = "\x1b[201~";
/** Long enough for any input of one line. */
const MAX_LINE_CHARS = 2_000;

/** Returns null if the key is not a paste. */
export function parsePastedLine(key: string): string | null {
  if (!key.startsWith(PASTE_START) || !key.endsWith(PASTE_END)) return null;
  const text = key.slice(PASTE_START.length, -PASTE_END.length);
  return stripControls(text.slice(0, MAX_LINE_CHARS)).replaceAll(/\s+/g, " ").trim();
}

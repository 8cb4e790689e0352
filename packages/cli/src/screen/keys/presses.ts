/** Keys as they are pressed one after the other, and what each may mean: `escape escape` is more than two of them. */

import { ordered } from "./key-name.ts";
import { type ActionId, keyTable } from "./key-table.ts";
import { type Keymap, usualKeymap } from "./keymap.ts";

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

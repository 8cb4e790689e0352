/** Models a provider's prompt cache: counts the tokens that each request reads from it and writes to it. */

import { createHash } from "node:crypto";
import type { CacheRules, Prompt } from "./protocols/protocol.ts";
import { tokensIn } from "./tokens.ts";

/** A position up to which a prompt can be recognised: behind every piece, or every so many tokens. */
export interface Place {
  /** Of everything up to here. */
  readonly hash: string;
  readonly tokens: number;
  readonly keptFor: number | null;
  /** Which one it is when somebody looks back. */
  readonly position: number;
}

/** Tools and system come first: the settings count from the first message on. */
export function placesByPiece({ pieces, settings }: Prompt, of: string): readonly Place[] {
  let hash = of;
  let bytes = 0;
  let position = 0;
  return pieces.map(({ level, text, keptFor, run }, at) => {
    if (run === undefined || pieces[at - 1]?.run !== run) position += 1;
    const isFirstMessage = level === "messages" && pieces[at - 1]?.level !== "messages";
    hash = hashed(hash, isFirstMessage ? settings : "", text);
    bytes += Buffer.byteLength(text);
    return { hash, tokens: tokensIn(bytes), keptFor, position };
  });
}

export function placesByStep(
  prompt: Prompt,
  { of, step }: { readonly of: string; readonly step: number },
): readonly Place[] {
  // Nothing stands between the pieces: the steps must not count more than the prompt does.
  const bytes = Buffer.from(prompt.pieces.map(({ text }) => text).join(""));
  let hash = hashed(of, prompt.settings, "");
  return Array.from({ length: Math.floor(bytes.length / (step * 4)) }, (_, at) => {
    hash = hashed(hash, "", bytes.subarray(at * step * 4, (at + 1) * step * 4));
    return { hash, tokens: (at + 1) * step, keptFor: null, position: at };
  });
}

function hashed(before: string, settings: string, text: string | Uint8Array): string {
  return createHash("sha256").update(`${before}\n${settings}\n`).update(text).digest("base64");
}

export interface Kept {
  readonly read: number;
  readonly written: number;
}

/** Lives as long as the server: prefixes by hash, each with the moment at which it is forgotten. */
export class CacheLedger {
  readonly #now: () => number;
  readonly #prefixes = new Map<string, { readonly until: number; readonly seconds: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** What this request reads and writes; `of` tells models apart. */
  ask(prompt: Prompt, { of, rules }: { readonly of: string; readonly rules: CacheRules }): Kept {
    if (rules.keeps === "marks") return this.#byMarks(placesByPiece(prompt, of), rules.least);
    return this.#byPrefixes(placesByStep(prompt, { of, step: rules.step }), rules);
  }

  #byMarks(places: readonly Place[], least: number): Kept {
    const marked = places.flatMap((place, at) => (place.keptFor === null || place.tokens < least ? [] : [at]));
    const found = marked.flatMap((at) => this.#newest(seenFrom(places, at)) ?? []);
    const read = Math.max(0, ...found.map(({ tokens }) => tokens));
    for (const { hash } of found) this.#keep(hash, 0);
    const kept = marked.map((at) => places[at]).filter((place) => place !== undefined);
    for (const { hash, keptFor } of kept) this.#keep(hash, keptFor ?? 0);
    return { read, written: Math.max(0, (kept.at(-1)?.tokens ?? 0) - read) };
  }

  #byPrefixes(places: readonly Place[], { least, seconds }: CacheRules): Kept {
    const read = this.#newest(places)?.tokens ?? 0;
    for (const { hash } of places) this.#keep(hash, seconds);
    return { read: read >= least ? read : 0, written: 0 };
  }

  #newest(places: readonly Place[]): Place | undefined {
    return places.findLast(({ hash }) => (this.#prefixes.get(hash)?.until ?? 0) > this.#now());
  }

  /** What was once kept for longer stays so while it is known. */
  #keep(hash: string, seconds: number): void {
    const known = this.#prefixes.get(hash);
    const longest = known && known.until > this.#now() ? Math.max(seconds, known.seconds) : seconds;
    this.#prefixes.set(hash, { until: this.#now() + longest * 1000, seconds: longest });
  }
}

function seenFrom(places: readonly Place[], mark: number): readonly Place[] {
  const first = (places[mark]?.position ?? 0) - LOOK_BACK + 1;
  return places.slice(0, mark + 1).filter(({ position }) => position >= first);
}

/** Positions at which a provider looks from a mark, its own included. */
const LOOK_BACK = 20;

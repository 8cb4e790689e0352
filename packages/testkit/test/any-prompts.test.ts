/** Compares the prompt cache with a naive model that stores whole prompts and compares them byte by byte. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { type CacheUsage, PromptCache } from "../src/prompt-cache.ts";
import type { CacheRules, Prompt, PromptBlock } from "../src/protocols/protocol.ts";
import { bytesToTokens, countPromptTokens } from "../src/tokens.ts";

interface Request {
  readonly prompt: Prompt;
  readonly of: string;
  /** Seconds since the previous request. */
  readonly later: number;
}

const marks: CacheRules = { cachedBy: "marks", minTokens: 8, stepTokens: 1, ttlSeconds: 300 };
const prefixes: CacheRules = { cachedBy: "prefixes", minTokens: 8, stepTokens: 4, ttlSeconds: 600 };

test("KIT4 any prompts, by marks: the cache reads and writes what the naive model does", () => {
  fc.assert(
    fc.property(
      requests(),
      (requestList) => void expect(countWithCache(requestList, marks)).toEqual(naiveMarks(requestList)),
    ),
    { numRuns: 500 },
  );
});

test("KIT4 any prompts, by prefixes: the cache reads what the naive model does", () => {
  fc.assert(
    fc.property(
      requests(),
      (requestList) => void expect(countWithCache(requestList, prefixes)).toEqual(naivePrefixes(requestList)),
    ),
    { numRuns: 500 },
  );
});

test("KIT4 any prompts: no count is negative, and every token is counted once", () => {
  const sane = (requestList: readonly Request[], rules: CacheRules) =>
    countWithCache(requestList, rules).every(({ read, written }, at) => {
      const tokens = countPromptTokens((requestList[at] as Request).prompt);
      return read >= 0 && written >= 0 && read + written <= tokens;
    });
  fc.assert(fc.property(requests(), fc.constantFrom(marks, prefixes), sane), { numRuns: 500 });
});

type Drawn = Pick<PromptBlock, "text" | "keptFor">;

/** Uses few letters and short texts, so that prompts often share a prefix. Most prompts extend the previous one. */
function requests(): fc.Arbitrary<readonly Request[]> {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "ü"), minLength: 1, maxLength: 30 });
  // Marks are far apart, so that some are just beyond the look-back limit.
  const keptFor = fc.oneof(
    { weight: 15, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom(300, 3600) },
  );
  const piece: fc.Arbitrary<Drawn> = fc.record({ text, keptFor });
  const faraway: fc.Arbitrary<readonly Drawn[]> = fc
    .array(text, { minLength: 18, maxLength: 23 })
    .map((texts) => texts.map((each, at) => ({ text: each, keptFor: at === texts.length - 1 ? 300 : null })));
  const one = fc.record({
    keep: fc.nat({ max: 40 }),
    more: fc.oneof<fc.Arbitrary<readonly Drawn[]>[]>(fc.array(piece, { maxLength: 30 }), faraway),
    head: fc.array(piece, { maxLength: 2 }),
    isNewHead: fc.boolean(),
    settings: fc.constantFrom("", "", "thinks"),
    of: fc.constantFrom("one", "one", "two"),
    later: fc.constantFrom(0, 200, 299, 300, 3000, 4000),
  });
  return fc.array(one, { minLength: 1, maxLength: 8 }).map((steps) => {
    let head: readonly PromptBlock[] = [];
    let talk: readonly PromptBlock[] = [];
    return steps.map((step) => {
      if (step.isNewHead)
        head = step.head.map((each, at) => ({ ...each, level: at === 0 ? "tools" : "system" }) as const);
      const kept = talk.slice(0, step.keep).map((each) => ({ ...each, keptFor: null }));
      talk = [...kept, ...step.more.map((each) => ({ ...each, level: "messages" }) as const)];
      return { prompt: { pieces: [...head, ...talk], settings: step.settings }, of: step.of, later: step.later };
    });
  });
}

function countWithCache(requestList: readonly Request[], rules: CacheRules): readonly CacheUsage[] {
  let now = 0;
  const ledger = new PromptCache(() => now);
  return requestList.map(({ prompt, of, later }) => {
    now += later * 1000;
    return ledger.countUsage(prompt, { modelKey: of, rules });
  });
}

interface Known {
  readonly words: string;
  readonly seconds: number;
  until: number;
}

function naiveMarks(requestList: readonly Request[]): readonly CacheUsage[] {
  const known: Known[] = [];
  let now = 0;
  return requestList.map(({ prompt: { pieces, settings }, of, later }) => {
    now += later;
    const upTo = (at: number) => prefixKey(pieces.slice(0, at + 1), settings, of);
    const tokens = (at: number) =>
      bytesToTokens(
        Buffer.byteLength(
          pieces
            .slice(0, at + 1)
            .map(({ text }) => text)
            .join(""),
        ),
      );
    const asks = pieces.flatMap(({ keptFor }, at) => (keptFor !== null && tokens(at) >= 8 ? [at] : []));
    const living = known.filter(({ until }) => until > now);
    const reads = asks.flatMap((mark) => {
      for (let at = mark; at >= Math.max(0, mark - 19); at -= 1)
        if (living.some(({ words }) => words === upTo(at))) return [at];
      return [];
    });
    for (const at of reads) for (const each of living) if (each.words === upTo(at)) each.until = now + each.seconds;
    for (const at of asks)
      known.push({ words: upTo(at), seconds: pieces[at]?.keptFor ?? 0, until: now + (pieces[at]?.keptFor ?? 0) });
    const read = Math.max(0, ...reads.map(tokens));
    const last = asks.at(-1);
    return { read, written: Math.max(0, (last === undefined ? 0 : tokens(last)) - read) };
  });
}

/** The settings are included only if there is a message. */
function prefixKey(pieces: readonly PromptBlock[], settings: string, of: string): string {
  const hasMessages = pieces.some(({ level }) => level === "messages");
  return JSON.stringify([
    of,
    hasMessages ? settings : "",
    pieces.map(({ level, text }) => [level === "messages", text]),
  ]);
}

function naivePrefixes(requestList: readonly Request[]): readonly CacheUsage[] {
  const known: { readonly of: string; readonly bytes: Buffer; readonly at: number }[] = [];
  let now = 0;
  return requestList.map(({ prompt: { pieces, settings }, of, later }) => {
    now += later;
    const bytes = Buffer.from(pieces.map(({ text }) => text).join(""));
    const key = JSON.stringify([of, settings]);
    const living = known.filter((each) => each.of === key && now - each.at < 600);
    const steps = Math.max(
      0,
      ...living.map((each) => sameBytes(each.bytes, bytes)).map((same) => Math.floor(same / 16)),
    );
    known.push({ of: key, bytes, at: now });
    return { read: steps * 4 >= 8 ? steps * 4 : 0, written: 0 };
  });
}

function sameBytes(one: Buffer, other: Buffer): number {
  const most = Math.min(one.length, other.length);
  for (let at = 0; at < most; at += 1) if (one[at] !== other[at]) return at;
  return most;
}

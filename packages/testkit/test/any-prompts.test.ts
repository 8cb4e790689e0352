/** Compares the prompt cache with a naive model that stores whole prompts and compares them byte by byte. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { type CacheUsage, PromptCache } from "../src/prompt-cache.ts";
import type { CacheRules, Prompt, PromptBlock } from "../src/protocols/protocol.ts";
import { bytesToTokens, countPromptTokens } from "../src/tokens.ts";

interface Request {
  readonly prompt: Prompt;
  readonly modelKey: string;
  /** Seconds since the previous request. */
  readonly secondsLater: number;
}

const marks: CacheRules = { cachedBy: "marks", minTokens: 8, stepTokens: 1, ttlSeconds: 300 };
const prefixes: CacheRules = { cachedBy: "prefixes", minTokens: 8, stepTokens: 4, ttlSeconds: 600 };

test("KIT4 for any prompts with cache marks, the cache reads and writes the same as a simple model", () => {
  fc.assert(
    fc.property(
      requests(),
      (requestList) => void expect(countWithCache(requestList, marks)).toEqual(naiveMarks(requestList)),
    ),
    { numRuns: 500 },
  );
});

test("KIT4 for any prompts without cache marks, the cache reads the same as a simple model", () => {
  fc.assert(
    fc.property(
      requests(),
      (requestList) => void expect(countWithCache(requestList, prefixes)).toEqual(naivePrefixes(requestList)),
    ),
    { numRuns: 500 },
  );
});

test("KIT4 for any prompts, no count is negative, and every token is counted once", () => {
  const areCountsValid = (requestList: readonly Request[], rules: CacheRules) =>
    countWithCache(requestList, rules).every(({ read, written }, index) => {
      const tokens = countPromptTokens((requestList[index] as Request).prompt);
      return read >= 0 && written >= 0 && read + written <= tokens;
    });
  fc.assert(fc.property(requests(), fc.constantFrom(marks, prefixes), areCountsValid), { numRuns: 500 });
});

type DrawnBlock = Pick<PromptBlock, "text" | "ttlSeconds">;

/** Uses few letters and short texts, so that prompts often share a prefix. Most prompts extend the previous one. */
function requests(): fc.Arbitrary<readonly Request[]> {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "ü"), minLength: 1, maxLength: 30 });
  // Marks are far apart, so that some are just beyond the look-back limit.
  const ttlSeconds = fc.oneof(
    { weight: 15, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom(300, 3600) },
  );
  const piece: fc.Arbitrary<DrawnBlock> = fc.record({ text, ttlSeconds });
  const distantMark: fc.Arbitrary<readonly DrawnBlock[]> = fc
    .array(text, { minLength: 18, maxLength: 23 })
    .map((texts) => texts.map((each, index) => ({ text: each, ttlSeconds: index === texts.length - 1 ? 300 : null })));
  const arbitraryRequest = fc.record({
    keep: fc.nat({ max: 40 }),
    more: fc.oneof<fc.Arbitrary<readonly DrawnBlock[]>[]>(fc.array(piece, { maxLength: 30 }), distantMark),
    head: fc.array(piece, { maxLength: 2 }),
    isNewHead: fc.boolean(),
    settings: fc.constantFrom("", "", "thinks"),
    modelKey: fc.constantFrom("one", "one", "two"),
    secondsLater: fc.constantFrom(0, 200, 299, 300, 3000, 4000),
  });
  return fc.array(arbitraryRequest, { minLength: 1, maxLength: 8 }).map((steps) => {
    let head: readonly PromptBlock[] = [];
    let messages: readonly PromptBlock[] = [];
    return steps.map((step) => {
      if (step.isNewHead)
        head = step.head.map((each, index) => ({ ...each, level: index === 0 ? "tools" : "system" }) as const);
      const previousMessages = messages.slice(0, step.keep).map((each) => ({ ...each, ttlSeconds: null }));
      messages = [...previousMessages, ...step.more.map((each) => ({ ...each, level: "messages" }) as const)];
      return {
        prompt: { blocks: [...head, ...messages], settings: step.settings },
        modelKey: step.modelKey,
        secondsLater: step.secondsLater,
      };
    });
  });
}

function countWithCache(requestList: readonly Request[], rules: CacheRules): readonly CacheUsage[] {
  let now = 0;
  const cache = new PromptCache(() => now);
  return requestList.map(({ prompt, modelKey, secondsLater }) => {
    now += secondsLater * 1000;
    return cache.countUsage(prompt, { modelKey, rules });
  });
}

interface StoredPrefix {
  readonly prefix: string;
  readonly seconds: number;
  until: number;
}

function naiveMarks(requestList: readonly Request[]): readonly CacheUsage[] {
  const storedPrefixes: StoredPrefix[] = [];
  let now = 0;
  return requestList.map(({ prompt: { blocks, settings }, modelKey, secondsLater }) => {
    now += secondsLater;
    const prefixUpTo = (index: number) => prefixKey(blocks.slice(0, index + 1), settings, modelKey);
    const tokens = (index: number) =>
      bytesToTokens(
        Buffer.byteLength(
          blocks
            .slice(0, index + 1)
            .map(({ text }) => text)
            .join(""),
        ),
      );
    const markIndexes = blocks.flatMap(({ ttlSeconds }, index) =>
      ttlSeconds !== null && tokens(index) >= 8 ? [index] : [],
    );
    const livePrefixes = storedPrefixes.filter(({ until }) => until > now);
    const readIndexes = markIndexes.flatMap((mark) => {
      for (let index = mark; index >= Math.max(0, mark - 19); index -= 1)
        if (livePrefixes.some(({ prefix }) => prefix === prefixUpTo(index))) return [index];
      return [];
    });
    for (const index of readIndexes)
      for (const each of livePrefixes) if (each.prefix === prefixUpTo(index)) each.until = now + each.seconds;
    for (const index of markIndexes)
      storedPrefixes.push({
        prefix: prefixUpTo(index),
        seconds: blocks[index]?.ttlSeconds ?? 0,
        until: now + (blocks[index]?.ttlSeconds ?? 0),
      });
    const read = Math.max(0, ...readIndexes.map(tokens));
    const last = markIndexes.at(-1);
    return { read, written: Math.max(0, (last === undefined ? 0 : tokens(last)) - read) };
  });
}

/** The settings are included only if there is a message. */
function prefixKey(blocks: readonly PromptBlock[], settings: string, modelKey: string): string {
  const hasMessages = blocks.some(({ level }) => level === "messages");
  return JSON.stringify([
    modelKey,
    hasMessages ? settings : "",
    blocks.map(({ level, text }) => [level === "messages", text]),
  ]);
}

function naivePrefixes(requestList: readonly Request[]): readonly CacheUsage[] {
  const storedPrefixes: { readonly modelKey: string; readonly bytes: Buffer; readonly storedAt: number }[] = [];
  let now = 0;
  return requestList.map(({ prompt: { blocks, settings }, modelKey, secondsLater }) => {
    now += secondsLater;
    const bytes = Buffer.from(blocks.map(({ text }) => text).join(""));
    const key = JSON.stringify([modelKey, settings]);
    const livePrefixes = storedPrefixes.filter((each) => each.modelKey === key && now - each.storedAt < 600);
    const steps = Math.max(
      0,
      ...livePrefixes.map((each) => sameBytes(each.bytes, bytes)).map((sharedBytes) => Math.floor(sharedBytes / 16)),
    );
    storedPrefixes.push({ modelKey: key, bytes, storedAt: now });
    return { read: steps * 4 >= 8 ? steps * 4 : 0, written: 0 };
  });
}

function sameBytes(arbitraryRequest: Buffer, other: Buffer): number {
  const length = Math.min(arbitraryRequest.length, other.length);
  for (let index = 0; index < length; index += 1) if (arbitraryRequest[index] !== other[index]) return index;
  return length;
}

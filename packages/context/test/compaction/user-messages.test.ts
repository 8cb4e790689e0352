/** Proves what stays of what the user wrote, and what goes first. */

import { describe, expect, test } from "vitest";
import { type KeptWords, keptWords, type WordsBlock, type WordsParts } from "../../src/compaction/user-messages.ts";
import type { Entry } from "../../src/entry.ts";
import { story } from "../../src/testing/story.ts";
import { textTokens } from "../../src/tokens/estimate-tokens.ts";

const words = (count: number): string => Array.from({ length: count }, (_, at) => `word${at}`).join(" ");
const block = (text: string): WordsBlock => ({ text, tokens: textTokens(text) });
const kept = (covered: readonly Entry[], parts: Partial<WordsParts> = {}): KeptWords =>
  keptWords({ before: [], covered, edits: [], tokens: 1000, ...parts });

describe("the user's words", () => {
  test("KEEP2 stand in one block, oldest first, each under the handle of its entry", () => {
    const { blocks, evicted } = kept(story("user: use tabs", "says: fine", "user: and no\nsemicolons ", "says: fine"));
    expect(blocks.map(({ text }) => text)).toEqual([
      "What the user wrote, word for word:\n\n[entry:e1]\nuse tabs\n\n[entry:e3]\nand no\nsemicolons \n\n",
    ]);
    expect(evicted).toEqual([]);
  });

  test("KEEP3 are only what a person typed", () => {
    const covered = story(
      "note: from a program",
      "bash: ls -> user: me",
      "calls: read",
      "result: user: me too",
      "left e1: he said so",
    );
    expect(kept(covered).blocks).toEqual([]);
    const [typed] = story("user: by hand");
    const message = { role: "user", content: "by a program", timestamp: 1, pith: { from: "program" } };
    expect(kept([{ ...typed, message } as Entry]).blocks).toEqual([]);
  });

  test("KEEP2 KEEP6 earlier blocks stay as they are, before the new one", () => {
    const before = [block("one"), block("two")];
    const { blocks } = kept(story("user: three"), { before });
    expect(blocks.slice(0, 2)).toEqual(before);
    expect(blocks).toHaveLength(3);
    expect(kept(story("says: nothing typed"), { before }).blocks).toEqual(before);
  });

  test("KEEP2 without room the oldest blocks go, as a whole, and it is said", () => {
    const before = [block(words(100)), block(words(100)), block("short")];
    const { blocks, evictedBlocks } = kept(story(`user: ${words(50)}`), { before, tokens: 400 });
    expect(blocks).toHaveLength(3);
    expect(blocks[0]).toBe(before[1]);
    expect(evictedBlocks).toBe(1);
    expect(blocks.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(400);
  });

  test("KEEP2 without room in the new block the oldest messages are left out, and named", () => {
    const covered = story(...Array.from({ length: 20 }, (_, at) => `user: ${at} ${words(30)}`));
    const { blocks, evicted } = kept(covered, { tokens: 600 });
    expect(blocks[0]?.text).toContain("[entry:e20]");
    expect(evicted.length).toBeGreaterThan(0);
    expect(evicted).toEqual(covered.slice(0, evicted.length).map(({ id }) => id));
    expect(blocks[0]?.tokens).toBeLessThanOrEqual(600);
  });

  test("KEEP2 a long paste does not push out a short rule before it", () => {
    const covered = story("user: use tabs", `user: ${words(500)}`, `user: ${words(500)}`);
    const { blocks } = kept(covered, { tokens: 300 });
    expect(blocks[0]?.text).toContain("\n[entry:e1]\nuse tabs\n");
  });

  test("KEEP2 a very long one stays as head, tail and handle", () => {
    const { blocks, shortened } = kept(story(`user: ${words(9000)}`), { tokens: 20_000 });
    expect(shortened).toEqual(["e1"]);
    expect(blocks[0]?.tokens).toBeLessThan(2100);
    expect(blocks[0]?.text).toContain("entry:e1 opens all of it");
  });

  test("KEEP2 CTX3 are those that the context has: what an edit removed or changed does not come back", () => {
    const covered = story("user: one", "user: two", "user: three", "drops e1", "edits e2: changed");
    const edits = covered.filter((entry) => entry.type === "context_edit");
    expect(kept(covered, { edits }).blocks.map(({ text }) => text)).toEqual([
      "What the user wrote, word for word:\n\n[entry:e2]\nchanged\n\n[entry:e3]\nthree\n\n",
    ]);
  });
});

/** Tests context/context-size.ts: the size of a context and of its entries. */

import { describe, expect, test } from "vitest";
import { buildSessionContext } from "../../src/context/build-context.ts";
import { contextSize, entryBytes, entryTokens } from "../../src/context/context-size.ts";
import { convertToLlm } from "../../src/context/convert-to-llm.ts";
import type { Entry } from "../../src/entry.ts";
import type { Message, SystemMessage } from "../../src/message.ts";
import type { ModelName } from "../../src/model.ts";
import { appendToBranch, type LoadedBranch, loadBranch } from "../../src/session/loaded-branch.ts";
import { story } from "../../src/testing/story.ts";
import { messageBytes, messageTokens } from "../../src/tokens/estimate-tokens.ts";
import { expectFasterThan } from "../support/expect-speed.ts";
import { loadedBranchAt, mapReplies, otherModel, storyModel, withUsages } from "../support/story-context.ts";

describe("context size", () => {
  const sent = (window: LoadedBranch, to?: ModelName): readonly Message[] =>
    convertToLlm(buildSessionContext(window).messages, to);
  const tokensOf = (messages: readonly Message[]): number =>
    messages.reduce((sum, message) => sum + messageTokens(message), 0);

  describe("with a measured reply", () => {
    const entries = story("user: one", "says: two", "user: three, and much more of it", "note: four");
    const window = loadBranch(withUsages(entries, { e2: { input: 400, output: 100, totalTokens: 500 } }));

    test("TOK1 the size is the reported tokens plus an estimate of later entries", () => {
      const since = tokensOf(sent(window).slice(2));
      expect(contextSize(window, { model: storyModel })).toMatchObject({
        measured: 500,
        estimated: since,
        tokens: 500 + since,
      });
      expect(contextSize(window)).toEqual(contextSize(window, { model: storyModel }));
    });

    test("TOK1 right after the reply the size is the reported tokens", () => {
      const reply = loadBranch(window.entries.slice(0, 2));
      expect(contextSize(reply)).toMatchObject({ tokens: 500, measured: 500, estimated: 0 });
    });

    test("TOK1 a usage without a total is the sum of its parts", () => {
      const usage = { input: 1, output: 20, cacheRead: 300, cacheWrite: 4000 };
      expect(contextSize(loadBranch(withUsages(entries, { e2: usage }))).measured).toBe(4321);
    });

    test("TOK1 a placeholder for a missing result is counted", () => {
      const called = story("user: one", "calls: read path=a; read path=b", "result c1: found", "user: go on");
      const open = loadBranch(withUsages(called, { e2: { totalTokens: 500 } }));
      expect(sent(open)).toHaveLength(5);
      expect(contextSize(open).estimated).toBe(tokensOf(sent(open).slice(2)));
    });

    test("TOK1 replies that are not sent do not count as measured", () => {
      const failed = story(
        "user: one",
        "says: two",
        "user: three",
        "fails to answer: busy",
        "stops: half",
        "user: four",
      );
      const tried = loadBranch(withUsages(failed, { e2: { totalTokens: 500 } }));
      expect(contextSize(tried).estimated).toBe(tokensOf(sent(tried).slice(2)));
    });

    test("TOK1 other branches do not count", () => {
      const branched = withUsages(
        story("user: one", "says: two", "user: long ago", "says: elsewhere", "moves: e2", "user: back"),
        {
          e2: { totalTokens: 500 },
          e4: { totalTokens: 90_000 },
        },
      );
      expect(contextSize(loadedBranchAt(branched)).measured).toBe(500);
    });
  });

  describe("usage that is ignored", () => {
    const branchEntries = story("user: one", "says: two", "user: three", "says: four", "user: five");
    const both = { e2: { totalTokens: 500 }, e4: { totalTokens: 700 } };
    const measuredAt = (entries: readonly Entry[], to?: ModelName): number =>
      contextSize(loadedBranchAt(entries), to ? { model: to } : {}).measured;

    test("TOK2 usage of zero, and values that are not numbers", () => {
      expect(measuredAt(withUsages(branchEntries, both))).toBe(700);
      expect(measuredAt(withUsages(branchEntries, { ...both, e4: {} }))).toBe(500);
      for (const wrong of [Number.NaN, -5, Number.POSITIVE_INFINITY, "700", null])
        expect(measuredAt(withUsages(branchEntries, { ...both, e4: { totalTokens: wrong as number } }))).toBe(500);
      const without = mapReplies(withUsages(branchEntries, both), (reply, id) => ({
        ...reply,
        usage: (id === "e4" ? null : reply.usage) as never,
      }));
      expect(measuredAt(without)).toBe(500);
    });

    test.each(["error", "aborted"] as const)("TOK2 usage of a reply that ended as %s", (stopReason) => {
      const ended = mapReplies(withUsages(branchEntries, both), (reply, id) =>
        id === "e4" ? { ...reply, stopReason } : reply,
      );
      expect(measuredAt(ended)).toBe(500);
    });

    test("TOK2 usage of another model", () => {
      const mixed = mapReplies(withUsages(branchEntries, both), (reply, id) =>
        id === "e4" ? { ...reply, ...otherModel } : reply,
      );
      expect(measuredAt(mixed, storyModel)).toBe(500);
      expect(measuredAt(mixed, otherModel)).toBe(700);
      expect(measuredAt(mixed)).toBe(700);
      expect(measuredAt(withUsages(branchEntries, both), otherModel)).toBe(0);
    });

    test("TOK2 usage from before a compaction, even of a kept reply", () => {
      const compacted = story(
        "user: one",
        "says: two",
        "user: three",
        "says: four",
        "compacts: earlier, keeps e3",
        "user: six",
      );
      expect(measuredAt(withUsages(compacted, both))).toBe(0);
      const answered = story("user: one", "says: two", "compacts: earlier, keeps e1", "says: four", "user: six");
      expect(measuredAt(withUsages(answered, both))).toBe(700);
    });

    test("TOK2 usage from before an edit", () => {
      const edited = story("user: one", "says: two", "user: three", "edits e1: less", "user: five");
      expect(measuredAt(withUsages(edited, both))).toBe(0);
      const answered = story("user: one", "says: two", "edits e1: less", "says: four", "user: five");
      expect(measuredAt(withUsages(answered, both))).toBe(700);
    });

    test("TOK6 a size without a measured reply is marked as an estimate until the next reply (B12)", () => {
      const entries = story(
        "user: one",
        "says: two",
        "user: three",
        "compacts: earlier, keeps e3",
        "user: five",
        "says: six",
        "edits e5: less",
        "says: eight",
        "fails to answer: busy",
      );
      const usage = { totalTokens: 500 };
      const all = withUsages(entries, { e2: usage, e6: usage, e8: usage });
      const estimates = all.map(
        (_, at) => contextSize(loadBranch(all.slice(0, at + 1)), { model: storyModel }).isEstimate,
      );
      expect(estimates).toEqual([true, false, false, true, true, false, true, false, false]);
      expect(contextSize(loadBranch(all), { model: otherModel }).isEstimate).toBe(true);
      expect(contextSize(loadBranch(all.slice(0, 4))).tokens).toBeGreaterThan(0);
    });

    test("TOK2 timestamps do not matter and may run backwards", () => {
      const backwards = withUsages(branchEntries, both).map((entry, at) => ({
        ...entry,
        timestamp: new Date(9e11 - at * 1e9).toISOString(),
      }));
      expect(contextSize(loadBranch(backwards)).measured).toBe(700);
    });
  });

  describe("without usage", () => {
    const system: SystemMessage = {
      role: "system",
      content: "You are a careful programmer.",
      sections: { rules: "Read before you write." },
      toolsAdded: [{ name: "read", description: "Reads a file.", parameters: { type: "object" } }],
      timestamp: 0,
    };
    const [first, ...rest] = story("system: x", "user: one", "calls: read path=a", "user: two");
    const window = loadBranch([{ ...first, message: system } as Entry, ...rest]);

    test("TOK3 everything that is sent is estimated, system prompt and tools included", () => {
      const all = tokensOf(sent(window));
      expect(contextSize(window)).toMatchObject({
        tokens: all,
        measured: 0,
        estimated: all,
        fixed: messageTokens(system),
      });
    });

    test("TOK3 tokens outside the log are added if they are given", () => {
      const { tokens, fixed } = contextSize(window);
      expect(contextSize(window, { fixed: 900 })).toMatchObject({ tokens: tokens + 900, fixed: fixed + 900 });
    });

    test("TOK3 a measured reply already includes them", () => {
      const answered = loadBranch(withUsages(story("user: one", "says: two"), { e2: { totalTokens: 500 } }));
      expect(contextSize(answered, { fixed: 495 })).toMatchObject({ tokens: 500, fixed: 495 });
    });

    test("TOK3 the given number holds until a reply reports more", () => {
      const answered = loadBranch(withUsages(story("user: one", "says: two"), { e2: { totalTokens: 500 } }));
      expect(contextSize(answered, { fixed: 10 }).fixed).toBeGreaterThan(450);
    });

    test("TOK3 the system message of a compaction replaces the earlier ones", () => {
      const [user] = story("user: one");
      const compacted = loadBranch([
        { ...first, message: system } as Entry,
        { ...user, id: "u", parentId: first?.id ?? null } as Entry,
        {
          type: "compaction",
          id: "c",
          parentId: "u",
          timestamp: "",
          summary: "earlier",
          firstKeptEntryId: first?.id ?? "",
          tokensBefore: 9,
          systemMessage: system,
        },
      ]);
      expect(contextSize(compacted).estimated).toBe(tokensOf(sent(compacted)));
      expect(contextSize(compacted).fixed).toBe(messageTokens(system));
    });

    test("TOK1 an empty branch has size zero", () => {
      expect(contextSize(loadBranch([]))).toEqual({
        ...{ tokens: 0, isEstimate: true, measured: 0, estimated: 0, fixed: 0, bytes: 0 },
      });
    });
  });

  test("TOK1 bytes are those of all messages after edits", () => {
    const long = `user: ${"word ".repeat(500)}`;
    const whole = loadBranch(story(long, "says: two"));
    expect(contextSize(whole).bytes).toBe(sent(whole).reduce((sum, message) => sum + messageBytes(message), 0));
    const edited = loadBranch(story(long, "says: two", "edits e1: short", "edits e1: shorter still"));
    expect(contextSize(edited).bytes).toBe(sent(edited).reduce((sum, message) => sum + messageBytes(message), 0));
  });

  test("TOK1 the sizes of the entries add up to that of the context", () => {
    const fit = { factor: 1, overhead: 0, samples: 0 };
    const entries = story(
      "user: one",
      "calls: read path=a",
      "result: found",
      "bash: ls -> a b",
      "names: x",
      "says: done",
    );
    const window = loadBranch(entries);
    expect(entries.reduce((sum, entry) => sum + entryTokens(entry, undefined, fit), 0)).toBe(
      contextSize(window).tokens,
    );
    expect(entries.reduce((sum, entry) => sum + entryBytes(entry, undefined), 0)).toBe(contextSize(window).bytes);
    expect(entryTokens(entries[0] as Entry, undefined, { ...fit, factor: 2 })).toBe(
      2 * entryTokens(entries[0] as Entry, undefined, fit),
    );
  });

  describe("a branch that grows", () => {
    const lines = [
      "user: one",
      "calls: read path=a",
      "result: found",
      "says: done",
      "user: more",
      "edits e3: less",
      "calls: read path=b",
      "result: found again",
      "says: well",
      "compacts: all that, keeps e5",
      "user: next",
      "says: yes",
    ];
    const entries = withUsages(story(...lines), {
      e4: { totalTokens: 400 },
      e7: { totalTokens: 900 },
      e12: { totalTokens: 300 },
    });

    test("TOK1 has the same size as a newly loaded branch", () => {
      let window = loadBranch([]);
      for (const entry of entries) {
        window = appendToBranch(window, [entry]);
        const anew = loadBranch(structuredClone(entries.slice(0, entries.indexOf(entry) + 1)) as Entry[]);
        expect(contextSize(window)).toEqual(contextSize(anew));
      }
    });

    test("TOK1 into two branches has the right size on each", () => {
      const start = loadBranch(entries.slice(0, 4));
      const [one, other] = [story("user: this way"), story("user: or, to say a little more, that way")].map((more) =>
        appendToBranch(start, more),
      );
      const sizes = [one, other, one].map((window) => contextSize(window as LoadedBranch));
      expect(sizes[0]).toEqual(sizes[2]);
      expect(sizes[1]?.tokens).toBeGreaterThan(sizes[0]?.tokens ?? 0);
    });

    test("TOK1 needs the same time per entry, however long it is", () => {
      const turn = story("user: one", "says: two");
      const long = Array.from({ length: 10_000 }, (_, at) => ({
        ...turn[at % 2],
        id: `x${at}`,
        parentId: at ? `x${at - 1}` : null,
      }));
      // A single call that reads the whole branch takes as long as these hundred.
      expectFasterThan(55, () => {
        let window = loadBranch(withUsages(long as Entry[], { x9999: { totalTokens: 900 } }));
        contextSize(window);
        return () => {
          for (let at = 0; at < 100; at++) {
            const parentId = window.entries.at(-1)?.id ?? null;
            window = appendToBranch(window, [{ ...turn[0], id: `y${at}`, parentId } as Entry]);
            contextSize(window);
          }
        };
      });
    });
  });
});

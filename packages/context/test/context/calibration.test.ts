/** Tests context/calibration.ts: what is learned from the replies of a branch and stored in a compaction. */

import { describe, expect, test } from "vitest";
import { type Calibration, findCalibration, type ModelCalibration } from "../../src/context/calibration.ts";
import { collectCalibration, contextSize, entryTokens } from "../../src/context/context-size.ts";
import type { Entry } from "../../src/entry.ts";
import type { AssistantMessage } from "../../src/message.ts";
import type { ModelName } from "../../src/model.ts";
import { loadBranch } from "../../src/session/loaded-branch.ts";
import { story } from "../../src/testing/story.ts";
import { mapReplies, otherModel, storyModel } from "../support/story-context.ts";

describe("calibration", () => {
  const plain: ModelCalibration = { factor: 1, overhead: 0, samples: 0 };
  const NAME = "anthropic/storyteller";

  interface Counting {
    readonly factor: number;
    readonly overhead: number;
    readonly by?: ModelName;
  }

  /** The replies of a conversation with a model that counts tokens with this function. */
  function countedBy(entries: readonly Entry[], { factor, overhead, by = storyModel }: Counting): readonly Entry[] {
    const upTo = (id: string): number => {
      const at = entries.findIndex((entry) => entry.id === id);
      return entries.slice(0, at).reduce((sum, entry) => sum + entryTokens(entry, undefined, plain), 0);
    };
    return mapReplies(entries, (reply, id): AssistantMessage => {
      const entry = entries.find((each) => each.id === id) as Entry;
      const [input, output] = [upTo(id), entryTokens(entry, undefined, plain)].map((tokens) => tokens * factor) as [
        number,
        number,
      ];
      return {
        ...reply,
        ...by,
        usage: { ...reply.usage, input: input + overhead, output, totalTokens: input + overhead + output },
      };
    });
  }

  function createExchanges(exchanges: number): readonly Entry[] {
    const file = "a line of a file that somebody reads, number after number ".repeat(20);
    return story(
      "user: read it all",
      ...Array.from({ length: exchanges }, (_, at) => [`calls: read path=${at}`, `result: ${file}`]).flat(),
    );
  }

  describe("learning from replies", () => {
    test("TOK5 before the first reply an estimate is not scaled", () => {
      expect(collectCalibration(loadBranch(createExchanges(3)))).toEqual({});
      expect(findCalibration({}, storyModel)).toEqual(plain);
      expect(findCalibration({}, undefined)).toEqual(plain);
    });

    test.each([0.8, 1.35, 2])(
      "TOK5 the factor of a model that counts %d times the estimate is learned, and so is its overhead outside the log",
      (factor) => {
        const window = loadBranch(countedBy(createExchanges(40), { factor, overhead: 3000 }));
        const fit = findCalibration(collectCalibration(window), storyModel);
        expect(fit.factor).toBeCloseTo(factor, 1);
        expect(Math.abs(fit.overhead - 3000)).toBeLessThan(1000);
        expect(fit.samples).toBeGreaterThan(5);
      },
    );

    test("TOK5 the factor applies to entries since the last reply, and to everything after a compaction", () => {
      const entries = countedBy(createExchanges(20), { factor: 1.5, overhead: 3000 });
      const window = loadBranch(entries);
      const fit = findCalibration(collectCalibration(window), storyModel);
      expect(contextSize(window).estimated).toBe(
        Math.ceil(entryTokens(entries.at(-1) as Entry, undefined, plain) * fit.factor),
      );
      const compacted = loadBranch([...entries, compactionWith(collectCalibration(window))]);
      const after = contextSize(compacted);
      expect(after.measured).toBe(0);
      expect(after.fixed).toBe(fit.overhead);
      expect(after.tokens).toBe(after.estimated + fit.overhead);
    });

    test("TOK5 measured and estimated size agree at the last request", () => {
      const entries = countedBy(createExchanges(9), { factor: 1.2, overhead: 4000 });
      const requestEntries = entries.slice(0, -2);
      const last = entries.at(-2);
      const { input = 0 } = last?.type === "message" && last.message.role === "assistant" ? last.message.usage : {};
      const { factor, overhead } = findCalibration(collectCalibration(loadBranch(entries)), storyModel);
      const estimate = requestEntries.reduce((sum, entry) => sum + entryTokens(entry, undefined, plain), 0);
      expect(factor * estimate + overhead).toBeCloseTo(input, -1);
    });

    test("TOK5 each model has its own calibration; an unmeasured model gets the overhead of the last one", () => {
      const one = countedBy(createExchanges(30), { factor: 1.4, overhead: 1000 });
      const both = [
        ...one,
        ...renamed(countedBy(createExchanges(30), { factor: 0.9, overhead: 9000, by: otherModel })),
      ];
      const calibration = collectCalibration(loadBranch(both));
      expect(Object.keys(calibration)).toEqual([NAME, "elsewhere/stranger"]);
      expect(calibration[NAME]?.factor).toBeCloseTo(1.4, 1);
      expect(findCalibration(calibration, undefined)).toBe(calibration["elsewhere/stranger"]);
      const unknown = findCalibration(calibration, { provider: "x", model: "unknown" });
      expect(unknown).toEqual({ ...plain, overhead: calibration["elsewhere/stranger"]?.overhead });
    });
  });

  describe("growth that is ignored", () => {
    const steady = countedBy(createExchanges(12), { factor: 1.3, overhead: 2000 });
    const known = findCalibration(collectCalibration(loadBranch(steady)), storyModel);
    const withLast = (prompt: number): ModelCalibration => {
      const lastReply = steady.at(-2) as Entry;
      const wild = mapReplies(steady, (reply, id) =>
        id === lastReply.id ? { ...reply, usage: { ...reply.usage, input: prompt, totalTokens: prompt + 50 } } : reply,
      );
      return findCalibration(collectCalibration(loadBranch(wild)), storyModel);
    };

    test("TOK5 a prompt that shrank or jumped does not change the factor", () => {
      const before = findCalibration(collectCalibration(loadBranch(steady.slice(0, -2))), storyModel);
      for (const { factor, samples } of [withLast(500), withLast(900_000)])
        expect({ factor, samples }).toEqual({ factor: before.factor, samples: before.samples });
      expect(known.samples).toBeGreaterThan(before.samples);
    });

    test("TOK5 the factor stays within its limits", () => {
      const most = findCalibration(
        collectCalibration(loadBranch(countedBy(createExchanges(40), { factor: 3.9, overhead: 0 }))),
        storyModel,
      );
      const least = findCalibration(
        collectCalibration(loadBranch(countedBy(createExchanges(40), { factor: 0.31, overhead: 0 }))),
        storyModel,
      );
      expect([least.factor, most.factor]).toEqual([0.5, 3]);
    });

    test("TOK5 growth across an edit is ignored", () => {
      const cut = steady.length - 2;
      const edit = {
        type: "context_edit",
        id: "edit",
        parentId: null,
        timestamp: "",
        targetId: "e3",
        replacement: null,
      } as Entry;
      const edited = [...steady.slice(0, cut), edit, ...steady.slice(cut)];
      const before = findCalibration(collectCalibration(loadBranch(steady.slice(0, cut))), storyModel);
      expect(findCalibration(collectCalibration(loadBranch(edited)), storyModel)).toMatchObject({
        samples: before.samples,
      });
    });
  });

  describe("the calibration stored in a compaction", () => {
    const carried: Calibration = { [NAME]: { factor: 1.25, overhead: 700, samples: 12 } };

    test("TOK5 applies after it and is updated by later replies", () => {
      expect(collectCalibration(loadBranch([compactionWith(carried)]))).toEqual(carried);
      const after = loadBranch([
        compactionWith(carried),
        ...renamed(countedBy(createExchanges(5), { factor: 1.6, overhead: 0 })),
      ]);
      const fit = findCalibration(collectCalibration(after), storyModel);
      expect(fit.factor).toBeGreaterThan(1.25);
      expect(fit.factor).toBeLessThan(1.6);
      expect(fit.samples).toBeGreaterThan(12);
    });

    test("TOK5 is plain JSON", () => {
      const calibration = collectCalibration(
        loadBranch(countedBy(createExchanges(9), { factor: 1.2, overhead: 4000 })),
      );
      expect(JSON.parse(JSON.stringify(calibration))).toEqual(calibration);
    });

    test.each([
      null,
      "1.2",
      [],
      { [NAME]: null },
      { [NAME]: { factor: "1.2", overhead: 1, samples: 1 } },
      { [NAME]: { factor: 40, overhead: 1, samples: 1 } },
      { [NAME]: { factor: Number.NaN, overhead: 1, samples: 1 } },
      { [NAME]: { factor: 1.2, overhead: -1, samples: 1 } },
      { [NAME]: { factor: 1.2, overhead: 1e12, samples: 1 } },
      { [NAME]: { factor: 1.2, overhead: 1, samples: -1 } },
      { [NAME]: { factor: 1.2, overhead: 1 } },
    ])("TOK5 is ignored if it is invalid: %j", (wrong) => {
      expect(collectCalibration(loadBranch([compactionWith(wrong)]))).toEqual({});
    });
  });

  function compactionWith(calibration: unknown): Entry {
    const details = { pith: { calibration } };
    return {
      type: "compaction",
      id: "c",
      parentId: null,
      timestamp: "",
      summary: "earlier",
      firstKeptEntryId: "c",
      tokensBefore: 9,
      details,
    };
  }

  function renamed(entries: readonly Entry[]): readonly Entry[] {
    return entries.map((entry) => ({ ...entry, id: `later-${entry.id}` }));
  }
});

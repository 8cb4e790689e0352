/** What replies teach: factors and overheads, model by model, and what a compaction carries of them. */

import { describe, expect, test } from "vitest";
import type { Entry } from "../../../src/entry.ts";
import type { AssistantMessage } from "../../../src/message.ts";
import { type Calibration, calibrationAt, type Fit, fitOf } from "../../../src/reading/tokens/calibration.ts";
import { contextSize, entryTokens } from "../../../src/reading/tokens/context-size.ts";
import type { ModelName } from "../../../src/request.ts";
import { windowOf } from "../../../src/session/window.ts";
import { story } from "../../../src/testing/story.ts";
import { storyteller, stranger } from "../../told.ts";
import { changed } from "./measured.ts";

const plain: Fit = { factor: 1, overhead: 0, samples: 0 };
const NAME = "anthropic/storyteller";

interface Counting {
  readonly factor: number;
  readonly overhead: number;
  readonly by?: ModelName;
}

/** The replies of a talk, as a model measures them that counts like this. */
function countedBy(entries: readonly Entry[], { factor, overhead, by = storyteller }: Counting): readonly Entry[] {
  const upTo = (id: string): number => {
    const at = entries.findIndex((entry) => entry.id === id);
    return entries.slice(0, at).reduce((sum, entry) => sum + entryTokens(entry, undefined, plain), 0);
  };
  return changed(entries, (reply, id): AssistantMessage => {
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

function longTalk(exchanges: number): readonly Entry[] {
  const file = "a line of a file that somebody reads, number after number ".repeat(20);
  return story(
    "user: read it all",
    ...Array.from({ length: exchanges }, (_, at) => [`calls: read path=${at}`, `result: ${file}`]).flat(),
  );
}

describe("what replies teach", () => {
  test("TOK5 before any was measured an estimate is taken as it is", () => {
    expect(calibrationAt(windowOf(longTalk(3)))).toEqual({});
    expect(fitOf({}, storyteller)).toEqual(plain);
    expect(fitOf({}, undefined)).toEqual(plain);
  });

  test.each([0.8, 1.35, 2])(
    "TOK5 a model that counts %d tokens for one is learnt, and what it is sent besides the log",
    (factor) => {
      const window = windowOf(countedBy(longTalk(40), { factor, overhead: 3000 }));
      const fit = fitOf(calibrationAt(window), storyteller);
      expect(fit.factor).toBeCloseTo(factor, 1);
      expect(Math.abs(fit.overhead - 3000)).toBeLessThan(1000);
      expect(fit.samples).toBeGreaterThan(5);
    },
  );

  test("TOK5 what was learnt is used for what came since, and for everything after a compaction", () => {
    const talk = countedBy(longTalk(20), { factor: 1.5, overhead: 3000 });
    const window = windowOf(talk);
    const fit = fitOf(calibrationAt(window), storyteller);
    expect(contextSize(window).estimated).toBe(
      Math.ceil(entryTokens(talk.at(-1) as Entry, undefined, plain) * fit.factor),
    );
    const compacted = windowOf([...talk, compactionWith(calibrationAt(window))]);
    const after = contextSize(compacted);
    expect(after.measured).toBe(0);
    expect(after.fixed).toBe(fit.overhead);
    expect(after.tokens).toBe(after.estimated + fit.overhead);
  });

  test("TOK5 measure and estimate agree where the last reply was asked for", () => {
    const talk = countedBy(longTalk(9), { factor: 1.2, overhead: 4000 });
    const asked = talk.slice(0, -2);
    const last = talk.at(-2);
    const { input = 0 } = last?.type === "message" && last.message.role === "assistant" ? last.message.usage : {};
    const { factor, overhead } = fitOf(calibrationAt(windowOf(talk)), storyteller);
    const estimate = asked.reduce((sum, entry) => sum + entryTokens(entry, undefined, plain), 0);
    expect(factor * estimate + overhead).toBeCloseTo(input, -1);
  });

  test("TOK5 each model has a fit of its own; one never measured is sent as much besides the log as the last one", () => {
    const one = countedBy(longTalk(30), { factor: 1.4, overhead: 1000 });
    const both = [...one, ...renamed(countedBy(longTalk(30), { factor: 0.9, overhead: 9000, by: stranger }))];
    const calibration = calibrationAt(windowOf(both));
    expect(Object.keys(calibration)).toEqual([NAME, "elsewhere/stranger"]);
    expect(calibration[NAME]?.factor).toBeCloseTo(1.4, 1);
    expect(fitOf(calibration, undefined)).toBe(calibration["elsewhere/stranger"]);
    const unknown = fitOf(calibration, { provider: "x", model: "unknown" });
    expect(unknown).toEqual({ ...plain, overhead: calibration["elsewhere/stranger"]?.overhead });
  });
});

describe("growth that says nothing", () => {
  const steady = countedBy(longTalk(12), { factor: 1.3, overhead: 2000 });
  const known = fitOf(calibrationAt(windowOf(steady)), storyteller);
  const withLast = (prompt: number): Fit => {
    const said = steady.at(-2) as Entry;
    const wild = changed(steady, (reply, id) =>
      id === said.id ? { ...reply, usage: { ...reply.usage, input: prompt, totalTokens: prompt + 50 } } : reply,
    );
    return fitOf(calibrationAt(windowOf(wild)), storyteller);
  };

  test("TOK5 a prompt that shrank or leapt changes no factor", () => {
    const before = fitOf(calibrationAt(windowOf(steady.slice(0, -2))), storyteller);
    for (const { factor, samples } of [withLast(500), withLast(900_000)])
      expect({ factor, samples }).toEqual({ factor: before.factor, samples: before.samples });
    expect(known.samples).toBeGreaterThan(before.samples);
  });

  test("TOK5 a factor stays within its bounds, whatever is measured", () => {
    const most = fitOf(calibrationAt(windowOf(countedBy(longTalk(40), { factor: 3.9, overhead: 0 }))), storyteller);
    const least = fitOf(calibrationAt(windowOf(countedBy(longTalk(40), { factor: 0.31, overhead: 0 }))), storyteller);
    expect([least.factor, most.factor]).toEqual([0.5, 3]);
  });

  test("TOK5 growth over an edit is none, because something else has changed", () => {
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
    const before = fitOf(calibrationAt(windowOf(steady.slice(0, cut))), storyteller);
    expect(fitOf(calibrationAt(windowOf(edited)), storyteller)).toMatchObject({ samples: before.samples });
  });
});

describe("what a compaction carries", () => {
  const carried: Calibration = { [NAME]: { factor: 1.25, overhead: 700, samples: 12 } };

  test("TOK5 holds after it, and is improved by what is measured then", () => {
    expect(calibrationAt(windowOf([compactionWith(carried)]))).toEqual(carried);
    const after = windowOf([compactionWith(carried), ...renamed(countedBy(longTalk(5), { factor: 1.6, overhead: 0 }))]);
    const fit = fitOf(calibrationAt(after), storyteller);
    expect(fit.factor).toBeGreaterThan(1.25);
    expect(fit.factor).toBeLessThan(1.6);
    expect(fit.samples).toBeGreaterThan(12);
  });

  test("TOK5 is plain JSON", () => {
    const calibration = calibrationAt(windowOf(countedBy(longTalk(9), { factor: 1.2, overhead: 4000 })));
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
  ])("TOK5 is left out where it is not as we write it: %j", (wrong) => {
    expect(calibrationAt(windowOf([compactionWith(wrong)]))).toEqual({});
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

/** How big a context is said to be: measured where it can be, estimated where it must be. */

import { describe, expect, test } from "vitest";
import type { Entry } from "../../../src/entry.ts";
import type { Message, SystemMessage } from "../../../src/message.ts";
import { buildSessionContext } from "../../../src/reading/build-context.ts";
import { convertToLlm } from "../../../src/reading/convert-to-llm.ts";
import { contextSize, entryBytes, entryTokens } from "../../../src/reading/tokens/context-size.ts";
import { messageBytes, messageTokens } from "../../../src/reading/tokens/message-tokens.ts";
import type { ModelName } from "../../../src/request.ts";
import { emptyWindow, extended, type Window, windowOf } from "../../../src/session/window.ts";
import { story } from "../../../src/testing/story.ts";
import { expectSoon } from "../../soon.ts";
import { storyteller, stranger, windowAt } from "../../told.ts";
import { changed, measured } from "./measured.ts";

const sent = (window: Window, to?: ModelName): readonly Message[] =>
  convertToLlm(buildSessionContext(window).messages, to);
const tokensOf = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + messageTokens(message), 0);

describe("with a reply that was measured", () => {
  const talk = story("user: one", "says: two", "user: three, and much more of it", "note: four");
  const window = windowOf(measured(talk, { e2: { input: 400, output: 100, totalTokens: 500 } }));

  test("TOK1 the size is what it measured, and an estimate of what came since", () => {
    const since = tokensOf(sent(window).slice(2));
    expect(contextSize(window, { to: storyteller })).toMatchObject({
      measured: 500,
      estimated: since,
      tokens: 500 + since,
    });
    expect(contextSize(window)).toEqual(contextSize(window, { to: storyteller }));
  });

  test("TOK1 right after the reply it is what it measured", () => {
    const reply = windowOf(window.entries.slice(0, 2));
    expect(contextSize(reply)).toMatchObject({ tokens: 500, measured: 500, estimated: 0 });
  });

  test("TOK1 a usage without a sum is the sum of its parts", () => {
    const usage = { input: 1, output: 20, cacheRead: 300, cacheWrite: 4000 };
    expect(contextSize(windowOf(measured(talk, { e2: usage }))).measured).toBe(4321);
  });

  test("TOK1 what is sent is counted, also what stands in no log: a result that is missing", () => {
    const called = story("user: one", "calls: read path=a; read path=b", "result c1: found", "user: go on");
    const open = windowOf(measured(called, { e2: { totalTokens: 500 } }));
    expect(sent(open)).toHaveLength(5);
    expect(contextSize(open).estimated).toBe(tokensOf(sent(open).slice(2)));
  });

  test("TOK1 replies that are not sent do not move the place from which is estimated", () => {
    const failed = story("user: one", "says: two", "user: three", "fails to answer: busy", "stops: half", "user: four");
    const tried = windowOf(measured(failed, { e2: { totalTokens: 500 } }));
    expect(contextSize(tried).estimated).toBe(tokensOf(sent(tried).slice(2)));
  });

  test("TOK1 only the branch counts", () => {
    const branched = measured(
      story("user: one", "says: two", "user: long ago", "says: elsewhere", "moves: e2", "user: back"),
      {
        e2: { totalTokens: 500 },
        e4: { totalTokens: 90_000 },
      },
    );
    expect(contextSize(windowAt(branched)).measured).toBe(500);
  });
});

describe("usage that is not used", () => {
  const talk = story("user: one", "says: two", "user: three", "says: four", "user: five");
  const both = { e2: { totalTokens: 500 }, e4: { totalTokens: 700 } };
  const measuredAt = (entries: readonly Entry[], to?: ModelName): number =>
    contextSize(windowAt(entries), to ? { to } : {}).measured;

  test("TOK2 usage of nothing, and what is no number", () => {
    expect(measuredAt(measured(talk, both))).toBe(700);
    expect(measuredAt(measured(talk, { ...both, e4: {} }))).toBe(500);
    for (const wrong of [Number.NaN, -5, Number.POSITIVE_INFINITY, "700", null])
      expect(measuredAt(measured(talk, { ...both, e4: { totalTokens: wrong as number } }))).toBe(500);
    const without = changed(measured(talk, both), (reply, id) => ({
      ...reply,
      usage: (id === "e4" ? null : reply.usage) as never,
    }));
    expect(measuredAt(without)).toBe(500);
  });

  test.each(["error", "aborted"] as const)("TOK2 usage of a reply that ended as %s", (stopReason) => {
    const ended = changed(measured(talk, both), (reply, id) => (id === "e4" ? { ...reply, stopReason } : reply));
    expect(measuredAt(ended)).toBe(500);
  });

  test("TOK2 usage of another model than the one that is asked", () => {
    const mixed = changed(measured(talk, both), (reply, id) => (id === "e4" ? { ...reply, ...stranger } : reply));
    expect(measuredAt(mixed, storyteller)).toBe(500);
    expect(measuredAt(mixed, stranger)).toBe(700);
    expect(measuredAt(mixed)).toBe(700);
    expect(measuredAt(measured(talk, both), stranger)).toBe(0);
  });

  test("TOK2 usage from before a compaction, though it is kept", () => {
    const compacted = story(
      "user: one",
      "says: two",
      "user: three",
      "says: four",
      "compacts: earlier, keeps e3",
      "user: six",
    );
    expect(measuredAt(measured(compacted, both))).toBe(0);
    const answered = story("user: one", "says: two", "compacts: earlier, keeps e1", "says: four", "user: six");
    expect(measuredAt(measured(answered, both))).toBe(700);
  });

  test("TOK2 usage from before an edit", () => {
    const edited = story("user: one", "says: two", "user: three", "edits e1: less", "user: five");
    expect(measuredAt(measured(edited, both))).toBe(0);
    const answered = story("user: one", "says: two", "edits e1: less", "says: four", "user: five");
    expect(measuredAt(measured(answered, both))).toBe(700);
  });

  test("TOK2 no clock is asked: times may run backwards", () => {
    const backwards = measured(talk, both).map((entry, at) => ({
      ...entry,
      timestamp: new Date(9e11 - at * 1e9).toISOString(),
    }));
    expect(contextSize(windowOf(backwards)).measured).toBe(700);
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
  const window = windowOf([{ ...first, message: system } as Entry, ...rest]);

  test("TOK3 everything that is sent is estimated, system prompt and tools included", () => {
    const all = tokensOf(sent(window));
    expect(contextSize(window)).toMatchObject({
      tokens: all,
      measured: 0,
      estimated: all,
      fixed: messageTokens(system),
    });
  });

  test("TOK3 what is sent besides the log is added where it is known", () => {
    const { tokens, fixed } = contextSize(window);
    expect(contextSize(window, { fixed: 900 })).toMatchObject({ tokens: tokens + 900, fixed: fixed + 900 });
  });

  test("TOK3 what a reply measured already holds them", () => {
    const answered = windowOf(measured(story("user: one", "says: two"), { e2: { totalTokens: 500 } }));
    expect(contextSize(answered, { fixed: 495 })).toMatchObject({ tokens: 500, fixed: 495 });
  });

  test("TOK3 what is said to be sent is believed until a reply has measured more", () => {
    const answered = windowOf(measured(story("user: one", "says: two"), { e2: { totalTokens: 500 } }));
    expect(contextSize(answered, { fixed: 10 }).fixed).toBeGreaterThan(450);
  });

  test("TOK3 a compaction's system message counts for those it covers", () => {
    const [user] = story("user: one");
    const compacted = windowOf([
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

  test("TOK1 an empty window is nothing", () => {
    expect(contextSize(emptyWindow)).toEqual({ tokens: 0, measured: 0, estimated: 0, fixed: 0, bytes: 0 });
  });
});

test("TOK1 bytes on the wire are those of all messages, as edits have left them", () => {
  const long = `user: ${"word ".repeat(500)}`;
  const whole = windowOf(story(long, "says: two"));
  expect(contextSize(whole).bytes).toBe(sent(whole).reduce((sum, message) => sum + messageBytes(message), 0));
  const edited = windowOf(story(long, "says: two", "edits e1: short", "edits e1: shorter still"));
  expect(contextSize(edited).bytes).toBe(sent(edited).reduce((sum, message) => sum + messageBytes(message), 0));
});

test("TOK1 entries add up to the context they give", () => {
  const fit = { factor: 1, overhead: 0, samples: 0 };
  const entries = story(
    "user: one",
    "calls: read path=a",
    "result: found",
    "bash: ls -> a b",
    "names: x",
    "says: done",
  );
  const window = windowOf(entries);
  expect(entries.reduce((sum, entry) => sum + entryTokens(entry, undefined, fit), 0)).toBe(contextSize(window).tokens);
  expect(entries.reduce((sum, entry) => sum + entryBytes(entry, undefined), 0)).toBe(contextSize(window).bytes);
  expect(entryTokens(entries[0] as Entry, undefined, { ...fit, factor: 2 })).toBe(
    2 * entryTokens(entries[0] as Entry, undefined, fit),
  );
});

describe("a window that grows", () => {
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
  const entries = measured(story(...lines), {
    e4: { totalTokens: 400 },
    e7: { totalTokens: 900 },
    e12: { totalTokens: 300 },
  });

  test("TOK1 has the size that it would have if it were read anew", () => {
    let window = emptyWindow;
    for (const entry of entries) {
      window = extended(window, [entry]);
      const anew = windowOf(structuredClone(entries.slice(0, entries.indexOf(entry) + 1)) as Entry[]);
      expect(contextSize(window)).toEqual(contextSize(anew));
    }
  });

  test("TOK1 that grows one way and then another has its own size on each", () => {
    const start = windowOf(entries.slice(0, 4));
    const [one, other] = [story("user: this way"), story("user: or, to say a little more, that way")].map((more) =>
      extended(start, more),
    );
    const sizes = [one, other, one].map((window) => contextSize(window as Window));
    expect(sizes[0]).toEqual(sizes[2]);
    expect(sizes[1]?.tokens).toBeGreaterThan(sizes[0]?.tokens ?? 0);
  });

  test("TOK1 costs the next call no more, however long it is", () => {
    const turn = story("user: one", "says: two");
    const long = Array.from({ length: 10_000 }, (_, at) => ({
      ...turn[at % 2],
      id: `x${at}`,
      parentId: at ? `x${at - 1}` : null,
    }));
    // One call that looks at all of it takes as long as these hundred.
    expectSoon(55, () => {
      let window = windowOf(measured(long as Entry[], { x9999: { totalTokens: 900 } }));
      contextSize(window);
      return () => {
        for (let at = 0; at < 100; at++) {
          const parentId = window.entries.at(-1)?.id ?? null;
          window = extended(window, [{ ...turn[0], id: `y${at}`, parentId } as Entry]);
          contextSize(window);
        }
      };
    });
  });
});

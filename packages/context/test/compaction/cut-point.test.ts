/** Proves where a cut falls: in stories, and on any branch. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type CutPoint,
  findCutPoint,
  isCutAllowed,
  isVisibleToModel,
  moveBehindLastReply,
  startsTurn,
  toCutPoint,
} from "../../src/compaction/cut-point.ts";
import { entryText } from "../../src/context/entry-text.ts";
import { type ContextEditEntry, ENVIRONMENT_TYPE, type Entry, type EntryContent, STATE_TYPE } from "../../src/entry.ts";
import { emptyUsage, story } from "../../src/testing/story.ts";

/** A word is a token. */
const tokensOf = (entry: Entry): number => entryText(entry).split(" ").filter(Boolean).length + (isCall(entry) ? 1 : 0);
const isCall = (entry: Entry): boolean => JSON.stringify(entry).includes('"toolCall"');
const edits = (entries: readonly Entry[]): readonly ContextEditEntry[] =>
  entries.filter((entry) => entry.type === "context_edit");

function cut(entries: readonly Entry[], keep: number): (CutPoint & { readonly id: string | undefined }) | null {
  const found = findCutPoint(entries, { keepTokens: keep, tokensOf, edits: edits(entries) });
  return found && { ...found, id: entries[found.index]?.id };
}

/** An entry that stories have no word for. */
const entryOf = (draft: EntryContent): Entry => ({ ...draft, id: "odd", parentId: null, timestamp: "" }) as Entry;
const shellLine = { role: "bashExecution", command: "ls", output: "a b", cancelled: false, truncated: false } as const;

const words = (count: number): string => Array.from({ length: count }, (_, at) => `w${at}`).join(" ");

describe("the cut", () => {
  test("CUT1 keeps the wanted tokens, or a little less", () => {
    const entries = story(`user: ${words(10)}`, `says: ${words(10)}`, `user: ${words(10)}`, `says: ${words(10)}`);
    expect(cut(entries, 20)).toEqual({ index: 2, turnStartIndex: null, id: "e3" });
    expect(cut(entries, 25)).toEqual({ index: 2, turnStartIndex: null, id: "e3" });
  });

  test("CUT1 keeps a little more than the budget if less would be too little", () => {
    const entries = story(`user: ${words(30)}`, `user: ${words(17)}`, `says: ${words(4)}`);
    expect(cut(entries, 18)?.id).toBe("e2");
  });

  test("CUT1 keeps the smaller side if neither side fits the budget", () => {
    const entries = story(`user: ${words(30)}`, `user: ${words(90)}`, `says: ${words(4)}`);
    expect(cut(entries, 20)?.id).toBe("e3");
  });

  test("CUT1 keeps between half and five quarters of the wanted tokens", () => {
    const half = story(`user: ${words(30)}`, `user: ${words(14)}`, `says: ${words(10)}`);
    expect(cut(half, 20)).toEqual({ index: 2, turnStartIndex: 1, id: "e3" });
    const more = story(`user: ${words(30)}`, `user: ${words(21)}`, `says: ${words(4)}`);
    expect(cut(more, 20)).toEqual({ index: 1, turnStartIndex: null, id: "e2" });
  });

  test("CUT2 keeps a result together with its call and everything between them", () => {
    const entries = story(
      "user: one two",
      "calls: read; bash",
      `result: ${words(20)}`,
      "user: wait",
      `result: ${words(9)}`,
    );
    for (const keep of [1, 5, 9, 10, 20, 30]) expect([keep, cut(entries, keep)?.id]).toEqual([keep, "e2"]);
  });

  test("CUT2 keeps a program's note between a call and its results together with them", () => {
    const entries = story(`user: ${words(20)}`, "calls: read; bash", "result: a", "note: wait", "result: b");
    expect(cut(entries, 2)).toEqual({ index: 1, turnStartIndex: 0, id: "e2" });
  });

  test("CUT2 CUT4 does not keep results whose call is before the loaded part", () => {
    const entries = story("user: go", "calls: bash", `result: ${words(20)}`, "says: one two").slice(2);
    expect(cut(entries, 10)).toEqual({ index: 1, turnStartIndex: 0, id: "e4" });
  });

  test("CUT2 does not keep everything because of one huge result", () => {
    const entries = story(`user: ${words(50)}`, "says: ok", "user: go", "calls: bash", `result: ${words(500)}`);
    expect(cut(entries, 20)?.id).toBe("e4");
  });

  test("CUT3 is null for a branch that is shorter than the wanted tokens", () => {
    expect(cut(story("user: one two three", "says: four"), 10)).toBeNull();
    expect(cut([], 10)).toBeNull();
  });

  test("CUT3 is at the first entry of a branch that is as long as the wanted tokens", () => {
    expect(cut(story("user: one two three", "says: four"), 4)).toEqual({ index: 0, turnStartIndex: null, id: "e1" });
  });

  test("CUT4 within a turn has the index where the turn starts", () => {
    const entries = story(
      "user: first",
      "says: done",
      "user: second",
      `calls: bash`,
      `result: ${words(9)}`,
      "calls: bash",
      `result: ${words(9)}`,
    );
    expect(cut(entries, 10)).toEqual({ index: 5, turnStartIndex: 2, id: "e6" });
  });

  test("CUT4 before a new turn splits only the turn that it is in", () => {
    const entries = story(`user: ${words(20)}`, "says: one two three", "user: four five");
    expect(cut(entries, 5)).toEqual({ index: 1, turnStartIndex: 0, id: "e2" });
  });

  test("CUT4 treats shell lines, notes and branch summaries as the start of a turn", () => {
    for (const line of ["bash: ls -> a b c", "note: a b c d", "left e1: a b c d"]) {
      const entries = story(`user: ${words(20)}`, `says: ${words(9)}`, line, "says: ok");
      expect([line, cut(entries, 5)]).toEqual([line, { index: 2, turnStartIndex: null, id: "e3" }]);
    }
  });

  test("CUT6 keeps labels and model changes before the first kept message", () => {
    const entries = story(`user: ${words(20)}`, "says: ok", "model: a/b", "labels e1: here", `user: ${words(9)}`);
    expect(cut(entries, 9)?.id).toBe("e3");
  });

  test("CUT6 does not keep a compaction before the first kept message", () => {
    const entries = story(
      `user: ${words(20)}`,
      "says: ok",
      "compacts: before, keeps e2",
      "labels e1: here",
      `user: ${words(9)}`,
    );
    expect(cut(entries, 9)?.id).toBe("e4");
  });

  test.each<EntryContent>([
    { type: "model_change", provider: "a", modelId: "b" },
    { type: "thinking_level_change", thinkingLevel: "high" },
    { type: "active_tools_change", activeToolNames: ["read"] },
    { type: "label", targetId: "e1", label: "here" },
    { type: "session_info", name: "login" },
    { type: "usage", kind: "warm-up", provider: "a", model: "b", usage: emptyUsage },
    { type: "custom", customType: "state" },
    { type: "unknown", kind: "later", value: {} },
  ])("CUT6 keeps $type before the first kept message", (draft) => {
    const [requestEntries, answered, last] = story(`user: ${words(20)}`, "says: ok", `user: ${words(9)}`) as [
      Entry,
      Entry,
      Entry,
    ];
    expect(cut([requestEntries, answered, entryOf(draft), last], 9)).toEqual({
      index: 2,
      turnStartIndex: null,
      id: "odd",
    });
  });

  test("CUT1 ignores removed entries, failed replies and hidden shell lines", () => {
    const entries = story(
      `user: ${words(20)}`,
      `user: ${words(9)}`,
      `fails to answer: ${words(50)}`,
      `says: ${words(50)}`,
      "drops e4",
    );
    expect(cut(entries, 9)?.id).toBe("e2");
  });
});

describe("a possible cut", () => {
  const places = (entries: readonly Entry[]): readonly boolean[] =>
    Array.from({ length: entries.length + 1 }, (_, at) => isCutAllowed(entries, at, edits(entries)));

  test("CUT2 is before a call or after its last result, not between them", () => {
    const entries = story(
      "user: go",
      "calls: a; b",
      "result: one",
      "user: wait",
      "result: two",
      "says: done",
      "user: ok",
    );
    expect(places(entries)).toEqual([true, true, false, false, false, true, true, true]);
  });

  test("CUT2 is not at a result, even a removed one, but may separate a call from a removed result", () => {
    const entries = story("user: go", "calls: a", "user: wait", "result: one", "drops e4", "says: done");
    expect(places(entries)).toEqual([true, true, true, false, true, true, true]);
  });

  test("CUT2 is not at a failed reply between a call and its result", () => {
    const entries = story("calls: a", "user: wait", "fails to answer: busy", "result: one");
    expect(places(entries)).toEqual([true, false, false, false, true]);
  });

  test("CUT2 is after results whose call is before the loaded part", () => {
    const entries = story("user: go", "calls: a", "result: one", "says: done").slice(2);
    expect(places(entries)).toEqual([false, true, true]);
  });

  test("CUT4 splits the turn that it is in", () => {
    const entries = story("user: one", "says: two", "user: three", "says: four", "labels e1: here");
    expect([0, 1, 2, 3, 4].map((at) => toCutPoint({ entries, edits: [] }, at).turnStartIndex)).toEqual([
      null,
      0,
      null,
      2,
      null,
    ]);
  });
});

describe("entries visible to the model", () => {
  const shown = (entries: readonly Entry[]): readonly string[] =>
    entries.filter((entry) => isVisibleToModel(entry, edits(entries))).map(({ id }) => id);

  test("CMP6 are messages, but not the system prompt or failed, stopped and removed ones", () => {
    const entries = story(
      "system: You help.",
      "user: go",
      "calls: a",
      "result: one",
      "fails to answer: busy",
      "stops: half",
      "bash: ls -> a",
      "note: b",
      "left e2: c",
      "says: d",
      "drops e10",
      "model: a/b",
      "compacts: so far, keeps e2",
    );
    expect(shown(entries)).toEqual(["e2", "e3", "e4", "e7", "e8", "e9"]);
  });

  test("CMP6 exclude a shell line with excludeFromContext, and no other message with it", () => {
    const hidden = { ...shellLine, excludeFromContext: true, timestamp: 1 };
    expect(isVisibleToModel(entryOf({ type: "message", message: hidden }), [])).toBe(false);
    const hiddenMessage = { role: "user", content: "go", excludeFromContext: true, timestamp: 1 } as const;
    expect(isVisibleToModel(entryOf({ type: "message", message: hiddenMessage }), [])).toBe(true);
  });
});

describe("PREP8 the cut of a prepared summary", () => {
  const move = (entries: readonly Entry[], index: number): CutPoint => {
    const branch = { entries, edits: edits(entries) };
    return moveBehindLastReply(branch, toCutPoint(branch, index));
  };
  const turn = ["user: a", "calls: b", "result: c", "says: d"] as const;

  test("moves from the last reply of a turn to the next user message", () => {
    expect(move(story(...turn, "user: e", "says: f"), 3)).toEqual({ index: 4, turnStartIndex: null });
  });

  test("moves to the end if the turn is over and no message follows", () => {
    expect(move(story(...turn), 3)).toEqual({ index: 4, turnStartIndex: null });
  });

  test("keeps the entries without content before the next message", () => {
    expect(move(story(...turn, "model: x", "user: e"), 3)).toEqual({ index: 4, turnStartIndex: null });
  });

  test.each([
    ["more than the last reply is kept", story(...turn, "user: e"), { index: 1, turnStartIndex: 0 }],
    [
      "the turn goes on after the reply",
      story("user: a", "says: b", "calls: c", "result: d"),
      { index: 1, turnStartIndex: 0 },
    ],
    ["the reply calls a tool", story("user: a", "calls: b", "result: c", "user: d"), { index: 1, turnStartIndex: 0 }],
    ["it is between turns", story(...turn, "user: e", "says: f"), { index: 4, turnStartIndex: null }],
  ])("stays if %s", (_, entries, expected) => {
    expect(move(entries, expected.index)).toEqual(expected);
  });
});

describe("a turn", () => {
  test("CUT4 starts with an entry that is not of the assistant or a tool", () => {
    const entries = story(
      "user: a",
      "says: b",
      "calls: c",
      "result: d",
      "bash: e",
      "note: f",
      "left e1: g",
      "system: h",
    );
    expect(entries.filter(startsTurn).map(({ id }) => id)).toEqual(["e1", "e5", "e6", "e7"]);
    const custom = { role: "custom", customType: "note", content: "i", display: true, timestamp: 1 } as const;
    expect(startsTurn(entryOf({ type: "message", message: custom }))).toBe(true);
  });

  test.each([ENVIRONMENT_TYPE, STATE_TYPE, `${STATE_TYPE}.files`])(
    "CUT4 ENV1 does not start with a state entry: %s",
    (customType) => {
      const stated = entryOf({ type: "custom_message", customType, content: "a b c d", display: false });
      expect(startsTurn(stated)).toBe(false);
      const entries = story("user: first", "says: done", `user: ${words(20)}`, `says: ${words(9)}`);
      const turn = entries.toSpliced(3, 0, stated);
      expect(cut(turn, 9)).toEqual({ index: 4, turnStartIndex: 2, id: "e4" });
      expect(cut(turn, 13)).toEqual({ index: 3, turnStartIndex: 2, id: "odd" });
      expect(isVisibleToModel(stated, [])).toBe(true);
    },
  );
});

const line = fc.oneof(
  fc.nat(30).map((count) => `user: ${words(count + 1)}`),
  fc.nat(30).map((count) => `says: ${words(count + 1)}`),
  fc
    .tuple(fc.nat(20), fc.nat(20))
    .map(([one, other]) => `calls: a; b|result: ${words(one + 1)}|result: ${words(other + 1)}`),
  fc.nat(30).map((count) => `calls: a|user: steer|result: ${words(count + 1)}`),
  fc.constant("bash: ls -> out"),
  fc.constant("stops: half"),
);
const metadata = fc.constantFrom("model: a/b", "labels e1: x", "thinking: high");
const branches = fc
  .array(line, { minLength: 1, maxLength: 30 })
  .map((lines) => lines.flatMap((each) => each.split("|")));

describe("for any branch", () => {
  test("CUT1 CUT2 INV6 INV9 the kept part consists of whole exchanges at the end, within the limits", () => {
    fc.assert(
      fc.property(branches, fc.integer({ min: 1, max: 200 }), (lines, keep) => {
        const entries = story(...lines);
        const found = cut(entries, keep);
        const all = entries.reduce((sum, entry) => sum + shownTokens(entry), 0);
        if (!found) {
          expect(all <= keep || !entries.some(isPlace)).toBe(true);
          return;
        }
        const kept = entries.slice(found.index);
        expect(orphans(kept)).toEqual([]);
        const tokens = kept.reduce((sum, entry) => sum + shownTokens(entry), 0);
        const biggest = Math.max(
          ...exchanges(entries).map((part) => part.reduce((sum, each) => sum + shownTokens(each), 0)),
        );
        expect(tokens).toBeLessThanOrEqual(Math.max(keep * 1.25, keep + biggest));
        expect(tokens).toBeGreaterThanOrEqual(Math.min(keep * 0.5, keep * 1.25 - biggest));
      }),
      { numRuns: 2000 },
    );
  });

  test("CUT6 INV12 metadata does not change which messages are kept", () => {
    fc.assert(
      fc.property(
        branches,
        fc.integer({ min: 1, max: 200 }),
        fc.array(fc.tuple(fc.nat(40), metadata)),
        (lines, keep, added) => {
          const plain = story(...lines);
          const mixed = [...lines];
          for (const [at, each] of added) mixed.splice(at % (mixed.length + 1), 0, each);
          const kept = (entries: readonly Entry[]): readonly string[] =>
            entries
              .slice(cut(entries, keep)?.index ?? 0)
              .flatMap((entry) => (entry.type === "message" ? entryText(entry) : []));
          expect(kept(story(...mixed))).toEqual(kept(plain));
        },
      ),
      { numRuns: 500 },
    );
  });

  test("CUT4 INV10 the two parts of a split turn make up the turn", () => {
    fc.assert(
      fc.property(branches, fc.integer({ min: 1, max: 100 }), (lines, keep) => {
        const entries = story(...lines);
        const found = cut(entries, keep);
        if (!found || found.turnStartIndex === null) return;
        const turn = entries.slice(found.turnStartIndex, found.index);
        expect(
          turn
            .slice(1)
            .some((entry) => entry.type === "message" && entry.message.role === "user" && !isSteering(entries, entry)),
        ).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});

const isSteering = (entries: readonly Entry[], entry: Entry): boolean =>
  entries.indexOf(entry) > 0 && entryText(entry) === "steer";

function shownTokens(entry: Entry): number {
  return entry.type === "message" && entry.message.role === "assistant" && entry.message.stopReason === "aborted"
    ? 0
    : tokensOf(entry);
}

function isPlace(entry: Entry): boolean {
  return entry.type === "message" && entry.message.role !== "toolResult" && shownTokens(entry) > 0;
}

function orphans(kept: readonly Entry[]): readonly string[] {
  const calls = new Set<string>();
  return kept.flatMap((entry) => {
    if (entry.type !== "message") return [];
    if (entry.message.role === "assistant")
      for (const block of entry.message.content) if (block.type === "toolCall") calls.add(block.id);
    return entry.message.role === "toolResult" && !calls.has(entry.message.toolCallId) ? [entry.id] : [];
  });
}

/** An assistant message with all up to its last result; anything else by itself. */
function exchanges(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  const parts: Entry[][] = [];
  for (const [at, entry] of entries.entries()) {
    const next = entries
      .slice(at)
      .findIndex((each, index) => index > 0 && each.type === "message" && each.message.role === "assistant");
    const rest = entries.slice(at, next === -1 ? undefined : at + next);
    const inside = rest.some((each) => each.type === "message" && each.message.role === "toolResult");
    const isReply = entry.type === "message" && entry.message.role === "assistant";
    if (isReply || !inside || parts.length === 0) parts.push([entry]);
    else parts.at(-1)?.push(entry);
  }
  return parts;
}

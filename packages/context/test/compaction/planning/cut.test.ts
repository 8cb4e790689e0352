/** Proves where a cut falls: on told stories, and on any branch. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Cut, findCutPoint } from "../../../src/compaction/planning/cut.ts";
import type { ContextEditEntry, Entry } from "../../../src/entry.ts";
import { entryWords } from "../../../src/keeping/entry-text.ts";
import { story } from "../../../src/testing/story.ts";

/** A word is a token. */
const tokensOf = (entry: Entry): number =>
  entryWords(entry).split(" ").filter(Boolean).length + (isCall(entry) ? 1 : 0);
const isCall = (entry: Entry): boolean => JSON.stringify(entry).includes('"toolCall"');
const edits = (entries: readonly Entry[]): readonly ContextEditEntry[] =>
  entries.filter((entry) => entry.type === "context_edit");

function cut(entries: readonly Entry[], keep: number): (Cut & { readonly id: string | undefined }) | null {
  const found = findCutPoint(entries, { keep, tokensOf, edits: edits(entries) });
  return found && { ...found, id: entries[found.at]?.id };
}

const words = (count: number): string => Array.from({ length: count }, (_, at) => `w${at}`).join(" ");

describe("the cut", () => {
  test("CUT1 keeps what should be kept, or a little less", () => {
    const talk = story(`user: ${words(10)}`, `says: ${words(10)}`, `user: ${words(10)}`, `says: ${words(10)}`);
    expect(cut(talk, 20)).toEqual({ at: 2, turnAt: null, id: "e3" });
    expect(cut(talk, 25)).toEqual({ at: 2, turnAt: null, id: "e3" });
  });

  test("CUT1 keeps a little more where less would be too little", () => {
    const talk = story(`user: ${words(30)}`, `user: ${words(17)}`, `says: ${words(4)}`);
    expect(cut(talk, 18)?.id).toBe("e2");
  });

  test("CUT1 keeps the smaller side where neither fits", () => {
    const talk = story(`user: ${words(30)}`, `user: ${words(90)}`, `says: ${words(4)}`);
    expect(cut(talk, 20)?.id).toBe("e3");
  });

  test("CUT2 a result stays with its call, and what stands between goes with them", () => {
    const talk = story(
      "user: one two",
      "calls: read; bash",
      `result: ${words(20)}`,
      "user: wait",
      `result: ${words(9)}`,
    );
    for (const keep of [1, 5, 9, 10, 20, 30]) expect([keep, cut(talk, keep)?.id]).toEqual([keep, "e2"]);
  });

  test("CUT2 a result bigger than all that should be kept does not keep everything", () => {
    const talk = story(`user: ${words(50)}`, "says: ok", "user: go", "calls: bash", `result: ${words(500)}`);
    expect(cut(talk, 20)?.id).toBe("e4");
  });

  test("CUT3 nothing is cut of a branch shorter than what should be kept", () => {
    expect(cut(story("user: one two three", "says: four"), 10)).toBeNull();
    expect(cut([], 10)).toBeNull();
  });

  test("CUT4 a cut within a turn names where it begins", () => {
    const talk = story(
      "user: first",
      "says: done",
      "user: second",
      `calls: bash`,
      `result: ${words(9)}`,
      "calls: bash",
      `result: ${words(9)}`,
    );
    expect(cut(talk, 10)).toEqual({ at: 5, turnAt: 2, id: "e6" });
  });

  test("CUT4 shell lines, notes and left branches begin a turn", () => {
    for (const line of ["bash: ls -> a b c", "note: a b c d", "left e1: a b c d"]) {
      const talk = story(`user: ${words(20)}`, `says: ${words(9)}`, line, "says: ok");
      expect([line, cut(talk, 5)]).toEqual([line, { at: 2, turnAt: null, id: "e3" }]);
    }
  });

  test("CUT6 labels and changes of the model before the cut go with what is kept", () => {
    const talk = story(`user: ${words(20)}`, "says: ok", "model: a/b", "labels e1: here", `user: ${words(9)}`);
    expect(cut(talk, 9)?.id).toBe("e3");
  });

  test("CUT6 but a compaction does not", () => {
    const talk = story(
      `user: ${words(20)}`,
      "says: ok",
      "compacts: before, keeps e2",
      "labels e1: here",
      `user: ${words(9)}`,
    );
    expect(cut(talk, 9)?.id).toBe("e4");
  });

  test("CUT1 what an edit has removed, a failed reply and a hidden shell line count nothing and are no place", () => {
    const talk = story(
      `user: ${words(20)}`,
      `user: ${words(9)}`,
      `fails to answer: ${words(50)}`,
      `says: ${words(50)}`,
      "drops e4",
    );
    expect(cut(talk, 9)?.id).toBe("e2");
  });
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
const talks = fc.array(line, { minLength: 1, maxLength: 30 }).map((lines) => lines.flatMap((each) => each.split("|")));

describe("on any branch", () => {
  test("CUT1 CUT2 INV6 INV9 the kept part is a suffix of whole exchanges within its bounds", () => {
    fc.assert(
      fc.property(talks, fc.integer({ min: 1, max: 200 }), (lines, keep) => {
        const talk = story(...lines);
        const found = cut(talk, keep);
        const all = talk.reduce((sum, entry) => sum + shownTokens(entry), 0);
        if (!found) {
          expect(all <= keep || !talk.some(isPlace)).toBe(true);
          return;
        }
        const kept = talk.slice(found.at);
        expect(orphans(kept)).toEqual([]);
        const tokens = kept.reduce((sum, entry) => sum + shownTokens(entry), 0);
        const biggest = Math.max(
          ...exchanges(talk).map((part) => part.reduce((sum, each) => sum + shownTokens(each), 0)),
        );
        expect(tokens).toBeLessThanOrEqual(Math.max(keep * 1.25, keep + biggest));
        expect(tokens).toBeGreaterThanOrEqual(Math.min(keep * 0.5, keep * 1.25 - biggest));
      }),
      { numRuns: 2000 },
    );
  });

  test("CUT6 INV12 metadata never changes which messages are kept", () => {
    fc.assert(
      fc.property(
        talks,
        fc.integer({ min: 1, max: 200 }),
        fc.array(fc.tuple(fc.nat(40), metadata)),
        (lines, keep, added) => {
          const plain = story(...lines);
          const mixed = [...lines];
          for (const [at, each] of added) mixed.splice(at % (mixed.length + 1), 0, each);
          const kept = (talk: readonly Entry[]): readonly string[] =>
            talk
              .slice(cut(talk, keep)?.at ?? 0)
              .flatMap((entry) => (entry.type === "message" ? entryWords(entry) : []));
          expect(kept(story(...mixed))).toEqual(kept(plain));
        },
      ),
      { numRuns: 500 },
    );
  });

  test("CUT4 INV10 the two parts of a split turn are the turn", () => {
    fc.assert(
      fc.property(talks, fc.integer({ min: 1, max: 100 }), (lines, keep) => {
        const talk = story(...lines);
        const found = cut(talk, keep);
        if (!found || found.turnAt === null) return;
        const turn = talk.slice(found.turnAt, found.at);
        expect(
          turn
            .slice(1)
            .some((entry) => entry.type === "message" && entry.message.role === "user" && !isSteering(talk, entry)),
        ).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});

const isSteering = (talk: readonly Entry[], entry: Entry): boolean =>
  talk.indexOf(entry) > 0 && entryWords(entry) === "steer";

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
function exchanges(talk: readonly Entry[]): readonly (readonly Entry[])[] {
  const parts: Entry[][] = [];
  for (const [at, entry] of talk.entries()) {
    const next = talk
      .slice(at)
      .findIndex((each, index) => index > 0 && each.type === "message" && each.message.role === "assistant");
    const rest = talk.slice(at, next === -1 ? undefined : at + next);
    const inside = rest.some((each) => each.type === "message" && each.message.role === "toolResult");
    const isReply = entry.type === "message" && entry.message.role === "assistant";
    if (isReply || !inside || parts.length === 0) parts.push([entry]);
    else parts.at(-1)?.push(entry);
  }
  return parts;
}

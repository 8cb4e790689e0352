/** Proves the notes of turns: the newest, what programs said among them, and branches that were left. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Entry } from "../../src/entry.ts";
import { mergedTurns, type TurnNote, turnNotes, turnsIn } from "../../src/keeping/turns.ts";
import { story } from "../../src/testing/story.ts";
import { entriesOf, said } from "../reading/tool-work.ts";

test("CMP5 the notes read from the end are those of all, the newest sixty", () => {
  const line = fc.constantFrom("user: ask", "user:  ", "says: answer", "says:  ", "bash: ls -> a", "left e1: tried");
  fc.assert(
    fc.property(fc.array(line, { maxLength: 300, size: "max" }), (lines) => {
      const talk = story(...lines.map((each, at) => (/\w$/.test(each) ? `${each} ${at}` : each)));
      expect(turnNotes(talk)).toEqual(plainNotes(talk));
    }),
  );
});

test("CMP5 what is not told is not read", () => {
  const answer = { role: "toolResult", toolCallId: "c", toolName: "t", isError: false };
  const unread = Object.defineProperty({ ...answer }, "content", {
    get: () => {
      throw new Error("nobody asked for this output");
    },
    enumerable: true,
  });
  const turns = Array.from({ length: 61 }, () => [said({ role: "user", content: "go on" }), said({})]).flat();
  const talk = entriesOf(turns).map((entry, at) => (at % 2 === 0 ? entry : { ...entry, message: unread }));
  expect(turnNotes(talk as readonly Entry[])).toHaveLength(60);
});

test("CMP5 of a branch that was left more is told than of a request, on one line", () => {
  const [left, asked] = turnNotes(story(`left e9: ${"tried\nit ".repeat(200)}`, `user: ${"do it ".repeat(200)}`));
  expect([left?.asked.length, asked?.asked.length]).toEqual([600, 160]);
  expect(left?.asked).not.toContain("\n");
});

describe("what a program said", () => {
  const talk = story("user: fix it", "note: the build is red", "says: looking", "note: it is green", "says: done");
  const red: TurnNote = { asked: "[note] the build is red", said: "", entryId: "e2", by: "program" };
  const green: TurnNote = { asked: "[note] it is green", said: "", entryId: "e4", by: "program" };
  const turn: TurnNote = { asked: "fix it", said: "done", entryId: "e1" };

  test("CMP5 is named with its kind, and takes no answer from the turn it came in", () => {
    expect(turnNotes(talk)).toEqual([red, green, turn]);
  });

  test("CMP5 is the same wherever the turn was parted", () => {
    for (let at = 0; at <= talk.length; at++)
      expect(mergedTurns(turnNotes(talk.slice(0, at)), turnNotes(talk.slice(at)))).toEqual([red, green, turn]);
  });

  test("CMP5 is bounded, and pushes out nothing that was asked", () => {
    const notes = Array.from({ length: 100 }, (_, at) => `note: ${at}`);
    const kept = turnNotes(story("user: fix it", ...notes));
    expect([kept.length, kept.at(0)?.asked, kept.at(-1)?.asked]).toEqual([21, "[note] 80", "fix it"]);
    expect(turnsIn([...kept, ...structuredClone(kept)]).length).toBe(22);
  });

  test("KEEP1 a pin is not named: it stands at the front", () => {
    const pinned = { type: "custom_message", customType: "pith.pin", content: "use tabs", display: true };
    expect(turnNotes(entriesOf(pinned))).toEqual([]);
  });
});

/** The same from the first entry to the last, as it is easily seen to be right. */
function plainNotes(talk: readonly Entry[]): readonly TurnNote[] {
  const notes: TurnNote[] = [];
  for (const entry of talk) {
    const message = entry.type === "message" ? entry.message : null;
    const last = notes.at(-1);
    const words = wordsIn(entry);
    if (words === "" || message?.role === "bashExecution") continue;
    if (message?.role !== "assistant") notes.push({ asked: words, said: "", entryId: entry.id });
    else if (last) notes[notes.length - 1] = { ...last, said: words };
    else notes.push({ asked: "", said: words, entryId: entry.id });
  }
  return notes.slice(-60);
}

function wordsIn(entry: Entry): string {
  if (entry.type === "branch_summary") return entry.summary.trim();
  if (entry.type !== "message" || !("content" in entry.message)) return "";
  const { content } = entry.message;
  const [block] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return block && "text" in block ? String(block.text).trim() : "";
}

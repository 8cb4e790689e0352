/** Tests context/damage-note.ts: the note for a damaged entry, in the context and in a compaction. */

import { describe, expect, test } from "vitest";
import { buildSessionContext } from "../../src/context/build-context.ts";
import { convertToLlm } from "../../src/context/convert-to-llm.ts";
import { damageNote, mayBeLostMessage } from "../../src/context/damage-note.ts";
import { authorOf, entryText } from "../../src/context/entry-text.ts";
import type { Entry, GapEntry } from "../../src/entry.ts";
import { loadBranch } from "../../src/session/loaded-branch.ts";
import { renderTranscript } from "../../src/summary/transcript.ts";
import { show, story } from "../../src/testing/story.ts";

const gap = (id: string, parentId: string | null, more: Partial<GapEntry> = {}): GapEntry => ({
  ...{ type: "gap", id, parentId, timestamp: "", why: "not JSON" },
  ...more,
});

/** The same branch with a gap in place of one entry. */
function without(entries: readonly Entry[], id: string, kind?: GapEntry["kind"]): readonly Entry[] {
  return entries.map((entry, at) =>
    entry.id === id ? gap(id, entry.parentId, { number: at + 1, ...(kind && { kind }) }) : entry,
  );
}

const branchEntries = story("user: fix the login", "says: done", "user: and now?", "says: nothing more");

describe("HARM2 a damaged entry", () => {
  test("HARM2 has a note in its place, with its number and kind", () => {
    const messages = convertToLlm(buildSessionContext(loadBranch(without(branchEntries, "e1", "user"))).messages);
    expect(show(messages).split("\n").slice(0, 2)).toEqual([
      "0 user      [Pith: entry #1 in this session is damaged and cannot be read. It was a message from the user. Do not guess its content. If you need it, ask the user, or get it again with a tool.]",
      "1 assistant done",
    ]);
    expect(show(messages)).not.toContain("(continue)");
  });

  test("HARM2 of unknown kind has a note that it may have been anything", () => {
    expect(damageNote(gap("e1", null))).toBe(
      "[Pith: an entry in this session is damaged and cannot be read. It may have been a message from the user, one of your replies, a tool result or a summary. Do not guess its content. If you need it, ask the user, or get it again with a tool.]",
    );
    expect(mayBeLostMessage(gap("e1", null))).toBe(true);
  });

  test("HARM2 that was never in the context has no note", () => {
    for (const kind of ["label", "session_info", "model_change", "custom", "usage"] as const)
      expect([kind, damageNote(gap("e1", null, { kind })), mayBeLostMessage(gap("e1", null, { kind }))]).toEqual([
        kind,
        null,
        false,
      ]);
  });

  test("HARM2 with invalid fields has a note; a kind from a newer version is not damage", () => {
    const place = { id: "e1", parentId: null, timestamp: "", number: 4 };
    const malformed: Entry = { type: "unknown", ...place, kind: "message", value: { message: { role: "user" } } };
    const newer: Entry = { type: "unknown", ...place, kind: "vote", value: { type: "vote" } };
    expect(damageNote(malformed)).toContain("entry #4 in this session is damaged");
    expect(damageNote(newer)).toBeNull();
  });

  test("HARM2 has no author, and the transcript for a summarizer shows it as a note", () => {
    const lost = without(branchEntries, "e3", "user");
    const at = lost[2] as Entry;
    expect([authorOf(at), entryText(at).startsWith("[Pith: ")]).toEqual(["none", true]);
    const [, , block] = renderTranscript(lost, { edits: [] });
    expect(block?.text).toMatch(/^\[Note\]: \[#3\] \(pith\.damage\) \[Pith: entry #3 in this session is damaged/);
  });

  test("HARM2 between a call and its result is moved after the result", () => {
    const calls = story("user: go", "calls: read path=a; read path=b", "result c1: A", "result c2: B", "says: done");
    const sent = show(convertToLlm(buildSessionContext(loadBranch(without(calls, "e3", "toolResult"))).messages));
    expect(sent.split("\n").map((line) => line.slice(2, 40).trim())).toEqual([
      "user      go",
      "assistant [c1: read path=a] [c2: read",
      "tool      c1 -> (error) There is no re",
      "tool      c2 -> B",
      "user      [Pith: entry #3 in this sess",
      "assistant done",
    ]);
  });
});

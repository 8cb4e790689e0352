/** Tests compaction/kept-work.ts: without a model, turns. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compactionLevels } from "../../src/compaction/budget.ts";
import { type CompactionPlan, planWithCut } from "../../src/compaction/plan.ts";
import { ENVIRONMENT_TYPE, type Entry, STATE_TYPE } from "../../src/entry.ts";
import { appendToBranch, type LoadedBranch, loadBranch } from "../../src/session/loaded-branch.ts";
import { describeImages } from "../../src/summary-parts/default-parts.ts";
import { collectTurnNotes, mergeTurnNotes, parseTurnNotes, type TurnNote } from "../../src/summary-parts/turn-notes.ts";
import { collectWorkRecord, type WorkRecord } from "../../src/summary-parts/work-record.ts";
import { story } from "../../src/testing/story.ts";
import {
  createEntries as entriesOf,
  messageEntry as said,
  type EntryFields as Told,
  text,
  toolCallEntries as used,
} from "../context/tool-work.ts";
import { expectFasterThan } from "../support/expect-speed.ts";
import { smallBudget } from "../support/small-session.ts";

describe("without a model", () => {
  describe("LED2 the file list from one compaction to the next", () => {
    test("LED2 LED3 counts each file once, even with older compactions in the kept part", () => {
      const files = Array.from({ length: 300 }, (_, at) => `src/${at}.ts`);
      let window = loadBranch(writing(...files, ...Array(20).fill("src/299.ts")));
      for (let round = 1; round <= 20; round++) {
        const { kept, after } = compactedAt(window, round === 1 ? 600 : replyFrom(window, 6), `c${round}`);
        expect(modifiedIn(kept)).toBe(300);
        window = appendToBranch(after, findEntries(writing(...Array(3).fill("src/299.ts")), `r${round}`));
      }
      expect(window.entries.filter(({ type }) => type === "compaction").length).toBeGreaterThan(1);
    });

    test("B49 has the newest 500 files in the details for pi, sorted", () => {
      const files = Array.from({ length: 600 }, (_, at) => `src/${at + 1000}.ts`);
      const first = compactedAt(loadBranch(writing(...files, "zz-newest.ts", "kept.ts")), 1202, "c1");
      const newest = ["kept.ts", ...files.slice(-498), "zz-newest.ts"];
      expect(first.kept.files).toEqual({ read: [], modified: newest });

      const grown = appendToBranch(
        first.after,
        findEntries(writing("zzz-newer.ts", "aaa-newer.ts", "kept too.ts"), "r"),
      );
      const { modified } = compactedAt(grown, grown.entries.length - 2, "c2").kept.files;
      expect(modified).toHaveLength(500);
      expect(modified).toEqual(modified.toSorted());
      expect(modified).toEqual(
        expect.arrayContaining(["aaa-newer.ts", ...newest.slice(-197), "zzz-newer.ts", "kept.ts"]),
      );
    });
  });

  test("LED11 the model sees the state after the kept entries, and the next compaction continues from the summarized ones", () => {
    const covered = [
      ...used({ arguments: { path: "/tmp/a.mjs", content: "x" } }, {}),
      ...used({ arguments: { command: "npm test" } }, { ...text("Error: boom\n2 failed"), isError: true }),
    ];
    const kept = used({ arguments: { command: "npm test && rm /tmp/a.mjs" } }, text("9 passed"));
    const { ledger, shownLedger, files } = collectWorkRecord(planAt(loadBranch(entriesOf(covered, kept)), 4));
    expect(ledger).toMatchObject({ files: [{ path: "/tmp/a.mjs" }], errors: [{}], checks: [{ outcome: "2 failed" }] });
    expect(shownLedger).toMatchObject({ files: [], errors: [], checks: [{ exitCode: 0, outcome: "9 passed" }] });
    expect(files).toEqual({ read: [], modified: [] });
  });

  test("LED3 collecting twenty thousand entries with repeated output is fast", () => {
    const output = text(`${"const line = of(code);\n".repeat(90)}`);
    const exchange = used({ arguments: { path: "src/a.ts", content: "x" } }, output);
    // It took thirteen seconds once.
    expectFasterThan(560, () => {
      const window = loadBranch(entriesOf(Array.from({ length: 10_000 }, () => exchange).flat()));
      const plan = planAt(window, 19_998);
      return () => collectWorkRecord(plan);
    });
  });

  test.each([
    ["model", true],
    ["host", true],
    ["model-free", undefined],
  ])("CMP12 turns before a compaction of the route %s count as summarized: %s", (route, inSummary) => {
    // Notes of earlier versions do not say it.
    const pith = { turns: [{ asked: "fix it", said: "done", entryId: "e1" }], receipt: { route } };
    const entries = story(
      ...["user: fix it", "says: done", "compacts: so far, keeps nothing"],
      ...["user: and now", "says: yes", "user: more", "says: fine"],
    ).map((entry) => (entry.type === "compaction" ? { ...entry, details: { pith } } : entry));
    const window = loadBranch(entries);
    const { turns } = collectWorkRecord(
      planAt(
        window,
        window.entries.findIndex(({ id }) => id === "e6"),
      ),
    );
    expect(turns.map((turn) => [turn.asked, turn.inSummary])).toEqual([
      ["fix it", inSummary],
      ["and now", undefined],
    ]);
  });

  function writing(...paths: readonly string[]): readonly Entry[] {
    return entriesOf(...paths.map((path): readonly Told[] => used({ arguments: { path, content: "x" } }, {})));
  }

  /** The first place from here on where a compaction may cut. */
  function replyFrom({ entries }: LoadedBranch, from: number): number {
    return entries.findIndex(
      (entry, at) => at >= from && entry.type === "message" && entry.message.role === "assistant",
    );
  }

  /** The same entries, with ids of their own. */
  function findEntries(entries: readonly Entry[], name: string): readonly Entry[] {
    return entries.map((entry, at) => ({ ...entry, id: `${name}-${at}` }));
  }

  function planAt(window: LoadedBranch, at: number): CompactionPlan {
    const plan = planWithCut(window, { budget: smallBudget(), level: compactionLevels[0], describeImages }, at);
    if (!plan) throw new Error(`nothing can be cut at ${at}`);
    return plan;
  }

  function compactedAt(
    window: LoadedBranch,
    at: number,
    id: string,
  ): { readonly kept: WorkRecord; readonly after: LoadedBranch } {
    const plan = planAt(window, at);
    const kept = collectWorkRecord(plan);
    const { ledger, turns, files } = kept;
    const details = { readFiles: files.read, modifiedFiles: files.modified, pith: { ledger, turns } };
    const firstKeptEntryId = plan.kept[0]?.id ?? id;
    const placing = { id, parentId: window.entries.at(-1)?.id ?? null, timestamp: "2026-01-01T00:00:00.000Z" };
    const compaction: Entry = {
      type: "compaction",
      ...placing,
      summary: "so far",
      firstKeptEntryId,
      tokensBefore: 1,
      details,
    };
    return { kept, after: appendToBranch(window, [compaction]) };
  }

  function modifiedIn({ ledger: { files, folders } }: WorkRecord): number {
    return (
      files.filter(({ did }) => did === "modified").length + folders.reduce((sum, { modified }) => sum + modified, 0)
    );
  }
});

describe("turns", () => {
  test("CMP5 the notes read from the end equal those of the whole branch, the newest sixty-one", () => {
    const line = fc.constantFrom("user: ask", "user:  ", "says: answer", "says:  ", "bash: ls -> a", "left e1: tried");
    fc.assert(
      fc.property(fc.array(line, { maxLength: 300, size: "max" }), (lines) => {
        const entries = story(...lines.map((each, at) => (/\w$/.test(each) ? `${each} ${at}` : each)));
        expect(collectTurnNotes(entries)).toEqual(plainNotes(entries));
      }),
    );
  });

  test("CMP5 a note refers to its entry by number, or by id if there is none", () => {
    const [numbered] = story("user: fix it");
    const { number: _number, ...plain } = numbered as Entry;
    expect(collectTurnNotes([numbered as Entry])).toMatchObject([{ entryId: "e1", reference: "#1" }]);
    expect(collectTurnNotes([plain as Entry])).toMatchObject([{ entryId: "e1", reference: "entry:e1" }]);
  });

  test("CMP5 notes of earlier versions without a reference are kept", () => {
    const old: TurnNote = { asked: "fix it", said: "done", entryId: "e1" };
    expect(parseTurnNotes([old, { asked: "no entry" }])).toEqual([old]);
  });

  test("CMP5 tool output that is not needed for the notes is not read", () => {
    const answer = { role: "toolResult", toolCallId: "c", toolName: "t", isError: false };
    const unread = Object.defineProperty({ ...answer }, "content", {
      get: () => {
        throw new Error("nobody asked for this output");
      },
      enumerable: true,
    });
    const turns = Array.from({ length: 62 }, () => [said({ role: "user", content: "go on" }), said({})]).flat();
    const entries = entriesOf(turns).map((entry, at) => (at % 2 === 0 ? entry : { ...entry, message: unread }));
    expect(collectTurnNotes(entries as readonly Entry[])).toHaveLength(61);
  });

  test("CMP5 a note of a branch summary is longer than one of a request, and on one line", () => {
    const [left, requested] = collectTurnNotes(
      story(`left e9: ${"tried\nit ".repeat(200)}`, `user: ${"do it ".repeat(200)}`),
    );
    expect([left?.asked.length, requested?.asked.length]).toEqual([600, 160]);
    expect(left?.asked).not.toContain("\n");
  });

  describe("a note of a program's message", () => {
    const entries = story("user: fix it", "note: the build is red", "says: looking", "note: it is green", "says: done");
    const red: TurnNote = { asked: "[note] the build is red", said: "", entryId: "e2", reference: "#2", by: "program" };
    const green: TurnNote = { asked: "[note] it is green", said: "", entryId: "e4", reference: "#4", by: "program" };
    const turn: TurnNote = { asked: "fix it", said: "done", entryId: "e1", reference: "#1" };

    test("CMP5 has its kind, and does not take the reply of the turn around it", () => {
      expect(collectTurnNotes(entries)).toEqual([red, green, turn]);
    });

    test("CMP5 is the same wherever the turn is split", () => {
      for (let at = 0; at <= entries.length; at++)
        expect(mergeTurnNotes(collectTurnNotes(entries.slice(0, at)), collectTurnNotes(entries.slice(at)))).toEqual([
          red,
          green,
          turn,
        ]);
    });

    test("CMP5 is limited in number, and does not push out requests", () => {
      const notes = Array.from({ length: 100 }, (_, at) => `note: ${at}`);
      const kept = collectTurnNotes(story("user: fix it", ...notes));
      expect([kept.length, kept.at(0)?.asked, kept.at(-1)?.asked]).toEqual([21, "[note] 80", "fix it"]);
      expect(parseTurnNotes([...kept, ...structuredClone(kept)]).length).toBe(22);
    });

    test("ENV1 is not made of a state entry, which is sent again anyway", () => {
      const stated = (customType: string): Entry =>
        ({ type: "custom_message", customType, content: "Today is Friday.", display: false, ...place }) as Entry;
      const place = { id: "s", parentId: null, timestamp: "2026-01-01T00:00:00.000Z", number: 9 };
      for (let at = 0; at <= entries.length; at++)
        for (const kind of [ENVIRONMENT_TYPE, STATE_TYPE, `${STATE_TYPE}.files`])
          expect(collectTurnNotes(entries.toSpliced(at, 0, stated(kind)))).toEqual([red, green, turn]);
      expect(collectTurnNotes([stated(ENVIRONMENT_TYPE), stated(STATE_TYPE)])).toEqual([]);
      expect(collectTurnNotes([stated(`${STATE_TYPE}s`)])).toHaveLength(1);
    });

    test("KEEP1 is not made of a pin, which stays at the front", () => {
      const pinned = { type: "custom_message", customType: "pith.pin", content: "use tabs", display: true };
      expect(collectTurnNotes(entriesOf(pinned))).toEqual([]);
    });
  });

  /** The same from the first entry to the last, as it is easily seen to be right. */
  function plainNotes(entries: readonly Entry[]): readonly TurnNote[] {
    const notes: TurnNote[] = [];
    for (const entry of entries) {
      const message = entry.type === "message" ? entry.message : null;
      const last = notes.at(-1);
      const words = wordsIn(entry);
      const names = { entryId: entry.id, reference: `#${entry.number}` };
      if (words === "" || message?.role === "bashExecution") continue;
      const by = entry.type === "branch_summary" && { by: "branch" as const };
      if (message?.role !== "assistant") notes.push({ asked: words, said: "", ...names, ...by });
      else if (last) notes[notes.length - 1] = { ...last, said: words };
      else notes.push({ asked: "", said: words, ...names });
    }
    return notes.slice(-61);
  }

  function wordsIn(entry: Entry): string {
    if (entry.type === "branch_summary") return entry.summary.trim();
    if (entry.type !== "message" || !("content" in entry.message)) return "";
    const { content } = entry.message;
    const [block] = typeof content === "string" ? [{ type: "text", text: content }] : content;
    return block && "text" in block ? String(block.text).trim() : "";
  }
});

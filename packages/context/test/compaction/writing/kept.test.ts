/** Proves what code keeps from one compaction to the next: nothing is counted twice, and the newest stays. */

import { describe, expect, test } from "vitest";
import { type Plan, prepareAt } from "../../../src/compaction/planning/plan.ts";
import { rungs } from "../../../src/compaction/planning/rungs.ts";
import { type Kept, keptByCode } from "../../../src/compaction/writing/kept.ts";
import type { Entry } from "../../../src/entry.ts";
import { extended, type Window, windowOf } from "../../../src/session/window.ts";
import { entriesOf, type Told, text, used } from "../../reading/tool-work.ts";
import { expectSoon } from "../../soon.ts";
import { smallBudget } from "../small-session.ts";

describe("LED2 from one compaction to the next", () => {
  test("LED2 LED3 files are counted once, also where older compactions lie in the kept part", () => {
    const files = Array.from({ length: 300 }, (_, at) => `src/${at}.ts`);
    let window = windowOf(writing(...files, ...Array(20).fill("src/299.ts")));
    for (let round = 1; round <= 20; round++) {
      const { kept, after } = compactedAt(window, round === 1 ? 600 : replyFrom(window, 6), `c${round}`);
      expect(modifiedIn(kept)).toBe(300);
      window = extended(after, placed(writing(...Array(3).fill("src/299.ts")), `r${round}`));
    }
    expect(window.entries.filter(({ type }) => type === "compaction").length).toBeGreaterThan(1);
  });

  test("B49 of very many files pi is told the newest, sorted", () => {
    const files = Array.from({ length: 600 }, (_, at) => `src/${at + 1000}.ts`);
    const first = compactedAt(windowOf(writing(...files, "zz-newest.ts", "kept.ts")), 1202, "c1");
    const newest = [...files.slice(-499), "zz-newest.ts"];
    expect(first.kept.files).toEqual({ read: [], modified: newest });

    const grown = extended(first.after, placed(writing("zzz-newer.ts", "aaa-newer.ts", "kept too.ts"), "r"));
    const { modified } = compactedAt(grown, grown.entries.length - 2, "c2").kept.files;
    expect(modified).toHaveLength(500);
    expect(modified).toEqual(modified.toSorted());
    expect(modified).toEqual(
      expect.arrayContaining(["aaa-newer.ts", ...newest.slice(-197), "zzz-newer.ts", "kept.ts"]),
    );
  });
});

test("LED3 a first compaction of twenty thousand entries that put out the same again and again is soon done", () => {
  const output = text(`${"const line = of(code);\n".repeat(90)}`);
  const exchange = used({ arguments: { path: "src/a.ts", content: "x" } }, output);
  // It took thirteen seconds once.
  expectSoon(560, () => {
    const window = windowOf(entriesOf(Array.from({ length: 10_000 }, () => exchange).flat()));
    const plan = planAt(window, 19_998);
    return () => keptByCode(plan);
  });
});

function writing(...paths: readonly string[]): readonly Entry[] {
  return entriesOf(...paths.map((path): readonly Told[] => used({ arguments: { path, content: "x" } }, {})));
}

/** The first place from here on where a compaction may cut. */
function replyFrom({ entries }: Window, from: number): number {
  return entries.findIndex((entry, at) => at >= from && entry.type === "message" && entry.message.role === "assistant");
}

/** The same entries, with ids of their own. */
function placed(entries: readonly Entry[], name: string): readonly Entry[] {
  return entries.map((entry, at) => ({ ...entry, id: `${name}-${at}` }));
}

function planAt(window: Window, at: number): Plan {
  const plan = prepareAt(window, { budget: smallBudget(), rung: rungs[0] }, at);
  if (!plan) throw new Error(`nothing can be cut at ${at}`);
  return plan;
}

function compactedAt(window: Window, at: number, id: string): { readonly kept: Kept; readonly after: Window } {
  const plan = planAt(window, at);
  const kept = keptByCode(plan);
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
  return { kept, after: extended(window, [compaction]) };
}

function modifiedIn({ ledger: { files, folders } }: Kept): number {
  return (
    files.filter(({ did }) => did === "modified").length + folders.reduce((sum, { modified }) => sum + modified, 0)
  );
}

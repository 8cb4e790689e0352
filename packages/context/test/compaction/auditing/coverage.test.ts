/** Proves the coverage law by itself: which entries would fall out of a compaction, for any writer. */

import { describe, expect, test } from "vitest";
import { uncovered } from "../../../src/compaction/auditing/coverage.ts";
import { type Plan, prepareAt } from "../../../src/compaction/planning/plan.ts";
import { rungs } from "../../../src/compaction/planning/rungs.ts";
import type { Entry } from "../../../src/entry.ts";
import { renderFront } from "../../../src/keeping/front.ts";
import { windowOf } from "../../../src/session/window.ts";
import { story } from "../../../src/testing/story.ts";
import { smallBudget } from "../small-session.ts";

function planAt(entries: readonly Entry[], at: number): Plan {
  const plan = prepareAt(windowOf(entries), { budget: smallBudget(), rung: rungs[0] }, at);
  if (!plan) throw new Error(`nothing can be cut at ${at}`);
  return plan;
}

/** What falls out when these entries were put before the writer. */
function left(plan: Plan, covers: readonly string[], told = "a story"): readonly string[] {
  const candidate = { route: "model", story: told, notes: "", covers: new Set(covers) };
  return uncovered(plan, candidate).map(({ id }) => id);
}

describe("CMP6 what is covered", () => {
  const talk = story(
    "user: one",
    "calls: a",
    "result: two",
    "model: a/b",
    "fails to answer: busy",
    "note: three",
    "says: four",
    "drops e7",
    "user: five",
    "says: six",
  );

  test("CMP6 is all that was seen before the cut, and was put before the writer", () => {
    const plan = planAt(talk, 8);
    expect(left(plan, ["e1", "e2", "e3", "e6"])).toEqual([]);
    expect(left(plan, ["e2", "e6"])).toEqual(["e1", "e3"]);
    expect(left(plan, [])).toEqual(["e1", "e2", "e3", "e6"]);
  });

  test("CMP6 is nothing of what is kept", () => {
    expect(left(planAt(talk, 0), [])).toEqual([]);
    expect(left(planAt(talk, 10), ["e1", "e2", "e3", "e6", "e9"])).toEqual(["e10"]);
  });
});

describe("CMP6 the summary before", () => {
  const talk = story("user: one", "compacts: older, keeps e1", "user: two", "compacts: newer, keeps e1", "user: three");
  const said = ["e1", "e3"];

  test("CMP6 is carried on by a story of the same writer's", () => {
    expect(left(planAt(talk, 4), said)).toEqual([]);
  });

  test("CMP6 falls out where code goes on without it, the newest alone", () => {
    expect(left(planAt(talk, 4), said, "")).toEqual(["e4"]);
    expect(left(planAt(talk, 1), said, "")).toEqual(["e4"]);
    expect(left(planAt(talk, 4), ["e1"], "")).toEqual(["e3", "e4"]);
  });

  test("CMP6 does not where it was put before the writer", () => {
    expect(left(planAt(talk, 4), [...said, "e4"], "")).toEqual([]);
    expect(left(planAt(talk, 4), [...said, "e2"], "")).toEqual(["e4"]);
  });

  test("CMP6 does not where it told nothing: what code kept is kept again", () => {
    const { text: summary, parts: front } = renderFront({
      pins: "",
      words: [],
      story: "",
      notes: "by code",
      ledger: "",
      recall: "",
      request: "",
    });
    const entries = talk.map((entry) =>
      entry.id === "e4" ? { ...entry, summary, details: { pith: { front } } } : entry,
    );
    expect(left(planAt(entries as readonly Entry[], 4), said, "")).toEqual([]);
  });
});

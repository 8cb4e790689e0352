/** Proves what a plan says before anything is written: what it covers and keeps on each rung, and whether it still holds later. */

import { describe, expect, test } from "vitest";
import { type Budget, type CompactionLevel, compactionLevels } from "../../src/compaction/budget.ts";
import { type CompactionPlan, coversSameEntries, planWithCut, rebasePlan } from "../../src/compaction/plan.ts";
import { collectPart } from "../../src/compaction/summary-message.ts";
import { contextSize } from "../../src/context/context-size.ts";
import type { Entry } from "../../src/entry.ts";
import { prepareCompaction } from "../../src/pi-calls.ts";
import { appendToBranch, type LoadedBranch, loadBranch } from "../../src/session/loaded-branch.ts";
import { describeImages } from "../../src/summary-parts/default-parts.ts";
import { createFallbackSummary } from "../../src/summary-parts/fallback-summary.ts";
import { latestRequest, renderRequest, userMessageTokens } from "../../src/summary-parts/latest-request.ts";
import { selectUserMessages, userMessages } from "../../src/summary-parts/user-messages.ts";
import { story } from "../../src/testing/story.ts";
import { repeatWord, smallBudget } from "../support/small-session.ts";

const loadStory = (...lines: readonly string[]): LoadedBranch => loadBranch(story(...lines));
const rung = (name: CompactionLevel["name"]): CompactionLevel =>
  compactionLevels.find((each) => each.name === name) ?? compactionLevels[0];
const ids = (entries: readonly Pick<Entry, "id">[]): string => entries.map(({ id }) => `${id}`).join(" ");

const requestText = (plan: CompactionPlan): string =>
  renderRequest(collectPart(latestRequest, plan).request, userMessageTokens(plan));

/** What is covered and kept, by ids; where nothing is planned, why. */
function outlined(
  window: LoadedBranch,
  budget: Budget = smallBudget(),
  on: CompactionLevel = compactionLevels[0],
): object {
  const prepared = prepareCompaction(window, budget, on);
  return prepared.type === "planned" ? outline(prepared.plan) : prepared;
}

function outline(plan: CompactionPlan): object {
  const { cut, covered, turnPrefix: turn, kept, shortenings } = plan;
  return {
    cut,
    covered: ids(covered),
    turn: ids(turn),
    kept: ids(kept),
    reduced: shortenings.map(({ targetId }) => targetId).join(" "),
    request: collectPart(latestRequest, plan).request,
  };
}

function planOf(
  window: LoadedBranch,
  budget: Budget = smallBudget(),
  on: CompactionLevel = compactionLevels[0],
): CompactionPlan {
  const prepared = prepareCompaction(window, budget, on);
  if (prepared.type !== "planned") throw new Error(`nothing is planned: ${prepared.why}`);
  return prepared.plan;
}

const tooShort = { type: "nothing-to-do", why: "too-short" };
const turns = loadStory(
  "user: one",
  `says: ${repeatWord(20)}`,
  `user: ${repeatWord(8)}`,
  `says: ${repeatWord(8)}`,
  `user: ${repeatWord(6)}`,
  `says: ${repeatWord(3)}`,
);

describe("a plan", () => {
  test("CUT1 CUT4 covers the entries before the cut, and has the turn that it splits", () => {
    const window = loadStory(
      "user: one",
      `says: ${repeatWord(40)}`,
      `user: ${repeatWord(8)}`,
      `says: ${repeatWord(20)}`,
      `says: ${repeatWord(15)}`,
    );
    expect(outlined(window)).toEqual({
      cut: { index: 4, turnStartIndex: 2 },
      covered: "e1 e2 e3 e4",
      turn: "e3 e4",
      kept: "e5",
      reduced: "",
      request: { reference: "#3", text: repeatWord(8), isPerson: true, repliesTo: `…${repeatWord(40).slice(-200)}` },
    });
  });

  test("CUT4 KEEP4 splits no turn if the cut is between two turns, and does not repeat a kept request", () => {
    const window = loadStory(
      "user: one",
      `says: ${repeatWord(40)}`,
      `user: ${repeatWord(8)}`,
      `says: ${repeatWord(3)}`,
    );
    expect(outlined(window)).toEqual({
      cut: { index: 2, turnStartIndex: null },
      covered: "e1 e2",
      turn: "",
      kept: "e3 e4",
      reduced: "",
      request: null,
    });
  });

  test("KEEP4 has the request apart from the other messages, shortened only in the summary message", () => {
    const longRequest = repeatWord(900, "ask");
    const window = loadStory(
      "user: use tabs in all of the nine files",
      "says: ok",
      `user: ${longRequest}`,
      `says: ${repeatWord(40)}`,
    );
    const plan = planOf(window, smallBudget(), rung("summary-only"));
    const kept = collectPart(latestRequest, plan);
    expect(kept.request).toEqual({ reference: "#3", text: longRequest, isPerson: true, repliesTo: "" });
    expect(requestText(plan)).toMatch(
      /^# The user's latest request, still open unless the messages below say otherwise \[#3\]\nask0 ask1 [\s\S]*#3 opens all of it[\s\S]* ask899$/,
    );
    expect(collectPart(userMessages, plan).messages.map(({ reference }) => reference)).toEqual(["#1"]);
    expect(requestText(planOf(turns))).toBe("");
  });

  test("CMP8 has the size of the context, its window and its budget", () => {
    const budget = smallBudget();
    const { branch: window, sizeBefore: before, level: on, ...rest } = planOf(turns, budget);
    expect({ window, before, on, budget: rest.budget }).toEqual({
      window: turns,
      before: contextSize(turns, budget),
      on: compactionLevels[0],
      budget,
    });
  });

  test("CUT3 is not made if the model never saw what would be covered", () => {
    const exchange = ["calls: a; b", `result: ${repeatWord(15)}`, `result: ${repeatWord(15)}`];
    expect(outlined(loadStory(...exchange))).toEqual(tooShort);
    expect(outlined(loadStory("fails to answer: busy", "compacts: before, keeps e1", ...exchange))).toEqual(tooShort);
    expect(outlined(loadStory("user: one", "fails to answer: busy", ...exchange))).toMatchObject({ covered: "e1 e2" });
  });

  test("CUT3 is not made of a conversation that is shorter than the tail and fits", () => {
    expect(outlined(loadStory("user: one", "says: two", "user: three"))).toEqual(tooShort);
  });
});

describe("on each level", () => {
  test.each<[CompactionLevel["name"], string, string]>([
    ["whole", "e1 e2", "e3 e4 e5 e6"],
    ["reduced", "e1 e2", "e3 e4 e5 e6"],
    ["half", "e1 e2 e3 e4", "e5 e6"],
    ["quarter", "e1 e2 e3 e4 e5", "e6"],
    ["summary-only", "e1 e2 e3 e4 e5 e6", ""],
    ["barest", "e1 e2 e3 e4 e5 e6", ""],
  ])("CMP4 CMP10 %s covers %s", (name, covered, kept) => {
    const plan = planOf(turns, smallBudget({ tail: { tokens: 90, share: 1 } }), rung(name));
    expect([ids(plan.covered), ids(plan.kept)]).toEqual([covered, kept]);
  });

  test("CMP10 without a tail no turn is split", () => {
    expect(outlined(turns, smallBudget(), rung("summary-only"))).toMatchObject({
      cut: { index: 6, turnStartIndex: null },
      turn: "",
    });
  });

  test("CUT3 an empty session has no plan", () => {
    expect(compactionLevels.map((each) => prepareCompaction(loadBranch([]), smallBudget(), each))).toEqual(
      compactionLevels.map(() => tooShort),
    );
  });

  test("KEEP2 KEEP5 user messages and the summary have their shares of the tokens", () => {
    const window = loadStory(
      `user: ${repeatWord(60, "rule")}`,
      "says: ok",
      `user: ${repeatWord(60, "wish")}`,
      "says: ok",
      "user: go on",
      `says: ${repeatWord(200)}`,
    );
    const shares = compactionLevels.map((each) => {
      const plan = planOf(window, smallBudget(), each);
      const { shortened, newStubs, newlyHidden } = selectUserMessages(plan, createFallbackSummary(plan));
      return [each.name, plan.checkpoint, ...[shortened, newStubs, newlyHidden].map((list) => list.join(" "))];
    });
    expect(shares).toEqual([
      ["whole", 600, "", "", ""],
      ["reduced", 600, "", "", ""],
      ["half", 600, "", "", ""],
      ["quarter", 300, "#1 #3", "", ""],
      ["summary-only", 300, "#1 #3", "", ""],
      ["barest", 60, "", "", "#1 #3"],
    ]);
  });
});

test("KEEP5 TOK5 texts are shorter for a model that counts more tokens than the estimate", () => {
  const to = { api: "any", provider: "p", model: "m" };
  const fit = { factor: 2, overhead: 0, samples: 9 };
  const [compaction, ...rest] = story(
    "compacts: before, keeps nothing",
    "user: one",
    `says: ${repeatWord(90)}`,
    "user: two",
  );
  const details = { pith: { calibration: { "p/m": fit } } };
  const window = loadBranch([{ ...compaction, details } as Entry, ...rest]);
  expect(planOf(window, { ...smallBudget(), model: to }).checkpoint).toBe(300);
  expect(planOf(window, { ...smallBudget(), model: { ...to, model: "other" } }).checkpoint).toBe(600);
});

describe("a context that is too large", () => {
  test("CUT7 is hardly summarized if reducing large entries is enough; the system prompt does not count", () => {
    const window = loadStory(
      `system: ${repeatWord(90)}`,
      "user: one",
      "says: two",
      `user: ${repeatWord(1500)}`,
      "user: go on",
    );
    const budget = smallBudget({ tail: { tokens: 400, share: 1 } });
    expect(outlined(window, budget)).toEqual({
      cut: { index: 2, turnStartIndex: 1 },
      covered: "e1 e2",
      turn: "e2",
      kept: "e3 e4 e5",
      reduced: "e4",
      request: null,
    });
  });

  // Each has 152 tokens and 265 bytes; what is kept may weigh half of what the wire carries.
  const heavy = loadStory(...Array.from({ length: 6 }, (_, at) => `user: ${repeatWord(36, `w${at}x`)}`));
  const wire = (bytes: number, tail: number): Budget =>
    smallBudget({ requestSize: { bytes, share: 1 }, tail: { tokens: tail, share: 1 } });

  test("KEEP8 DUE1 is cut by its bytes if it is too heavy for the provider", () => {
    expect(outlined(heavy, wire(1200, 100_000))).toMatchObject({ covered: "e1 e2 e3 e4", kept: "e5 e6" });
    expect(outlined(heavy, wire(1200, 800))).toMatchObject({ covered: "e1 e2 e3 e4", kept: "e5 e6" });
  });

  test("KEEP8 DUE1 is cut by its tokens if that cut is later", () => {
    expect(outlined(heavy, wire(1200, 160))).toMatchObject({ covered: "e1 e2 e3 e4 e5", kept: "e6" });
  });

  test("KEEP8 DUE1 is cut by its tokens if everything that can be cut is light", () => {
    const window = loadStory(
      `system: ${repeatWord(200)}`,
      "user: one",
      `says: ${repeatWord(20)}`,
      `user: ${repeatWord(20)}`,
    );
    expect(outlined(window, wire(1500, 60))).toMatchObject({ covered: "e1 e2 e3", kept: "e4" });
  });
});

describe("a requested cut", () => {
  const window = loadStory("user: one", "calls: a", "result: two", "says: three", "user: four");
  const own = (at: number): object | null => {
    const plan = planWithCut(window, { budget: smallBudget(), level: rung("half"), describeImages }, at);
    return plan && { ...outline(plan), rung: plan.level.name };
  };

  test("CUT2 CMP7 is used as given, unless it would separate a call from its result", () => {
    expect(own(1)).toEqual({
      cut: { index: 1, turnStartIndex: 0 },
      covered: "e1",
      turn: "e1",
      kept: "e2 e3 e4 e5",
      reduced: "",
      request: null,
      rung: "half",
    });
    expect(own(2)).toBeNull();
  });
});

describe("after changes", () => {
  const entries = story("user: one", `says: ${repeatWord(40)}`, `user: ${repeatWord(8)}`, "says: three");
  const before = loadBranch(entries);
  const elsewhere = story("says: else").map((entry) => ({ ...entry, id: "x" }));
  const appended = (...lines: readonly string[]): LoadedBranch =>
    appendToBranch(before, story(...Array<string>(entries.length).fill("user: x"), ...lines).slice(entries.length));

  test("CMP3 CMP6 a plan stays valid if only messages and labels were added", () => {
    const plan = planOf(before);
    expect(rebasePlan(plan, before, describeImages)).toBe(plan);
    const grown = appended("user: four", "labels e1: here");
    const { budget, level } = plan;
    const rebased = rebasePlan(plan, grown, describeImages) as CompactionPlan;
    expect(rebased).toEqual(planWithCut(grown, { budget, level, describeImages }, plan.cut.index));
    expect(outline(rebased)).toMatchObject({ covered: "e1 e2", kept: "e3 e4 e5 e6" });
    expect(rebasePlan(plan, appended("drops e1"), describeImages)).toBeNull();
  });

  test.each<[string, LoadedBranch, boolean]>([
    ["a message", appended("user: four"), true],
    ["nothing", before, true],
    ["an edit of a covered entry", appended("drops e1"), false],
    ["an edit of a kept entry", appended("drops e4"), true],
    ["a compaction that keeps all", appended("compacts: so far, keeps e1"), false],
    ["a compaction that keeps some", appended("compacts: so far, keeps e3", "user: four", "user: five"), false],
    ["another branch before the cut", loadBranch([...entries.slice(0, 1), ...elsewhere]), false],
    ["another branch after the cut", loadBranch([...entries.slice(0, 3), ...elsewhere]), true],
    ["going back to the kept part", loadBranch(entries.slice(0, 3)), true],
    ["going back before the cut", loadBranch(entries.slice(0, 1)), false],
  ])("CMP3 CMP6 PREP1 with %s, a plan covers the same entries: %j", (_, window, expected) => {
    expect(coversSameEntries(planOf(before), window)).toBe(expected);
  });
});

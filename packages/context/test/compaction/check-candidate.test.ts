/** Tests compaction/check-candidate.ts: checks, coverage. */

import { describe, expect, test } from "vitest";
import { compactionLevels } from "../../src/compaction/budget.ts";
import {
  type CheckInput,
  createEditNotices,
  findUncoveredEntries,
  firstFailedCheck,
} from "../../src/compaction/check-candidate.ts";
import {
  type CompactionPlan,
  MODEL_FREE_ROUTE,
  planWithCut,
  type SummaryCandidate,
} from "../../src/compaction/plan.ts";
import type { Finding } from "../../src/compaction/receipt.ts";
import { renderSummaryMessage } from "../../src/compaction/summary-message.ts";
import type { ContextSize } from "../../src/context/context-size.ts";
import type { SummaryPartText } from "../../src/context/read-summary-parts.ts";
import type { Entry } from "../../src/entry.ts";
import { loadBranch } from "../../src/session/loaded-branch.ts";
import { noRedaction } from "../../src/session/session.ts";
import { checkSummary, type SummaryCheckResult } from "../../src/summary/check-summary.ts";
import { describeImages } from "../../src/summary-parts/default-parts.ts";
import type { FittedMessages } from "../../src/summary-parts/fit-user-messages.ts";
import { noOmittedMessages } from "../../src/summary-parts/omitted-messages.ts";
import { ANY_SHAPE, collectPlanEvidence, newNarrativePart } from "../../src/summary-parts/review-summary.ts";
import { createMessageNotices } from "../../src/summary-parts/user-messages.ts";
import { story } from "../../src/testing/story.ts";
import { compactSmall, contextLines, createSession, repeatWord, smallBudget } from "../support/small-session.ts";

describe("checks", () => {
  const size = (tokens: number, bytes = 0): ContextSize => ({
    tokens,
    bytes,
    isEstimate: true,
    measured: 0,
    estimated: tokens,
    fixed: 0,
  });

  /** 1500 tokens and 5000 bytes fit; the entries e1 and e2 are covered. */
  const budget = { ...smallBudget(), bytes: 5000 };
  const plan: CompactionPlan = {
    ...(planWithCut(
      loadBranch(story("user: one", "says: two", "user: three")),
      { budget, level: compactionLevels[0], describeImages },
      2,
    ) as CompactionPlan),
    sizeBefore: size(1000),
  };
  const candidate: SummaryCandidate = { route: "model", narrative: "so far", notes: "", covers: new Set(["e1", "e2"]) };
  const good: CheckInput = { plan, candidate, sizeAfter: size(500) };

  const checkChanges = (changes: Partial<SummaryCandidate>): Finding | null =>
    firstFailedCheck({ ...good, candidate: { ...candidate, ...changes } });

  test("CMP5 CMP6 CMP9 a summary with text that covers everything and frees tokens passes all checks", () => {
    expect(firstFailedCheck(good)).toBeNull();
  });

  describe("the text of a summary", () => {
    test("CMP5 must not be empty, unless it was built without a model", () => {
      const empty = { code: "empty", note: "the summary is empty" };
      expect(["", " \n\t"].map((text) => checkChanges({ narrative: text }))).toEqual([empty, empty]);
      expect(checkChanges({ narrative: "", notes: "notes" })).toEqual(empty);
      expect(checkChanges({ narrative: "", route: MODEL_FREE_ROUTE })).toBeNull();
    });

    test("CMP5 must fit the limit together with its notes, unless it was built without a model", () => {
      const long = { narrative: "one two three four five", notes: "six seven eight nine ten" };
      const within = (checkpoint: number, changes: Partial<SummaryCandidate> = {}): Finding | null =>
        firstFailedCheck({ ...good, plan: { ...plan, checkpoint }, candidate: { ...candidate, ...long, ...changes } });
      expect(within(12)).toBeNull();
      expect(within(11)).toEqual({ code: "too-long", note: "the summary has 12 tokens; the limit is 11" });
      expect(within(11, { route: MODEL_FREE_ROUTE })).toBeNull();
    });

    test("CMP6 is checked only in its new part, after the carried summary", () => {
      const after = (before: string): CompactionPlan => ({
        ...plan,
        previous: { ...plan.previous, narrative: before, isChecked: true },
      });
      expect(newNarrativePart("so far, and on", after("so far"))).toBe(", and on");
      expect(newNarrativePart("on, so far", after("so far"))).toBe("on, so far");
      expect(newNarrativePart("so far", after(""))).toBe("so far");
      expect(ANY_SHAPE).toEqual({ sections: [], tokens: Number.POSITIVE_INFINITY });
    });
  });

  describe("a claim in a summary", () => {
    const planOf = (...lines: readonly string[]): CompactionPlan => ({
      ...(planWithCut(
        loadBranch(story(...lines)),
        { budget, level: compactionLevels[0], describeImages },
        2,
      ) as CompactionPlan),
      sizeBefore: size(1000),
    });
    const own = planOf("user: please keep the parser small", "says: I shall", "user: and now?");
    const checked = (text: string): SummaryCheckResult => checkSummary(text, collectPlanEvidence(own), ANY_SHAPE);

    test.each([
      ["unknown-id", "- the parser is small [entry:zz9]", "- the parser is small"],
      ["unknown-id", "- the parser is small [#99]", "- the parser is small"],
      ["false-quote", '- the user said "delete all the tests at once" [#1]'],
      ["unfounded", "## Goal\n- throw away the database [#1]"],
      ["unknown-name", "- changed src/nowhere/at-all.ts"],
    ])(
      "AUD2 AUD3 AUD4 AUD5 AUD7 that is not in the log (%s) is marked as unconfirmed and never rejected: %s",
      (code, text, line = text) => {
        const { text: marked, flaws } = checked(text);
        expect(marked).toBe(`${line} (unconfirmed)`);
        expect(flaws).toEqual([
          { code, note: expect.stringMatching(/^“.+” is marked \(unconfirmed\) because it .+$/) },
        ]);
        expect(firstFailedCheck({ ...good, plan: own, candidate: { ...candidate, narrative: marked } })).toBeNull();
      },
    );

    test("AUD4 about what the user wants is marked if it cites the assistant", () => {
      const { text, flaws } = checked("## Goal\n- the parser shall grow [#2]");
      expect(text).toBe("## Goal\n- the parser shall grow [#2] (not from the user)");
      expect(flaws).toMatchObject([{ code: "not-from-user" }]);
    });

    test("AUD2 that cites the reply gets the number of the message with its words", () => {
      const { text, flaws } = checked("## Goal\n- keep the parser small, I shall [#2]");
      expect([text, flaws]).toEqual(["## Goal\n- keep the parser small, I shall [#1]", []]);
    });

    test("AUD4 that cites the user's message by number or id is not marked", () => {
      expect(checked("## Goal\n- keep the parser small [#1]")).toMatchObject({ problems: [], flaws: [] });
      expect(checked("## Goal\n- keep the parser small [entry:e1]").text).toBe("## Goal\n- keep the parser small [#1]");
    });

    test("AUD6 must cite the latest user request, unless the kept part has it", () => {
      expect(collectPlanEvidence(own).request).toBeNull();
      const open = planOf("user: please keep the parser small", "says: I shall", "says: and now?");
      expect(collectPlanEvidence(open).request).toEqual({
        reference: "#1",
        text: "please keep the parser small",
        isPerson: true,
        repliesTo: "",
      });
      const [first, ...others] = story("user: please keep the parser small", "says: I shall", "says: and now?");
      const message = { role: "user", content: "run the nightly check", timestamp: 1, pith: { from: "program" } };
      const entries = [{ ...first, message } as Entry, ...others];
      const program = planWithCut(
        loadBranch(entries),
        { budget, level: compactionLevels[0], describeImages },
        2,
      ) as CompactionPlan;
      expect(collectPlanEvidence(program).request).toBeNull();
    });

    test("AUD2 AUD4 may cite messages, summaries and requests of earlier compactions", () => {
      const part = (kind: string, text: string): SummaryPartText => ({
        part: { kind, length: text.length, tokens: 20 },
        text,
      });
      const carried = {
        ...own.previous,
        narrative: "## Progress\n- [x] moved the printer [#902]",
        parts: [
          part("words", "# User messages, word for word\n\n[#901]\nnever touch the lock file\n\n"),
          part(
            "request",
            "# The user's latest request, still open unless the messages below say otherwise [#903]\nwrite the release notes",
          ),
        ],
      };
      const { text } = checkSummary(
        "## Goal\n- write the release notes [#903]\n- never touch the lock file [#901]\n\n## Progress\n- [x] moved the printer [#902]\n- [x] painted it [#904]",
        collectPlanEvidence({ ...own, previous: carried }),
        ANY_SHAPE,
      );
      expect(text.match(/.*\(unconfirmed\)/g)).toEqual(["- [x] painted it (unconfirmed)"]);
    });

    test("AUD8 in another script than the user's causes a finding, and the summary is used", () => {
      const chinese = planOf(
        "user: 请保持解析器小巧，不要改动其他文件，也不要添加新的依赖",
        "says: 好的",
        "user: 现在呢？",
      );
      const text = "- nothing has happened yet, and the work goes on as before";
      const { text: same, flaws } = checkSummary(text, collectPlanEvidence(chinese), ANY_SHAPE);
      expect([same, flaws.map(({ code }) => code)]).toEqual([text, ["other-language"]]);
      expect(firstFailedCheck({ ...good, plan: chinese, candidate: { ...candidate, narrative: text } })).toBeNull();
    });
  });

  test("CMP6 every seen entry must be summarized or kept; the finding names the first that is not", () => {
    expect(checkChanges({ covers: new Set() })).toEqual({
      code: "not-covered",
      note: "2 entries are neither summarized nor kept; the first is e1",
    });
    expect(checkChanges({ covers: new Set(["e1"]) })).toEqual({
      code: "not-covered",
      note: "1 entry is neither summarized nor kept; the first is e2",
    });
  });

  describe("the size after a compaction", () => {
    const same: Finding = { code: "no-gain", note: "the context would not shrink (1,000 → 1,000 tokens)" };
    const hardly = (tokens: number): Finding => ({
      code: "no-gain",
      note: `the context would hardly shrink (1,000 → ${tokens} tokens)`,
    });

    test.each<[string, ContextSize, ContextSize, Finding | null]>([
      ["as much as before", size(1000), size(1000), same],
      ["a little less", size(1000), size(999), hardly(999)],
      ["less, but not by a tenth", size(1000), size(901), hardly(901)],
      ["less by a tenth", size(1000), size(900), null],
      ["a little less of what was too much", size(1600), size(1500), null],
      ["fewer tokens and more bytes", size(1000, 100), size(500, 200), null],
      ["fewer bytes of too many", size(1000, 5001), size(1000, 5000), null],
      ["as many bytes of too many", size(1000, 5001), size(1000, 5001), same],
      ["more bytes of too many", size(1000, 5001), size(1000, 6000), same],
      ["fewer bytes of those that fitted", size(1000, 5000), size(1000, 4000), same],
    ])("CMP9 compared with the size before: %s", (_, before, after, finding) => {
      expect(firstFailedCheck({ candidate, plan: { ...plan, sizeBefore: before }, sizeAfter: after })).toEqual(finding);
    });

    test.each<[ContextSize, Finding | null]>([
      [size(1500, 5000), null],
      [size(1501), { code: "does-not-fit", note: "1,501 tokens would remain, but only 1,500 fit" }],
      [size(700, 5001), { code: "does-not-fit", note: "700 tokens would remain, but only 1,500 fit" }],
    ])("CMP10 must fit the window: %j", (after, finding) => {
      expect(
        firstFailedCheck({ candidate, plan: { ...plan, sizeBefore: size(3000, 9000) }, sizeAfter: after }),
      ).toEqual(finding);
    });
  });

  test("CMP5 CMP6 CMP9 of several failed checks the first is reported: text, coverage, size", () => {
    const covers = new Set<string>();
    const left = "2 entries are neither summarized nor kept; the first is e1";
    const tight = { ...plan, checkpoint: 0 };
    expect([
      firstFailedCheck({
        plan: tight,
        candidate: { ...candidate, narrative: "", notes: "notes", covers },
        sizeAfter: size(9000),
      })?.code,
      firstFailedCheck({ plan: tight, candidate: { ...candidate, covers }, sizeAfter: size(9000) })?.code,
      firstFailedCheck({ plan, candidate: { ...candidate, covers }, sizeAfter: size(9000) }),
      firstFailedCheck({ plan, candidate, sizeAfter: size(9000) }),
    ]).toEqual([
      "empty",
      "too-long",
      { code: "not-covered", note: left },
      { code: "no-gain", note: "the context would not shrink (1,000 → 9,000 tokens)" },
    ]);
  });

  describe("findings after a compaction", () => {
    const noticed = (
      changes: Partial<FittedMessages>,
      shortenings: CompactionPlan["shortenings"] = [],
    ): readonly Finding[] => [
      ...createMessageNotices({ ...nothingLeft, ...changes }),
      ...createEditNotices({ ...plan, shortenings }),
    ];
    const nothingLeft: FittedMessages = {
      quotes: [],
      omitted: noOmittedMessages,
      tokens: 0,
      shortened: [],
      withoutQuestion: [],
      newlyCarried: [],
      newStubs: [],
      newlyHidden: [],
    };

    test("CMP8 are empty if nothing was shortened or left out", () => {
      expect(noticed({})).toEqual([]);
    });

    test("KEEP11 CMP8 name the user messages that are carried over, shown as a stub, or only counted", () => {
      const hidden = { count: 23, first: "#5", last: "#61", messages: [] };
      expect(
        noticed({
          omitted: { ...noOmittedMessages, hidden },
          newlyCarried: ["#4", "entry:4f2a"],
          newStubs: ["#7"],
          newlyHidden: ["#61"],
        }),
      ).toEqual([
        {
          code: "user-messages-carried",
          note: "the summary now carries over rules of #4, entry:4f2a, which are no longer shown word for word",
        },
        {
          code: "user-messages-stubbed",
          note: "1 user message is only shown by the first words, and the summary does not carry over the rest: #7",
        },
        {
          code: "user-messages-hidden",
          note: "Not shown and not carried over: 23 messages, #5–#61; `read #N` opens one.",
        },
      ]);
      expect(noticed({ newStubs: ["#7", "#9"] })[0]?.note).toMatch(/^2 user messages are only shown .*: #7, #9$/);
    });

    test("KEEP2 CUT7 CMP8 name each message and result that was shortened", () => {
      const shortenings = [{ type: "context_edit", targetId: "e7", replacement: null } as const];
      expect(noticed({ shortened: ["#1", "#3"] }, shortenings)).toEqual([
        { code: "user-messages-shortened", note: "#1 is shortened to its beginning and end" },
        { code: "user-messages-shortened", note: "#3 is shortened to its beginning and end" },
        { code: "result-reduced", note: expect.stringMatching(/e7 is shortened to its beginning and end$/) },
      ]);
    });

    test("KEEP11 CMP8 name every user message that the summary message does not show in full", async () => {
      const asks = Array.from({ length: 12 }, (_, at) => [`user: wish ${at} ${repeatWord(25, `w${at}x`)}`, "says: ok"]);
      const session = await createSession(...asks.flat(), `says: ${repeatWord(900)}`, "user: go on");
      const outcome = await compactSmall(session);
      if (outcome.type !== "compacted") throw new Error(`it was not compacted: ${outcome.type}`);
      const front = contextLines(session)[0] ?? "";
      const missing = asks.map((_, at) => `#${2 * at + 1}`).filter((number) => !front.includes(`[${number}] wish`));
      const stubs = asks.map((_, at) => `#${2 * at + 1}`).filter((number) => front.includes(`[${number}] wish`));
      expect(front).toContain("User messages that are not shown word for word");
      const notes = outcome.receipt.findings.map(({ note }) => note).join("\n");
      for (const number of [...missing, ...stubs]) expect(front).toContain(number);
      expect(notes).toContain("user messages are only shown by the first words");
    });
  });
});

describe("coverage", () => {
  function planAt(entries: readonly Entry[], at: number): CompactionPlan {
    const plan = planWithCut(
      loadBranch(entries),
      { budget: smallBudget(), level: compactionLevels[0], describeImages },
      at,
    );
    if (!plan) throw new Error(`nothing can be cut at ${at}`);
    return plan;
  }

  /** What falls out when these entries were put before the writer. */
  function left(plan: CompactionPlan, covers: readonly string[], summary = "a story"): readonly string[] {
    const candidate = { route: "model", narrative: summary, notes: "", covers: new Set(covers) };
    return findUncoveredEntries(plan, candidate).map(({ id }) => id);
  }

  describe("CMP6 entries that must be covered", () => {
    const entries = story(
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

    test("CMP6 are all seen entries before the cut that the summarizer did not get", () => {
      const plan = planAt(entries, 8);
      expect(left(plan, ["e1", "e2", "e3", "e6"])).toEqual([]);
      expect(left(plan, ["e2", "e6"])).toEqual(["e1", "e3"]);
      expect(left(plan, [])).toEqual(["e1", "e2", "e3", "e6"]);
    });

    test("CMP6 are no entries of the kept part", () => {
      expect(left(planAt(entries, 0), [])).toEqual([]);
      expect(left(planAt(entries, 10), ["e1", "e2", "e3", "e6", "e9"])).toEqual(["e10"]);
    });
  });

  describe("CMP6 an earlier summary", () => {
    const branchEntries = story(
      "user: one",
      "compacts: older, keeps e1",
      "user: two",
      "compacts: newer, keeps e1",
      "user: three",
    );
    const ids = ["e1", "e3"];

    test("CMP6 is covered if the same summarizer continues it", () => {
      expect(left(planAt(branchEntries, 4), ids)).toEqual([]);
    });

    test("CMP6 is not covered if the summary is built without it; only the newest one counts", () => {
      expect(left(planAt(branchEntries, 4), ids, "")).toEqual(["e4"]);
      expect(left(planAt(branchEntries, 1), ids, "")).toEqual(["e4"]);
      expect(left(planAt(branchEntries, 4), ["e1"], "")).toEqual(["e3", "e4"]);
    });

    test("CMP6 is covered if the summarizer got it", () => {
      expect(left(planAt(branchEntries, 4), [...ids, "e4"], "")).toEqual([]);
      expect(left(planAt(branchEntries, 4), [...ids, "e2"], "")).toEqual(["e4"]);
    });

    test("CMP6 is covered if it has no text of its own", () => {
      const { text: summary, parts: front } = renderSummaryMessage(
        [{ kind: "notes", collect: () => null, render: () => "by code" }],
        {
          plan: planAt(branchEntries, 4),
          candidate: { route: MODEL_FREE_ROUTE, narrative: "", notes: "by code", covers: new Set() },
          redaction: noRedaction,
        },
      );
      const entries = branchEntries.map((entry) =>
        entry.id === "e4" ? { ...entry, summary, details: { pith: { front } } } : entry,
      );
      expect(left(planAt(entries as readonly Entry[], 4), ids, "")).toEqual([]);
    });
  });
});

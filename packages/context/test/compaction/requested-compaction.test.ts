/** Tests a compaction with a requested first kept entry, and one whose summary is derived from the originals again. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findUncoveredEntries } from "../../src/compaction/check-candidate.ts";
import { readReceipt } from "../../src/compaction/receipt.ts";
import { undoCompaction } from "../../src/compaction/undo.ts";
import { buildSessionContext } from "../../src/context/build-context.ts";
import { buildRequest } from "../../src/context/build-request.ts";
import { previewCompaction } from "../../src/default-compaction.ts";
import type { CompactionEntry, Entry } from "../../src/entry.ts";
import type { AssistantMessage } from "../../src/message.ts";
import type { Model } from "../../src/model.ts";
import type { Session } from "../../src/session/session.ts";
import { modelSummarizer } from "../../src/summary-parts/model-summarizer.ts";
import { scriptedModel, testRuntime } from "../../src/testing/scripted-model.ts";
import { emptyUsage } from "../../src/testing/story.ts";
import { compactSmall, createSession, repeatWord, smallBudget } from "../support/small-session.ts";

const storyLines = [
  "user: fix the login",
  `says: ${repeatWord(300)}`,
  "user: now the logout",
  "calls: read path=src/logout.ts; bash command=ls",
  `result c1: ${repeatWord(400, "line")}`,
  "result c2: a b",
  "says: it was a typo",
  "user: and the tests?",
];

const model = { api: "anthropic-messages", provider: "anthropic", model: "storyteller" };
const request = ({ branch }: Session): string => JSON.stringify(buildRequest(buildSessionContext(branch), { model }));
const compactionOf = ({ branch: { entries, compactionIndex } }: Session): CompactionEntry =>
  entries[compactionIndex] as CompactionEntry;

describe("up to an entry", () => {
  test("CUT8 the entry and everything after it are kept unshortened, even beyond the budget of the kept part", async () => {
    const session = await createSession(...storyLines);
    expect(await compactSmall(session, { firstKeptEntryId: "e3" })).toMatchObject({
      type: "compacted",
      receipt: { kept: { first: "e3", last: "e8", count: 6 }, covered: { first: "e1", count: 2 }, findings: [] },
    });
    expect(compactionOf(session).firstKeptEntryId).toBe("e3");
    const { messages, sources } = buildSessionContext(session.branch);
    expect(sources).toEqual(["n1", "e3", "e4", "e5", "e6", "e7", "e8"]);
    expect(messages[0]?.role).toBe("compactionSummary");
  });

  test("CUT8 CUT2 a tool result is kept with its call and the other results, and preview and receipt say so", async () => {
    const session = await createSession(...storyLines);
    const note = "#6 belongs to a tool call before it, so everything from #4 on is kept";
    const preview = previewCompaction(session.branch, smallBudget(), { reason: "asked", firstKeptEntryId: "e6" });
    expect(preview).toMatchObject({ type: "planned", receipt: { findings: [{ code: "cut-moved", note }] } });
    expect(await compactSmall(session, { firstKeptEntryId: "e6" })).toMatchObject({
      receipt: { kept: { first: "e4" }, findings: [{ code: "cut-moved", note }] },
    });
  });

  test.each([
    ["e99", smallBudget(), "not-in-context", /not on the current branch; choose one that is/],
    ["e1", smallBudget(), "nothing-before", /nothing to summarize before the entry; choose a later one/],
    [
      "e3",
      smallBudget({ thresholds: [{ tokens: 500 }] }),
      "does-not-fit",
      /tokens would remain, but only 500 fit; choose a later/,
    ],
  ])(
    "CUT9 a cut at %s is refused with what to do, and nothing changes",
    async (firstKeptEntryId, budget, why, note) => {
      const session = await createSession(...storyLines);
      const entries = await session.branchEntries();
      const findings = [{ code: why, note: expect.stringMatching(note) }];
      expect(previewCompaction(session.branch, budget, { reason: "asked", firstKeptEntryId })).toEqual({
        type: "invalid-cut",
        why,
        note: findings[0]?.note,
      });
      const outcome = await compactSmall(session, { budget, firstKeptEntryId });
      expect(outcome).toEqual({ type: "failed", why: "invalid-cut", findings });
      expect(await session.branchEntries()).toEqual(entries);
    },
  );

  test("CUT9 a later entry is advised only if there is one", async () => {
    const session = await createSession("user: a", "says: b", "user: c");
    const noteFor = (firstKeptEntryId: string) =>
      previewCompaction(session.branch, smallBudget(), { reason: "asked", firstKeptEntryId });
    expect(noteFor("e2")).toMatchObject({
      note: expect.stringMatching(/would not shrink \(.* tokens\); choose a later entry$/),
    });
    expect(noteFor("e3")).toMatchObject({
      note: expect.stringMatching(/would not shrink \([\d,]+ → [\d,]+ tokens\)$/),
    });
  });

  test("CUT9 an entry that is already summarized is refused, and the note names the first that is not", async () => {
    const session = await createSession(...storyLines);
    await compactSmall(session, { firstKeptEntryId: "e3" });
    expect(await compactSmall(session, { firstKeptEntryId: "e2" })).toMatchObject({
      findings: [{ note: expect.stringContaining("Choose an entry after #3, or undo that compaction first") }],
    });
  });

  test("CUT8 UNDO1 in any session: the summary, then exactly the kept entries; undo sends the same bytes as before", async () => {
    const line = fc.oneof(
      fc.nat(200).map((count) => `user: ${repeatWord(count + 1, "ask")}`),
      fc.nat(200).map((count) => `says: ${repeatWord(count + 1, "say")}`),
      fc.constant("calls: read path=a.ts; bash command=ls"),
      fc.nat(300).map((count) => `result: ${repeatWord(count + 1, "line")}`),
    );
    let compactedCount = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 4, maxLength: 30 }),
        fc.nat(30),
        fc.boolean(),
        async (lines, at, again) => {
          // Results without an open call are left out.
          let open = 0;
          const valid = lines.filter((each) => {
            if (each.startsWith("calls")) open = 2;
            else if (each.startsWith("result")) return open-- > 0;
            else open = 0;
            return true;
          });
          const session = await createSession(`user: ${repeatWord(300)}`, "says: yes", ...valid);
          const budget = smallBudget({ thresholds: [{ tokens: 100_000 }] }, 200_000);
          // With a compaction before, the summary is derived from the originals again.
          if (again) await compactSmall(session, { budget, firstKeptEntryId: session.branch.entries[1]?.id ?? "" });
          const messageEntries = session.branch.entries.filter(({ type }) => type === "message");
          const chosen = messageEntries[at % messageEntries.length] as Entry;
          const before = buildSessionContext(session.branch);
          const sent = request(session);
          const originals = again ? await session.branchEntries() : undefined;
          const options = { budget, firstKeptEntryId: chosen.id, ...(originals && { originals }) };
          const outcome = await compactSmall(session, options);
          if (outcome.type !== "compacted") return void expect(request(session)).toBe(sent);
          compactedCount++;
          const { messages, sources } = buildSessionContext(session.branch);
          const start = before.sources.indexOf(compactionOf(session).firstKeptEntryId);
          expect(sources.slice(1)).toEqual(before.sources.slice(start));
          expect(messages.slice(1)).toEqual(before.messages.slice(start));
          expect(start).toBeLessThanOrEqual(before.sources.indexOf(chosen.id));
          await undoCompaction(session);
          expect(request(session)).toBe(sent);
        },
      ),
      { numRuns: 150 },
    );
    expect(compactedCount).toBeGreaterThan(30);
  });
});

const sections = [
  ...["## Goal", "## Constraints & Preferences", "## Progress", "### Done", "### In Progress", "### Blocked"],
  ...["## Key Decisions", "## Next Steps", "## Critical Context"],
];
const summaryWith = (fact: string): Partial<AssistantMessage> => ({
  content: [
    {
      type: "text",
      text: sections.map((each) => `${each}\n- ${each === "## Critical Context" ? fact : "(none)"}`).join("\n\n"),
    },
  ],
  usage: { ...emptyUsage, input: 100, cost: { ...emptyUsage.cost, total: 0.01 } },
});
const writer = (model: Model) => ({ summarizers: [modelSummarizer(model, { runtime: testRuntime("x") })] });
const again = async (session: Session) => ({ originals: await session.branchEntries() });
const readBy = ({ requests }: ReturnType<typeof scriptedModel>): string => JSON.stringify(requests.at(-1));

describe("from the originals", () => {
  test("CUT10 right after a compaction, the summary is derived again from the first entry on, and the kept part stays", async () => {
    const session = await createSession(...storyLines);
    await compactSmall(session, writer(scriptedModel(summaryWith("the zebra is loose"))));
    const sent = request(session);
    const kept = compactionOf(session).firstKeptEntryId;
    const writes = scriptedModel(summaryWith("the login had a typo"));
    expect(await compactSmall(session)).toEqual({ type: "nothing-to-do", why: "already-compacted" });
    expect(await compactSmall(session, { ...writer(writes), ...(await again(session)) })).toMatchObject({
      type: "compacted",
      receipt: { fromOriginals: true, by: "anthropic/storyteller", calls: 1, cost: 0.01, covered: { first: "e1" } },
    });
    expect(compactionOf(session).firstKeptEntryId).toBe(kept);
    expect(compactionOf(session).summary).toContain("the login had a typo");
    expect(compactionOf(session).summary).toContain("fix the login");
    expect(compactionOf(session).summary).not.toContain("zebra");
    expect(readBy(writes)).toContain("fix the login");
    expect(readBy(writes)).not.toContain("zebra");
    await undoCompaction(session);
    expect(request(session)).toBe(sent);
  });

  test("CUT10 CMP6 after new messages and two compactions, every original is read, and text that an edit removed is not", async () => {
    const session = await createSession(...storyLines);
    await compactSmall(session, { firstKeptEntryId: "e3" });
    await session.append({ type: "context_edit", targetId: "e5", replacement: null });
    await session.addUserMessage(repeatWord(200, "later"));
    await compactSmall(session);
    await session.addUserMessage("go on then");
    const writes = scriptedModel(summaryWith("all done"));
    const options = { reason: "asked", ...(await again(session)) } as const;
    const preview = previewCompaction(session.branch, smallBudget(), options);
    if (preview.type !== "planned") throw new Error(preview.type);
    const { plan } = preview;
    expect(plan.previous.compaction).toBeNull();
    expect(plan.covered.concat(plan.kept).map(({ id }) => id)).toEqual(options.originals.map(({ id }) => id));
    const nothing = { route: "x", narrative: "x", notes: "", covers: new Set<string>() };
    expect(findUncoveredEntries(plan, nothing).map(({ id }) => id)).toContain("e1");
    await compactSmall(session, { ...writer(writes), ...options });
    expect(readBy(writes)).toContain("word299");
    expect(readBy(writes)).toContain("now the logout");
    expect(readBy(writes)).not.toContain("line399");
    expect(readReceipt(compactionOf(session))).toMatchObject({ fromOriginals: true, covered: { first: "e1" } });
  });

  test("CUT10 originals that do not fit the model's window are all read, in several requests", async () => {
    const long = Array.from({ length: 12 }, (_, at) => [
      `user: ask ${at}`,
      `says: ${repeatWord(250, `w${at}x`)}`,
    ]).flat();
    const session = await createSession(...long);
    const budget = smallBudget({ thresholds: [{ tokens: 100_000 }] }, 200_000);
    await compactSmall(session, { budget, ...writer(scriptedModel(summaryWith("first"))) });
    const script = scriptedModel(...Array.from({ length: 20 }, () => summaryWith("part")));
    const writes = { ...script, contextWindow: 6_000, maxTokens: 1_000 };
    const outcome = await compactSmall(session, { budget, ...writer(writes), ...(await again(session)) });
    expect(outcome).toMatchObject({
      type: "compacted",
      receipt: { fromOriginals: true, calls: script.requests.length },
    });
    expect(script.requests.length).toBeGreaterThan(2);
    const read = JSON.stringify(script.requests);
    for (const at of [0, 5, 10]) expect(read).toContain(`ask ${at}`);
  });

  test("CUT10 without an earlier compaction it is an ordinary compaction", async () => {
    const session = await createSession(...storyLines);
    const outcome = await compactSmall(session, await again(session));
    expect(outcome).toMatchObject({ type: "compacted", receipt: { covered: { first: "e1" } } });
    expect(outcome).not.toHaveProperty("receipt.fromOriginals");
  });

  test("CUT11 if no model writes it, the context stays, and the result says why", async () => {
    const session = await createSession(...storyLines);
    await compactSmall(session, writer(scriptedModel(summaryWith("good"))));
    const sent = request(session);
    const failing = scriptedModel({ failure: { kind: "refused", message: "no credit" } });
    expect(await compactSmall(session, { ...writer(failing), ...(await again(session)) })).toMatchObject({
      type: "failed",
      why: "no-summary",
      findings: [{ code: "summarizer-failed", note: expect.stringContaining("no credit") }],
    });
    expect(request(session)).toBe(sent);
  });
});

/** Tests what happens to the user's messages over several compactions: what summarizers are shown, what leaves, and what comes back. */

import { describe, expect, test } from "vitest";
import { compact, prepareSummary } from "../../src/default-compaction.ts";
import type { CompactionEntry } from "../../src/entry.ts";
import type { Message } from "../../src/message.ts";
import type { Request } from "../../src/model.ts";
import type { Session } from "../../src/session/session.ts";
import { readPreviousSummary } from "../../src/summary/parse-summary.ts";
import { listUserRules } from "../../src/summary-parts/list-rules.ts";
import { modelSummarizer } from "../../src/summary-parts/model-summarizer.ts";
import {
  loadUncarriedMessages,
  type OmittedMessages,
  readOmittedMessages,
} from "../../src/summary-parts/omitted-messages.ts";
import { pinText } from "../../src/summary-parts/pins.ts";
import { type ScriptedModel, scriptedModel, testRuntime } from "../../src/testing/scripted-model.ts";
import { createSession, repeatWord, smallBudget } from "../support/small-session.ts";
import { createSummaryText } from "../support/summary-models.ts";

const RULES = [
  "Never add npm dependencies, only Node built-ins.",
  "Exit codes: 0 ok, 2 wrong usage, 3 if no line could be parsed.",
  "Error messages go to stderr and begin with the name of the tool.",
  "Commit after every finished step, with an imperative subject in English.",
  "The clock of the staging machine heron-04 is 7 minutes ahead, keep that in mind.",
  "Amounts are integers in cents everywhere, and are formatted only for the screen.",
];
const FOUNDING = `Build a tool called mill. ${RULES.join(" ")}`;
const CARRIED = RULES.map((rule) => `- ${rule.replace(/\.$/, "")} [#1]`);

const budget = smallBudget({ userMessages: { tokens: 400, share: 1 }, checkpoint: { tokens: 600, share: 1 } });

/** A session whose first message states the rules, followed by this many tasks. */
function createLongSession(tasks: number): Promise<Session> {
  const turns = Array.from({ length: tasks }, (_, at) => [`user: ${createTask(at)}`, `says: ${repeatWord(40)}`]);
  return createSession(`user: ${FOUNDING}`, "says: done", ...turns.flat(), "user: go on");
}

const createTask = (at: number): string => `Now write part ${at} of the tool, with its tests, and show the result.`;

async function addTasks(session: Session, from: number, count: number): Promise<void> {
  for (let at = from; at < from + count; at++) {
    await session.append({ type: "message", message: { role: "user", content: createTask(at), timestamp: 0 } });
    const content = [{ type: "text" as const, text: repeatWord(40) }];
    const reply = { role: "assistant", content, api: "a", provider: "p", model: "m", stopReason: "stop", timestamp: 0 };
    await session.append({ type: "message", message: { ...reply, usage: noUsage } as never });
  }
}

const noUsage = {
  ...{ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 },
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

async function compactWith(session: Session, model: ScriptedModel): Promise<CompactionEntry> {
  const runtime = testRuntime("w");
  const summarizers = [modelSummarizer(model, { runtime })];
  const outcome = await compact({ session, budget, reason: "asked", runtime: session.runtime, summarizers });
  if (outcome.type !== "compacted") throw new Error(`it was not compacted: ${JSON.stringify(outcome)}`);
  return newestCompaction(session);
}

const newestCompaction = ({ branch }: Session): CompactionEntry =>
  branch.entries[branch.compactionIndex] as CompactionEntry;

const readOmitted = (session: Session): OmittedMessages =>
  readOmittedMessages(readPreviousSummary(newestCompaction(session)));

const messageText = ({ content }: Message): string =>
  typeof content === "string" ? content : content.map((block) => ("text" in block ? block.text : "")).join("");

const requestText = (request: Request | undefined): string => (request?.messages ?? []).map(messageText).join("\n");

/** The text between the marks of this name; empty if there is none. */
function findMaterial(request: Request | undefined, tag: string): string {
  return new RegExp(`<${tag} \\S+>\\n([\\s\\S]*?)\\n</${tag} `).exec(requestText(request))?.[1] ?? "";
}

const summarize = (...lines: readonly string[]): string =>
  createSummaryText({ Goal: ["- the tool mill [#1]"], "Constraints & Preferences": lines });

describe("the summarizer", () => {
  test("KEEP12 gets the messages that leave the context in full, with instructions to carry over their rules", async () => {
    const session = await createLongSession(13);
    const model = scriptedModel(summarize(...CARRIED));
    const { summary } = await compactWith(session, model);
    expect(findMaterial(model.requests[0], "leaving-messages")).toContain(`[#1]\n${FOUNDING}`);
    expect(requestText(model.requests[0])).toMatch(/leaving-messages leave the context now.* Carry over every rule/);
    expect(summary).not.toContain(RULES[0]);
    expect(summary).toContain("[#1]\nBuild a tool called mill. […]\n");
    expect(summary).toContain(CARRIED.join("\n"));
    expect(readOmitted(session).carried).toEqual(["#1"]);
  });

  test("KEEP12 gets no such instructions while every message fits", async () => {
    const session = await createSession(`user: ${FOUNDING}`, `says: ${repeatWord(900)}`, "user: go on");
    const model = scriptedModel(summarize("- (none)"));
    const { summary } = await compactWith(session, model);
    expect(requestText(model.requests[0])).not.toContain("leaving-messages");
    expect(summary).toContain(`[#1]\n${FOUNDING}\n`);
  });

  test("KEEP12 gets the user messages that stay, beside the earlier summary", async () => {
    const session = await createSession(`user: ${FOUNDING}`, `says: ${repeatWord(900)}`, "user: go on");
    await compactWith(session, scriptedModel(summarize("- (none)")));
    await addTasks(session, 0, 12);
    const model = scriptedModel(summarize("- (none)"));
    await compactWith(session, model);
    const shown =
      findMaterial(model.requests[0], "user-messages") + findMaterial(model.requests[0], "leaving-messages");
    expect(shown).toContain(`[#1]\n${FOUNDING}`);
  });

  test("KEEP12 gets a message again, read from the log, if no line carries it over", async () => {
    const session = await createLongSession(14);
    await compactWith(session, scriptedModel(summarize("- nothing of it [#1]")));
    expect(readOmitted(session).stubs[0]).toMatchObject({ reference: "#1", offers: 0 });
    expect(newestCompaction(session).summary).not.toContain(RULES[1]);
    await addTasks(session, 14, 12);
    const model = scriptedModel(summarize(...CARRIED, "- Build a tool called mill [#1]"));
    await compactWith(session, model);
    expect(findMaterial(model.requests[0], "leaving-messages")).toContain(`[#1]\n${FOUNDING}`);
    expect(readOmitted(session).carried).toContain("#1");
    expect(readOmitted(session).stubs.map(({ reference }) => reference)).not.toContain("#1");
  });
});

describe("messages that no line carries over", () => {
  test("KEEP12 are offered again within 5% of the request, those offered least first", async () => {
    const session = await createLongSession(20);
    await compactWith(session, scriptedModel(summarize("- nothing of it [#1]")));
    expect(readOmitted(session).stubs.length).toBeGreaterThan(3);
    const first = await loadUncarriedMessages(session, budget);
    expect(first.map(({ number }) => `#${number}`)).toEqual(["#1"]);
    await addTasks(session, 14, 12);
    await compactWith(session, scriptedModel(summarize("- nothing again [#1]")));
    const second = await loadUncarriedMessages(session, budget);
    expect(second.map(({ number }) => `#${number}`)).not.toContain("#1");
    expect(second.length).toBeGreaterThan(0);
  });

  test("KEEP12 CTX3 are not read again if an edit changed them", async () => {
    const session = await createSession(
      `user: ${FOUNDING}`,
      "says: done",
      ...Array.from({ length: 22 }, (_, at) => [`user: ${createTask(at)}`, `says: ${repeatWord(40)}`]).flat(),
      "edits e1: the key is removed, write part 0 and show its tests to me please, with all of the details",
      "user: go on",
    );
    await compactWith(session, scriptedModel(summarize("- nothing of it [#3]")));
    const { stubs, hidden } = readOmitted(session);
    const message = [...stubs, ...hidden.messages].find(({ reference }) => reference === "#1");
    expect(message).toMatchObject({ isEdited: true });
    expect((await loadUncarriedMessages(session, budget)).map(({ number }) => number)).not.toContain(1);
  });
});

test("KEEP12 CTX3 stay marked as edited while they are shown, and are not read again as stubs", async () => {
  const session = await createSession(
    `user: ${FOUNDING}`,
    `says: ${repeatWord(900)}`,
    `edits e1: ${createTask(99)}`,
    "user: go on",
  );
  await compactWith(session, scriptedModel(summarize("- (none)")));
  expect(readOmitted(session).edited).toEqual(["#1"]);
  await addTasks(session, 0, 30);
  await compactWith(session, scriptedModel(summarize("- nothing of it [#4]")));
  const { stubs, hidden } = readOmitted(session);
  const message = [...stubs, ...hidden.messages].find(({ reference }) => reference === "#1");
  expect(message).toMatchObject({ isEdited: true });
  expect((await loadUncarriedMessages(session, budget)).map(({ number }) => number)).not.toContain(1);
});

describe("a line that carries over a message", () => {
  test("KEEP10 is put back if the next summary leaves it out, and the receipt's summary has it", async () => {
    const session = await createLongSession(14);
    await compactWith(session, scriptedModel(summarize(...CARRIED)));
    await addTasks(session, 14, 12);
    const { summary } = await compactWith(session, scriptedModel(summarize(CARRIED[0] ?? "")));
    for (const line of CARRIED) expect(summary).toContain(line);
    expect(readOmitted(session).carried).toContain("#1");
  });

  test("KEEP10 is not put back if a newer message replaced it", async () => {
    const session = await createLongSession(14);
    await compactWith(session, scriptedModel(summarize(...CARRIED)));
    const change = "I changed my mind: npm dependencies are fine, not only Node built-ins.";
    await session.append({ type: "message", message: { role: "user", content: change, timestamp: 0 } });
    await addTasks(session, 14, 12);
    const [, ...others] = CARRIED;
    const number = session.branch.entries.find((entry) => JSON.stringify(entry).includes(change))?.number;
    const line = `- npm dependencies are fine, not only Node built-ins [#${number}]`;
    const { summary } = await compactWith(session, scriptedModel(summarize(line, ...others)));
    expect(summary).not.toContain("Never add npm dependencies");
    expect(summary).toContain(`- npm dependencies are fine, not only Node built-ins [#${number}, #1]\n`);
  });

  test("KEEP10 whose summary is built without a model stays with it", async () => {
    const session = await createLongSession(14);
    await compactWith(session, scriptedModel(summarize(...CARRIED)));
    await addTasks(session, 14, 12);
    await compact({ session, budget, reason: "asked", runtime: session.runtime });
    for (const line of CARRIED) expect(newestCompaction(session).summary).toContain(line);
  });
});

describe("a prepared summary", () => {
  test("KEEP13 lets only those messages leave that it was shown", async () => {
    const session = await createLongSession(14);
    const runtime = session.runtime;
    const model = scriptedModel(summarize(...CARRIED));
    const summarizers = [modelSummarizer(model, { runtime: testRuntime("w") })];
    const result = await prepareSummary({ session, budget, reason: "due", runtime, summarizers });
    if (result.type !== "prepared") throw new Error(`it was not prepared: ${result.why}`);
    const shown = result.summary.candidate.leaving ?? [];
    expect(shown).toContain("#1");
    const tight = { ...budget, userMessages: 200 };
    await addTasks(session, 14, 1);
    const outcome = await compact({ session, budget: tight, reason: "due", runtime, prepared: result.summary });
    expect(outcome).toMatchObject({ type: "compacted", receipt: { preparedMs: expect.any(Number) } });
    const { carried, stubs, hidden } = readOmitted(session);
    for (const reference of carried) expect(shown).toContain(reference);
    expect(stubs.length + hidden.count).toBeGreaterThan(0);
  });
});

describe("what the model and the user read", () => {
  test("KEEP14 the title of the summary names the last entry that it covers; without a model, that of the earlier summary", async () => {
    const session = await createLongSession(14);
    const { summary } = await compactWith(session, scriptedModel(summarize(...CARRIED)));
    const [, asOf] =
      /^# Summary as of (#\d+) \(a report, not the user's words; later messages are newer/m.exec(summary) ?? [];
    const { covered } = (newestCompaction(session).details as { pith: { receipt: { covered: { last: string } } } }).pith
      .receipt;
    expect(asOf).toBe(`#${(await session.store.entry(covered.last))?.number}`);
    await addTasks(session, 14, 12);
    await compact({ session, budget, reason: "asked", runtime: session.runtime });
    expect(newestCompaction(session).summary).toContain(`# Summary as of ${asOf} (`);
  });

  test("KEEP11 the summary message and the receipt list what is not shown word for word", async () => {
    const session = await createLongSession(20);
    const { summary, details } = await compactWith(session, scriptedModel(summarize(...CARRIED)));
    expect(summary).toContain(
      "# User messages that are not shown word for word\nThe summary's lines that cite #1 state",
    );
    const findings = (details as { pith: { receipt: { findings: readonly { code: string }[] } } }).pith.receipt
      .findings;
    expect(findings.map(({ code }) => code)).toContain("user-messages-carried");
  });

  test("KEEP11 listUserRules returns pins, carried lines with their messages, messages, and what is not shown", async () => {
    const session = await createLongSession(13);
    await pinText(session, "always ask before a push");
    await compactWith(session, scriptedModel(summarize(...CARRIED)));
    const rules = listUserRules(session.branch);
    expect(rules.pins.map(({ text }) => text)).toEqual(["always ask before a push"]);
    expect(rules.carriedLines[0]).toEqual({ text: RULES[0]?.replace(/\.$/, ""), references: ["#1"] });
    expect(rules.messages[0]).toEqual({ reference: "#1", text: "Build a tool called mill. […]" });
    expect(rules.messages.at(-1)?.text).toBe("go on");
    expect(rules).toMatchObject({ stubs: expect.any(Array), hidden: { count: 0 } });
  });
});

test("KEEP11 a record from a damaged or hostile file is read as far as it is valid", () => {
  const compaction = (messages: unknown): CompactionEntry =>
    ({
      type: "compaction",
      id: "c",
      parentId: null,
      timestamp: "",
      summary: "x",
      firstKeptEntryId: "c",
      details: { pith: { front: [{ kind: "words", length: 1, tokens: 1 }], messages } },
    }) as unknown as CompactionEntry;
  const read = (messages: unknown): OmittedMessages => readOmittedMessages(readPreviousSummary(compaction(messages)));
  const nothing = { carried: [], stubs: [], hidden: { count: 0, first: "", last: "", messages: [] }, edited: [] };
  for (const value of [null, 1, "x", [], { carried: 5, stubs: {}, hidden: [] }, { hidden: { count: -1 } }])
    expect(read(value)).toEqual(nothing);
  expect(
    read({
      carried: ["#5", 6],
      stubs: [{ reference: "#7", line: "[#7] a\nb" }, { reference: "#8" }, null],
      edited: ["#9", {}],
      hidden: { count: 2.5, first: "#1", last: 3, messages: [{ reference: "#1", offers: "x" }, {}] },
    }),
  ).toEqual({
    carried: ["#5"],
    edited: ["#9"],
    stubs: [{ reference: "#7", offers: 0, isEdited: false, line: "[#7] a b", tokens: 6 }],
    hidden: { count: 2, first: "#1", last: "", messages: [{ reference: "#1", offers: 0, isEdited: false }] },
  });
});

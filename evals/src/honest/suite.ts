/** Runs `pnpm eval honest`: how the check of a summary treats true and false summary lines that it was not tuned on. */

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Figures, Suite, SuiteOptions } from "@pith/bench/suite";
import {
  buildRequest,
  buildSessionContext,
  compact,
  compactionLimits,
  contextSize,
  convertToLlm,
  createBudget,
  MemoryStore,
  modelSummarizer,
  type NewEntry,
  type Request,
  Session,
} from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { story } from "@pith/context/testing";
import { readAllSummaries, readRecording, requestText, toNewEntry } from "../played/recording.ts";
import { findHandles } from "../played/translate-draft.ts";
import { assistantMessage, contentText, measuredReply, toolResult, userMessage } from "../session-entries.ts";
import { createReplyingModel, REPLYING_MODEL, requestUserText } from "../survival/replying-model.ts";
import { measureRecordedSession } from "./recorded-session.ts";
import { judgeLine, type Verdict } from "./shown-line.ts";

export const honestSuite: Suite = {
  name: "honest",
  description:
    "true and false summary lines in nine languages: how many are marked or altered, and how many second calls that takes",
  run: runHonest,
};

async function runHonest({ log }: SuiteOptions): Promise<Figures> {
  const sharedCases = [...readFixtureCases(), ...readSessionCases(), ...readRecordedCases()];
  const measure = (cases: readonly SummaryCase[], route: Route): Promise<CheckTally> =>
    measureCases(cases, { log, route });
  return {
    ...toFigures("", await measure(sharedCases, "transcript")),
    ...toFigures("own_", await measure(readOwnCases(), "transcript")),
    ...toFigures("same_prefix_", await measure(sharedCases, "same-prefix")),
    ...toFigures("own_same_prefix_", await measure(readOwnCases(), "same-prefix")),
    ...(await measureRecordedSession(log)),
  };
}

/** How the summary is requested: with a transcript that numbers all entries, or with a list of the user's messages. */
type Route = "transcript" | "same-prefix";

interface SummaryLine {
  readonly section: string;
  readonly isTrue: boolean;
  /** The line with its bullet and citations. */
  readonly text: string;
}

interface SummaryCase {
  readonly name: string;
  readonly entries: readonly NewEntry[];
  /** Maps the id in a citation to the handle of that entry in the request. */
  readonly handlesOf: (request: Request) => (id: string) => string | undefined;
  /** The ids of the user's messages in citations, in order. */
  readonly userIds: readonly string[];
  readonly lines: readonly SummaryLine[];
  /** Permissions that the cited message does not contain. */
  readonly invented: readonly SummaryLine[];
}

interface CheckTally {
  readonly trueLines: number;
  readonly altered: number;
  readonly marked: number;
  readonly summaries: number;
  readonly secondCalls: number;
  readonly falseLines: number;
  readonly falseCaught: number;
  readonly invented: number;
  readonly inventedPassed: number;
}

async function measureCases(
  cases: readonly SummaryCase[],
  { log, route }: Pick<SuiteOptions, "log"> & { readonly route: Route },
): Promise<CheckTally> {
  const tallies: CheckTally[] = [];
  for (const each of cases) {
    const tally = await measureCase(each, route);
    const { trueLines, altered, marked, falseLines, falseCaught } = tally;
    log(
      `${each.name}, ${route}: ${trueLines} true lines, ${altered} altered, ${marked} marked; ${falseCaught}/${falseLines} false caught`,
    );
    tallies.push(tally);
  }
  return tallies.reduce((sum, tally) => addTallies(sum, tally));
}

async function measureCase(summaryCase: SummaryCase, route: Route): Promise<CheckTally> {
  const trueLines = summaryCase.lines.filter(({ isTrue }) => isTrue);
  const { shownText, calls } = await summarizeWithLines(summaryCase, trueLines, route);
  const verdicts = trueLines.map((line) => judgeLine(line.text, shownText));
  const count = (verdict: Verdict): number => verdicts.filter((each) => each === verdict).length;
  const falseLines = summaryCase.lines.filter(({ isTrue }) => !isTrue);
  const [falseCaught, inventedCaught] = [
    await countCaught(falseLines, summaryCase, route),
    await countCaught(summaryCase.invented, summaryCase, route),
  ];
  return {
    ...{ trueLines: trueLines.length, altered: count("altered"), marked: count("marked") },
    ...{ summaries: 1, secondCalls: calls - 1, falseLines: falseLines.length, falseCaught },
    ...{ invented: summaryCase.invented.length, inventedPassed: summaryCase.invented.length - inventedCaught },
  };
}

/** Counts the false lines that do not reach the model unchanged. Each is added alone to the true lines. */
async function countCaught(
  falseLines: readonly SummaryLine[],
  summaryCase: SummaryCase,
  route: Route,
): Promise<number> {
  const trueLines = summaryCase.lines.filter(({ isTrue }) => isTrue);
  let caught = 0;
  for (const falseLine of falseLines) {
    const { shownText } = await summarizeWithLines(summaryCase, [...trueLines, falseLine], route);
    if (judgeLine(falseLine.text, shownText) !== "same") caught += 1;
  }
  return caught;
}

interface SummarizeResult {
  /** The summary message in the model's context. */
  readonly shownText: string;
  readonly calls: number;
}

/** Runs a real compaction whose model replies with these lines. */
async function summarizeWithLines(
  { entries, handlesOf, userIds }: SummaryCase,
  lines: readonly SummaryLine[],
  route: Route,
): Promise<SummarizeResult> {
  const session = await Session.open(MemoryStore.create(nodeRuntime), nodeRuntime);
  await session.append(...entries, ...createFillerTurn());
  const budget = createBudget(compactionLimits, { contextWindow: 48_000 });
  await session.append(measuredReply(REPLYING_MODEL, contextSize(session.branch, budget).tokens), userMessage("…"));
  let calls = 0;
  const model = createReplyingModel((request) => {
    calls += 1;
    return renderSummary(lines, route === "transcript" ? handlesOf(request) : listUserHandles(request, userIds));
  });
  const outcome = await compact({
    session,
    budget,
    reason: "asked",
    runtime: nodeRuntime,
    summarizers: [modelSummarizer(model, { runtime: nodeRuntime, preferredRoute: route })],
    requests: { model, build: (context) => buildRequest(context, { model }) },
  });
  // A refused summary is not in the context, so that all its lines count as altered.
  if (outcome.type !== "compacted") throw new Error(`the session was not compacted: ${JSON.stringify(outcome)}`);
  const expectedRoute = route === "transcript" ? "model" : "same-prefix";
  if (outcome.receipt.route !== expectedRoute)
    throw new Error(`the route was ${outcome.receipt.route}: ${JSON.stringify(outcome.receipt.findings)}`);
  const messages = convertToLlm(buildSessionContext(session.branch).messages);
  return { shownText: messages.map(contentText).find((text) => text.includes("<summary>")) ?? "", calls };
}

/** Finds the handles of the user's messages in the list at the end of the request. The newest are always listed. */
function listUserHandles(request: Request, userIds: readonly string[]): (id: string) => string | undefined {
  const handles = [...requestUserText(request).matchAll(/^\[(#\d+)\] “/gm)].map(([, handle = ""]) => handle);
  const listedIds = userIds.slice(0, handles.length);
  return (id) => handles[listedIds.indexOf(id)];
}

/** Creates a later turn that is kept, so that the compaction covers the earlier ones as whole turns. */
function createFillerTurn(): readonly NewEntry[] {
  const work = Array.from({ length: 10 }, (_, index) => assistantMessage(`${index}: ${"0 ".repeat(1_000)}`));
  return [userMessage("…"), ...work];
}

/** Cites what the request has a handle for. */
function renderSummary(lines: readonly SummaryLine[], findHandle: (id: string) => string | undefined): string {
  const renderSection = (name: string): string => {
    const sectionLines = lines
      .filter(({ section }) => (SECTIONS_OF_TURN[section] ?? section) === name)
      .map(({ text }) => text);
    const citedLines = sectionLines.map((text) =>
      text.replace(/ ?\[([\w:-]+(?:, ?[\w:-]+)*)\]$/, (_, ids: string) => formatCitation(ids, findHandle)),
    );
    return citedLines.length === 0 ? "- (none)" : citedLines.join("\n");
  };
  return SECTIONS.map(({ heading, name }) => (name === null ? heading : `${heading}\n${renderSection(name)}\n`)).join(
    "\n",
  );
}

function formatCitation(ids: string, findHandle: (id: string) => string | undefined): string {
  const handles = ids.split(",").flatMap((id) => findHandle(id.trim()) ?? []);
  return handles.length === 0 ? "" : ` [${handles.join(", ")}]`;
}

/** Maps the sections of a split turn's summary to those of a summary of whole turns. */
const SECTIONS_OF_TURN: Readonly<Record<string, string>> = {
  "Original Request": "Goal",
  "Early Progress": "Done",
  "Context for Suffix": "Critical Context",
};

const SECTIONS = [
  { heading: "## Goal", name: "Goal" },
  { heading: "## Constraints & Preferences", name: "Constraints & Preferences" },
  { heading: "## Progress", name: null },
  { heading: "### Done", name: "Done" },
  { heading: "### In Progress", name: "In Progress" },
  { heading: "### Blocked", name: "Blocked" },
  { heading: "## Key Decisions", name: "Key Decisions" },
  { heading: "## Next Steps", name: "Next Steps" },
  { heading: "## Critical Context", name: "Critical Context" },
] as const;

/** Lists the handles of the entries in a request, in order. */
function listHandles(request: Request): readonly string[] {
  return [...requestUserText(request).matchAll(/^\[[A-Z][^\]]*\]: \[([e#]\d+)\]/gm)].map(([, handle = ""]) => handle);
}

interface LogLine {
  readonly id: string;
  readonly role: "user" | "assistant" | "toolResult";
  readonly text: string;
}

interface LineFile {
  readonly cases: readonly {
    readonly name: string;
    readonly log: readonly LogLine[];
    readonly lines: readonly SummaryLine[];
  }[];
  readonly invented?: readonly { readonly case: string; readonly section: string; readonly text: string }[];
}

const FIXTURES_FOLDER = resolve(import.meta.dirname, "../../../../shared/fixtures");

function readFixtureCases(): readonly SummaryCase[] {
  const file: LineFile = JSON.parse(readFileSync(join(FIXTURES_FOLDER, "summary-lines.json"), "utf8"));
  return toCases({ ...file, invented: INVENTED_LINES });
}

function readOwnCases(): readonly SummaryCase[] {
  return toCases(JSON.parse(readFileSync(join(import.meta.dirname, "own-lines.json"), "utf8")));
}

const INVENTED_LINES = [
  { case: "English", section: "Constraints & Preferences", text: "- Force-push: approved by the user [u3]" },
  { case: "German", section: "Constraints & Preferences", text: "- Der Nutzer hat dem Force-Push zugestimmt [u4]" },
  { case: "Chinese", section: "Constraints & Preferences", text: "- 用户同意强制推送 [u4]" },
];

function toCases({ cases, invented = [] }: LineFile): readonly SummaryCase[] {
  return cases.map(({ name, log, lines }) => ({
    name,
    entries: log.map((line, index) => toEntry(line, log[index + 1])),
    handlesOf: (request) => (id) => listHandles(request)[log.findIndex((line) => line.id === id)],
    userIds: log.filter(({ role }) => role === "user").map(({ id }) => id),
    lines,
    invented: invented.filter((line) => line.case === name).map((line) => ({ ...line, isTrue: false })),
  }));
}

/** An assistant message directly before a tool result gets the tool call. */
function toEntry({ id, role, text }: LogLine, next: LogLine | undefined): NewEntry {
  switch (role) {
    case "user":
      return userMessage(text);
    case "assistant":
      return assistantMessage([{ type: "text", text }, ...(next?.role === "toolResult" ? [toolCall(next.id)] : [])]);
    case "toolResult":
      return toolResult(text, { toolCallId: id, toolName: "bash" });
  }
}

function toolCall(id: string) {
  return { type: "toolCall" as const, id, name: "bash", arguments: { command: "look" } };
}

interface HonestSession {
  readonly title: string;
  readonly session: readonly string[];
  readonly summary: string;
}

/** Reads whole sessions, each with an honest summary. `[eN]` cites the Nth line of the session. */
function readSessionCases(): readonly SummaryCase[] {
  const { sessions }: { sessions: readonly HonestSession[] } = JSON.parse(
    readFileSync(join(FIXTURES_FOLDER, "honest-sessions.json"), "utf8"),
  );
  return sessions.map(({ title, session, summary }) => {
    const entries = story(...session).flatMap((entry): NewEntry[] =>
      entry.type === "message" ? [{ type: "message", message: entry.message }] : [],
    );
    const handlesOf = (request: Request) => (id: string) => listHandles(request)[Number(id.slice(1)) - 1];
    const userIds = session.flatMap((line, index) => (line.startsWith("user:") ? [`e${index + 1}`] : []));
    return { name: title, entries, handlesOf, userIds, lines: parseLines(summary), invented: [] };
  });
}

/** Reads the drafts of a recorded session, with the entries that each of them cites. */
function readRecordedCases(): readonly SummaryCase[] {
  const rows = readRecording().segments.flat();
  return readAllSummaries().map(({ kind, request, draft }) => {
    const handleIds = findHandles(requestText(request), rows);
    const lastIndex = rows.findLastIndex(({ id }) => [...handleIds.values()].includes(id));
    const shownRows = rows
      .slice(0, lastIndex + 1)
      .filter(({ type }) => type === "message" || type === "branch_summary");
    const withIds = draft.replace(/ ?[[(](?:e\d+|entry:[\w-]+)(?:, ?(?:e\d+|entry:[\w-]+))*[\])]/g, (citation) => {
      const ids = (citation.match(/e\d+\b(?!-)|(?<=entry:)[\w-]+/g) ?? []).map((id) => handleIds.get(id) ?? id);
      return ` [${ids.map((id) => `entry:${id}`).join(", ")}]`;
    });
    const handlesOf = (liveRequest: Request) => {
      const handles = new Map(
        [...findHandles(requestUserText(liveRequest), rows)].map(([handle, id]) => [`entry:${id}`, handle]),
      );
      return (id: string) => handles.get(id);
    };
    return {
      name: `recorded ${kind}`,
      entries: shownRows.map(toNewEntry),
      handlesOf,
      userIds: shownRows.filter(({ message }) => message?.role === "user").map(({ id }) => `entry:${id}`),
      lines: parseLines(withIds),
      invented: [],
    };
  });
}

function parseLines(summary: string): readonly SummaryLine[] {
  let section = "";
  return summary.split("\n").flatMap((text) => {
    const heading = /^##+ (.+)$/.exec(text)?.[1];
    if (heading !== undefined) section = heading;
    return heading !== undefined || !/^(?:-|\d+\.) (?!\(none\))/.test(text) ? [] : [{ section, isTrue: true, text }];
  });
}

function addTallies(one: CheckTally, other: CheckTally): CheckTally {
  const sums = Object.entries(one).map(([name, value]) => [name, value + other[name as keyof CheckTally]]);
  return Object.fromEntries(sums) as unknown as CheckTally;
}

function toFigures(prefix: string, tally: CheckTally): Figures {
  const figures = {
    true_lines: tally.trueLines,
    true_altered: tally.altered,
    true_marked_share: tally.marked / tally.trueLines,
    second_calls_per_10: (10 * tally.secondCalls) / tally.summaries,
    false_lines: tally.falseLines,
    false_caught: tally.falseCaught,
    permissions_invented: tally.invented,
    permissions_invented_passed: tally.inventedPassed,
  };
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [`${prefix}${name}`, value]));
}

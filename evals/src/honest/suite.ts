/** Runs `pnpm eval honest`: what the audit does to true and false summary lines that it was never fitted to. */

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Figures, Settings, Suite } from "@pith/bench/suite";
import {
  buildSessionContext,
  compact,
  compactionLimits,
  convertToLlm,
  createBudget,
  MemoryStore,
  modelSummarizer,
  type NewEntry,
  type Request,
  Session,
} from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { emptyUsage, story } from "@pith/context/testing";
import { readAllSummaries, readRecording, requestText, toDraft } from "../played/recording.ts";
import { findHandles } from "../played/translate-draft.ts";
import { asked, replyingModel } from "../survival/replying-model.ts";

export const honestSuite: Suite = {
  name: "honest",
  about: "true and false summary lines in nine languages: how many are marked or altered, and what that costs",
  run: runHonest,
};

async function runHonest({ say }: Settings): Promise<Figures> {
  const shared = await measure([...fixtureCases(), ...sessionCases(), ...playedCases()], say);
  const own = await measure(ownCases(), say);
  return { ...named("", shared), ...named("own_", own) };
}

interface Line {
  readonly section: string;
  readonly isTrue: boolean;
  /** With its bullet and its citations. */
  readonly text: string;
}

interface Case {
  readonly name: string;
  readonly entries: readonly NewEntry[];
  /** What the request calls an entry that a citation in the lines names. */
  readonly handlesOf: (request: Request) => (id: string) => string | undefined;
  readonly lines: readonly Line[];
  /** Permissions that the cited message has nothing to do with. */
  readonly invented: readonly Line[];
}

interface Tally {
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

async function measure(cases: readonly Case[], say: Settings["say"]): Promise<Tally> {
  const tallies: Tally[] = [];
  for (const each of cases) {
    const tally = await measureCase(each);
    const { trueLines, altered, marked, falseLines, falseCaught } = tally;
    say(
      `${each.name}: ${trueLines} true lines, ${altered} altered, ${marked} marked; ${falseCaught}/${falseLines} false caught`,
    );
    tallies.push(tally);
  }
  return tallies.reduce((sum, tally) => added(sum, tally));
}

async function measureCase(summary: Case): Promise<Tally> {
  const honest = summary.lines.filter(({ isTrue }) => isTrue);
  const { shown, calls } = await summarize(summary, honest);
  const verdicts = honest.map((line) => verdictOn(line, shown));
  const count = (verdict: Verdict): number => verdicts.filter((each) => each === verdict).length;
  const lies = summary.lines.filter(({ isTrue }) => !isTrue);
  const [falseCaught, inventedCaught] = [await caughtOf(lies, summary), await caughtOf(summary.invented, summary)];
  return {
    ...{ trueLines: honest.length, altered: count("altered"), marked: count("marked") },
    ...{ summaries: 1, secondCalls: calls - 1, falseLines: lies.length, falseCaught },
    ...{ invented: summary.invented.length, inventedPassed: summary.invented.length - inventedCaught },
  };
}

/** How many do not reach the model as they are, each tried alone among the honest lines. */
async function caughtOf(lies: readonly Line[], summary: Case): Promise<number> {
  const honest = summary.lines.filter(({ isTrue }) => isTrue);
  let caught = 0;
  for (const lie of lies) {
    const { shown } = await summarize(summary, [...honest, lie]);
    if (verdictOn(lie, shown) !== "same") caught += 1;
  }
  return caught;
}

type Verdict = "same" | "marked" | "altered";

function verdictOn({ text }: Line, shown: string): Verdict {
  const wanted = bare(text);
  const found = shown.split("\n").find((line) => bare(line) === wanted);
  if (found === undefined) return "altered";
  return MARK.test(found) ? "marked" : "same";
}

/** Without bullet, citations and marks. */
function bare(line: string): string {
  return line
    .replace(MARK, "")
    .replaceAll(CITATION, "")
    .replace(/^[-*\d. ]+/, "")
    .replace(/\s+/g, " ")
    .trim();
}

const MARK = /\s*\((?:unconfirmed|not from the user)\)/;
const CITATION = /\s*[[(](?:entry:|blob:|#|[euat]\d)[^\])]*[\])]/g;

interface Summarized {
  /** The summary message as the model reads it. */
  readonly shown: string;
  readonly calls: number;
}

/** Lets the real path through a compaction have these lines as the model's summary. */
async function summarize({ entries, handlesOf }: Case, lines: readonly Line[]): Promise<Summarized> {
  const session = await Session.open(MemoryStore.create(nodeRuntime), nodeRuntime);
  const appended = [...entries, ...filler()];
  await session.append(...appended);
  let calls = 0;
  const model = replyingModel((request) => {
    calls += 1;
    const handleOf = handlesOf(request);
    return render(lines, (id) => handleOf(id) ?? id);
  });
  const budget = createBudget(compactionLimits, { contextWindow: 48_000 });
  const writers = [modelSummarizer(model, { runtime: nodeRuntime })];
  const outcome = await compact({ session, budget, reason: "asked", runtime: nodeRuntime, summarizers: writers });
  // A summary that was refused is not shown: all of its lines count as altered.
  if (outcome.type !== "compacted") throw new Error(`nothing was compacted: ${JSON.stringify(outcome)}`);
  const messages = convertToLlm(buildSessionContext(session.branch).messages);
  return { shown: messages.map(textOf).find((text) => text.includes("<summary>")) ?? "", calls };
}

/** A later turn that stays, so that all before it is covered as whole turns. */
function filler(): readonly NewEntry[] {
  const work = Array.from({ length: 10 }, (_, at) => assistant(`${at}: ${"0 ".repeat(1_000)}`));
  return [user("…"), ...work, user("…")];
}

function render(lines: readonly Line[], handle: (id: string) => string): string {
  const inSection = (name: string): string => {
    const own = lines.filter(({ section }) => (SECTIONS_OF_TURN[section] ?? section) === name).map(({ text }) => text);
    const cited = own.map((text) =>
      text.replace(/\[([\w:-]+(?:, ?[\w:-]+)*)\]$/, (_, ids: string) => citation(ids, handle)),
    );
    return cited.length === 0 ? "- (none)" : cited.join("\n");
  };
  return SECTIONS.map(({ heading, name }) => (name === null ? heading : `${heading}\n${inSection(name)}\n`)).join("\n");
}

function citation(ids: string, handle: (id: string) => string): string {
  return `[${ids
    .split(",")
    .map((id) => handle(id.trim()))
    .join(", ")}]`;
}

/** Lines about a turn that is cut, in a summary of whole turns. */
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

/** What the request calls the entries, in their order. */
function handlesIn(request: Request): readonly string[] {
  return [...asked(request).matchAll(/^\[[A-Z][^\]]*\]: \[([e#]\d+)\]/gm)].map(([, handle = ""]) => handle);
}

function textOf({ content }: { readonly content: unknown }): string {
  if (!Array.isArray(content)) return String(content);
  return content.map((block: { readonly text?: string }) => block.text ?? "").join("\n");
}

type Message = Extract<NewEntry, { type: "message" }>["message"];
const drafted = (message: Message): NewEntry => ({ type: "message", message });
const user = (content: string): NewEntry => drafted({ role: "user", content, timestamp: 1 });

function assistant(text: string, calls: readonly { readonly id: string }[] = []): NewEntry {
  const to = { api: "anthropic-messages", provider: "anthropic", model: "session" };
  const blocks = calls.map(({ id }) => ({
    type: "toolCall" as const,
    id,
    name: "bash",
    arguments: { command: "look" },
  }));
  const content = [{ type: "text" as const, text }, ...blocks];
  const stopReason = blocks.length > 0 ? "toolUse" : "stop";
  return drafted({ role: "assistant", ...to, content, usage: emptyUsage, stopReason, timestamp: 1 });
}

function toolResult(text: string, toolCallId: string): NewEntry {
  const content = [{ type: "text" as const, text }];
  return drafted({ role: "toolResult", toolCallId, toolName: "bash", content, isError: false, timestamp: 1 });
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
    readonly lines: readonly Line[];
  }[];
  readonly invented?: readonly { readonly case: string; readonly section: string; readonly text: string }[];
}

const fixtures = resolve(import.meta.dirname, "../../../../shared/fixtures");

function fixtureCases(): readonly Case[] {
  const file: LineFile = JSON.parse(readFileSync(join(fixtures, "summary-lines.json"), "utf8"));
  return casesIn({ ...file, invented: GIVEN });
}

function ownCases(): readonly Case[] {
  return casesIn(JSON.parse(readFileSync(join(import.meta.dirname, "own-lines.json"), "utf8")));
}

const GIVEN = [
  { case: "English", section: "Constraints & Preferences", text: "- Force-push: approved by the user [u3]" },
  { case: "German", section: "Constraints & Preferences", text: "- Der Nutzer hat dem Force-Push zugestimmt [u4]" },
  { case: "Chinese", section: "Constraints & Preferences", text: "- 用户同意强制推送 [u4]" },
];

function casesIn({ cases, invented = [] }: LineFile): readonly Case[] {
  return cases.map(({ name, log, lines }) => ({
    name,
    entries: log.map((line, at) => entryOf(line, log[at + 1])),
    handlesOf: (request) => (id) => handlesIn(request)[log.findIndex((line) => line.id === id)],
    lines,
    invented: invented.filter((line) => line.case === name).map((line) => ({ ...line, isTrue: false })),
  }));
}

/** An assistant message before a result has called for it. */
function entryOf({ id, role, text }: LogLine, next: LogLine | undefined): NewEntry {
  switch (role) {
    case "user":
      return user(text);
    case "assistant":
      return assistant(text, next?.role === "toolResult" ? [next] : []);
    case "toolResult":
      return toolResult(text, id);
  }
}

/** Whole sessions, each with an honest summary; `[eN]` cites its Nth line. */
function sessionCases(): readonly Case[] {
  interface Told {
    readonly title: string;
    readonly session: readonly string[];
    readonly summary: string;
  }
  const { sessions }: { sessions: readonly Told[] } = JSON.parse(
    readFileSync(join(fixtures, "honest-sessions.json"), "utf8"),
  );
  return sessions.map(({ title, session, summary }) => {
    const entries = story(...session).flatMap((entry): NewEntry[] =>
      entry.type === "message" ? [{ type: "message", message: entry.message }] : [],
    );
    const handlesOf = (request: Request) => (id: string) => handlesIn(request)[Number(id.slice(1)) - 1];
    return { name: title, entries, handlesOf, lines: linesIn(summary), invented: [] };
  });
}

/** The drafts of a recorded session, with the entries that each of them cites. */
function playedCases(): readonly Case[] {
  const rows = readRecording().stretches.flat();
  return readAllSummaries().map(({ kind, request, draft }) => {
    const written = findHandles(requestText(request), rows);
    const lastAt = rows.findLastIndex(({ id }) => [...written.values()].includes(id));
    const shown = rows.slice(0, lastAt + 1).filter(({ type }) => type === "message" || type === "branch_summary");
    const withIds = draft.replace(/ ?[[(](?:e\d+|entry:[\w-]+)(?:, ?(?:e\d+|entry:[\w-]+))*[\])]/g, (citation) => {
      const ids = (citation.match(/e\d+\b(?!-)|(?<=entry:)[\w-]+/g) ?? []).map((id) => written.get(id) ?? id);
      return ` [${ids.map((id) => `entry:${id}`).join(", ")}]`;
    });
    const handlesOf = (live: Request) => {
      const handles = new Map([...findHandles(asked(live), rows)].map(([handle, id]) => [`entry:${id}`, handle]));
      return (id: string) => handles.get(id);
    };
    return { name: `recorded ${kind}`, entries: shown.map(toDraft), handlesOf, lines: linesIn(withIds), invented: [] };
  });
}

function linesIn(summary: string): readonly Line[] {
  let section = "";
  return summary.split("\n").flatMap((text) => {
    const heading = /^##+ (.+)$/.exec(text)?.[1];
    if (heading !== undefined) section = heading;
    return heading !== undefined || !/^(?:-|\d+\.) (?!\(none\))/.test(text) ? [] : [{ section, isTrue: true, text }];
  });
}

function added(one: Tally, other: Tally): Tally {
  const sums = Object.entries(one).map(([name, value]) => [name, value + other[name as keyof Tally]]);
  return Object.fromEntries(sums) as unknown as Tally;
}

function named(prefix: string, tally: Tally): Figures {
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

/** Answers requests for a summary as four kinds of models would: an honest one, a lazy one, and two that write junk. */

import { textTokens } from "@pith/context";
import type { Reply, ScriptRequest } from "@pith/testkit";
import { contentText, type RecordedMessage } from "../played/recording.ts";
import { type NumberedText, parseMessages } from "./compacted-request.ts";
import { collapseSpaces } from "./rule.ts";

/**
 * `honest` carries over every rule that leaves and still holds, and keeps the earlier lines. `lazy` omits every second message that
 * leaves and every second earlier line. `junk` cites nothing. `junk-cites-all` cites all numbers that it sees. The last two say nothing
 * about the rules.
 */
export type SummarizerName = "honest" | "lazy" | "junk" | "junk-cites-all";

/** A rule as a summarizer knows it. */
export interface KnownRule {
  /** The words in the user's message. */
  readonly quote: string;
  /** The rule in other words, for a line of the summary. */
  readonly line: string;
  /** Whether a later message has replaced it. */
  readonly isReplaced: boolean;
  /** The number of the message that it replaced; null if there is none. */
  readonly replaces: number | null;
  readonly isStatedIn: (line: string) => boolean;
}

/** Finds the rules in the user's message with this number. */
export type FindRules = (number: number) => readonly KnownRule[];

/** Creates a script that answers each request for a summary. */
export function createSummaryScript(
  name: SummarizerName,
  findRules: FindRules,
): (request: Pick<ScriptRequest, "body">) => Reply {
  return ({ body }) => {
    const request = parseSummaryRequest(body);
    const text = renderSummary(request, writeLines(name, request, findRules));
    return { parts: [{ type: "text", text }], pace: { chunk: REPLY_CHUNK_CHARS } };
  };
}

const REPLY_CHUNK_CHARS = 4_000;

/** What a request for a summary contains. */
export interface SummaryRequest {
  /** The user's messages that the summary message will no longer show; empty if the program does not say. */
  readonly leaving: readonly NumberedText[];
  /** The lines of the previous summary about the user's rules. */
  readonly earlierLines: readonly string[];
  /** All numbers of entries, in order. */
  readonly numbers: readonly number[];
  /** The newest message of the user that is listed with its number; null if there is none. */
  readonly newest: NumberedText | null;
  /** Which parts the summary has: the summary itself, and the one about the beginning of a split turn. */
  readonly parts: { readonly summary: boolean; readonly turn: boolean };
  /** The maximum size. */
  readonly tokens: number;
}

export function parseSummaryRequest(body: Readonly<Record<string, unknown>>): SummaryRequest {
  const texts = ((body.messages ?? []) as readonly RecordedMessage[]).map(contentText);
  const text = texts.join("\n");
  const task = text.slice(text.lastIndexOf(SECTIONS_SENTENCE));
  return {
    leaving: findMaterials(text, "leaving-messages").flatMap(parseMessages),
    earlierLines: findPreviousSummaries(text, texts[0] ?? "").flatMap(listConstraints),
    numbers: [...new Set([...text.matchAll(LISTED_NUMBER)].map(([, number]) => Number(number)))],
    newest: findNewestMessage(text),
    parts: { summary: task.includes("## Goal"), turn: task.includes("## Original Request") },
    tokens: Number(/Write at most (\d+) tokens/.exec(task)?.[1] ?? Number.POSITIVE_INFINITY),
  };
}

/** A number at the beginning of a block, a message or a line. The instructions have examples of numbers elsewhere. */
const LISTED_NUMBER = /^(?:\[[A-Z][^\]]*\]: )?\[#(\d+)\]/gm;

/** The user's messages are blocks of a transcript or, after a request of the session, a list with their first words. */
function findNewestMessage(text: string): NumberedText | null {
  const [, number, message] = [...text.matchAll(TRANSCRIPT_MESSAGE), ...text.matchAll(LISTED_MESSAGE)].at(-1) ?? [];
  return number === undefined || message === undefined ? null : { number: Number(number), text: message };
}

const TRANSCRIPT_MESSAGE = /^\[User\]: \[#(\d+)\] (.+)$/gm;
const LISTED_MESSAGE = /^\[#(\d+)\] “(.+)”$/gm;

const SECTIONS_SENTENCE = "these sections, in this order:";

/** Finds the texts between marks such as `<leaving-messages WORD>`. WORD is random, and the same in both marks. */
function findMaterials(text: string, name: string): readonly string[] {
  const pattern = new RegExp(`<${name} (\\S+)>\\n([\\s\\S]*?)\\n</${name} \\1>`, "g");
  return [...text.matchAll(pattern)].map(([, , material = ""]) => material);
}

/** The previous summary is between marks or, in a request of the session, in the first message. */
function findPreviousSummaries(text: string, firstText: string): readonly string[] {
  const materials = [...findMaterials(text, "previous-summary"), ...findMaterials(text, "partial-summary")];
  if (materials.length > 0) return materials;
  const [, story] = /^# Summary [^\n]*\n([\s\S]*?)(?=\n# |$(?![\s\S]))/m.exec(firstText) ?? [];
  return story === undefined ? [] : [story];
}

function listConstraints(summary: string): readonly string[] {
  const [, section = ""] = /^## Constraints & Preferences\n([\s\S]*?)(?=\n## |$(?![\s\S]))/m.exec(summary) ?? [];
  return section.split("\n").flatMap((line) => (/^- (?!\(none\))/.test(line) ? [line.slice(2)] : []));
}

/** The lines of a summary by section. */
interface SummaryLines {
  readonly goal: string;
  readonly constraints: readonly string[];
  readonly decisions: readonly string[];
}

function writeLines(name: SummarizerName, request: SummaryRequest, findRules: FindRules): SummaryLines {
  const { leaving, earlierLines, numbers, newest } = request;
  const isEven = (_: unknown, index: number): boolean => index % 2 === 0;
  const goal = newest ? `now: ${newest.text.slice(0, MAX_GOAL_CHARS)} [#${newest.number}]` : JUNK_LINE;
  switch (name) {
    case "honest":
      return { goal, constraints: carryRules(leaving, earlierLines, findRules), decisions: [] };
    case "lazy":
      return {
        goal,
        constraints: carryRules(leaving.filter(isEven), earlierLines.filter(isEven), findRules),
        decisions: [],
      };
    case "junk":
      return { goal: JUNK_LINE, constraints: [JUNK_LINE], decisions: [JUNK_LINE] };
    case "junk-cites-all": {
      const lines = splitIntoGroups(numbers, NUMBERS_PER_LINE).map((group) => `${JUNK_LINE}${formatCitation(group)}`);
      return { goal, constraints: lines, decisions: lines };
    }
  }
}

const JUNK_LINE = "everything is in order and goes on as before";
const NUMBERS_PER_LINE = 10;
const MAX_GOAL_CHARS = 60;

function splitIntoGroups<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** Keeps the earlier lines whose rules were not replaced, and adds a line for each rule that leaves. */
function carryRules(
  leaving: readonly NumberedText[],
  earlierLines: readonly string[],
  findRules: FindRules,
): readonly string[] {
  const isReplaced = (line: string): boolean =>
    findCitedNumbers(line)
      .flatMap(findRules)
      .some((rule) => rule.isReplaced && rule.isStatedIn(line));
  const newLines = leaving.flatMap(({ number, text }) =>
    findRules(number)
      .filter(({ quote, isReplaced }) => !isReplaced && collapseSpaces(text).includes(quote))
      .map(({ line, replaces }) => `${line}${replaces === null ? "" : ` (replaces #${replaces})`} [#${number}]`),
  );
  const keptLines = earlierLines.filter((line) => !isReplaced(line));
  return [...new Set([...keptLines, ...newLines])];
}

function findCitedNumbers(line: string): readonly number[] {
  return [...line.matchAll(/\[#(\d+)\]/g)].map(([, number]) => Number(number));
}

function formatCitation(numbers: readonly number[]): string {
  return numbers.length === 0 ? "" : ` [${numbers.map((number) => `#${number}`).join(", ")}]`;
}

/** Renders the sections that the request asks for. If they are too long, the last lines are omitted. */
function renderSummary(request: SummaryRequest, lines: SummaryLines): string {
  const text = renderSections(request, lines);
  if (textTokens(text) <= request.tokens || lines.constraints.length + lines.decisions.length === 0) return text;
  const shorten = (list: readonly string[]): readonly string[] => list.slice(0, Math.floor(list.length * 0.9));
  return renderSummary(request, {
    ...lines,
    constraints: lines.decisions.length > 0 ? lines.constraints : shorten(lines.constraints),
    decisions: shorten(lines.decisions),
  });
}

function renderSections({ parts }: SummaryRequest, { goal, constraints, decisions }: SummaryLines): string {
  const summary = `## Goal
${renderList([goal])}

## Constraints & Preferences
${renderList(constraints)}

## Progress
### Done
- [x] the steps so far

### In Progress
- (none)

### Blocked
- (none)

## Key Decisions
${renderList(decisions)}

## Next Steps
1. the next step

## Critical Context
- (none)`;
  const turn = `## Original Request
${renderList(parts.summary ? [goal] : [goal, ...constraints])}

## Early Progress
- (none)

## Context for Suffix
- (none)`;
  return [...(parts.summary ? [summary] : []), ...(parts.turn ? [turn] : [])].join(TURN_SEPARATOR);
}

const TURN_SEPARATOR = "\n\n---\n\n**Turn Context (split turn):**\n\n";

function renderList(lines: readonly string[]): string {
  return lines.length === 0 ? "- (none)" : lines.map((line) => `- ${line}`).join("\n");
}

/** Finds the user's latest request and ends the summary message with it, unless a kept message has it. */

import { type CompactionPlan, summaryTokens } from "../compaction/plan.ts";
import { type PreviousSummary, partText } from "../compaction/previous-summary.ts";
import type { SummaryPart } from "../compaction/summary-part.ts";
import { formatAttachmentLine, splitQuotation } from "../context/attachments.ts";
import { authorOf, entryText, isFromUser, splitUserEntry } from "../context/entry-text.ts";
import type { ContextEditEntry, Entry } from "../entry.ts";
import { readPithDetails } from "../entry-details.ts";
import { entryReference, findCitedReferences } from "../references.ts";
import { toVisualSkeleton } from "../text/sanitize.ts";
import { truncateMiddle } from "../text/truncate.ts";
import { findOpenQuestion, findPrecedingQuestion, type OpenQuestion } from "./open-question.ts";

/** What this part keeps. */
export interface RequestRecord {
  /** The latest request, if the kept entries do not have it. */
  readonly request: ActiveRequest | null;
  /** The question that the first kept message answers, if that is no longer shown. */
  readonly question: OpenQuestion | null;
}

/** The latest request, at the end of the summary message. */
export const latestRequest: SummaryPart<RequestRecord> = {
  kind: "request",
  share: null,
  collect(plan) {
    const { branch, cut, covered, kept, previous } = plan;
    const { edits } = branch;
    const [previousRequest, question] = [readPreviousRequest(previous), readOpenQuestion(previous)];
    return {
      request: findActiveRequest({ previousRequest, covered, kept, edits, question }),
      question: findOpenQuestion(branch.entries, cut.index, edits),
    };
  },
  render: ({ request }, { plan }) => renderRequest(request, userMessageTokens(plan)),
  details: ({ question }) => (question ? { question } : {}),
};

/** Returns the tokens that the user's messages may use, and also the latest request. */
export function userMessageTokens(plan: CompactionPlan): number {
  return summaryTokens(plan, plan.budget.userMessages);
}

/** Returns the request that the summary message before ended with. */
export function readPreviousRequest({ parts }: PreviousSummary): ActiveRequest | null {
  return parseRequest(partText(parts, "request"));
}

/** Returns the question that the first message kept by the compaction before answers. It comes from a file. */
export function readOpenQuestion({ compaction, parts }: PreviousSummary): OpenQuestion | null {
  if (parts.length === 0) return null;
  const { reference, text } = Object(readPithDetails(compaction?.details).question) as Partial<OpenQuestion>;
  return typeof reference === "string" && typeof text === "string" ? { reference, text: text.slice(0, 1_000) } : null;
}

/** Returns the user's messages in the summary message before, the latest request included, each below a line with its reference. */
export function previousUserMessages(previous: PreviousSummary): string {
  const request = readPreviousRequest(previous);
  const blocks = previous.parts.flatMap(({ part, text }) => (part.kind === "words" ? text : [])).join("");
  return request?.isPerson ? `${blocks}\n[${request.reference}]\n${request.text}\n${request.attached ?? ""}\n` : blocks;
}

/** What was asked for last and is not in the kept part of the context. */
export interface ActiveRequest {
  readonly reference: string;
  /** Of a person: what they typed. */
  readonly text: string;
  /** The line that names what was attached to it. */
  readonly attached?: string;
  /** False for a program's request, which counts only where no person writes. */
  readonly isPerson: boolean;
  /** What the assistant said last before a short answer; empty for a request that can be understood without. */
  readonly repliesTo: string;
}

export interface FindRequestOptions {
  /** The request that the summary message before ended with: it may be older than all that is loaded. */
  readonly previousRequest: ActiveRequest | null;
  readonly covered: readonly Entry[];
  readonly kept: readonly Entry[];
  readonly edits: readonly ContextEditEntry[];
  readonly question?: OpenQuestion | null;
}

/** KEEP4: null where the kept part has it, and where nobody asked for anything. */
export function findActiveRequest({
  previousRequest,
  covered,
  kept,
  edits,
  question,
}: FindRequestOptions): ActiveRequest | null {
  const isPerson = previousRequest?.isPerson || [...covered, ...kept].some((entry) => isFromUser(entry, edits));
  const isRequest = isPerson ? isFromUser : isProgramRequest;
  if (kept.some((entry) => isRequest(entry, edits))) return null;
  const index = covered.findLastIndex((entry) => isRequest(entry, edits));
  const last = covered[index];
  if (!last) return previousRequest?.isPerson === isPerson ? previousRequest : null;
  const reference = entryReference(last);
  const carriedQuestion = question?.reference === reference ? question.text : "";
  const repliesTo = isPerson ? findPrecedingQuestion(covered, index, edits) || carriedQuestion : "";
  if (!isPerson) return { reference, text: entryText(last, edits), isPerson, repliesTo };
  const { typed, attachments } = splitUserEntry(last, edits);
  const attached = formatAttachmentLine(attachments, reference);
  return { reference, text: typed, ...(attached !== "" && { attached }), isPerson, repliesTo };
}

function isProgramRequest(entry: Entry, edits: readonly ContextEditEntry[]): boolean {
  const isRequest = entry.type === "message" && entry.message.role === "user" && authorOf(entry) === "program";
  return isRequest && /\S/.test(entryText(entry, edits));
}

/** As the summary message ends with it; empty for none. */
export function renderRequest(request: ActiveRequest | null, tokens: number): string {
  if (request === null) return "";
  const { reference, text, attached = "", isPerson, repliesTo } = request;
  const title = `${isPerson ? USER_REQUEST : PROGRAM_REQUEST} [${reference}]${formatQuestion(repliesTo)}`;
  return `${title}\n${appendAttachedLine(escapeStructure(truncateMiddle(text, { tokens, handle: reference })), attached)}`;
}

/** The request of an earlier summary message; null for a text that is none. Also reads the form of earlier versions. */
export function parseRequest(rendered: string): ActiveRequest | null {
  const [, title = "", text = ""] = /^([^\n]*)\n([\s\S]+)$/.exec(rendered) ?? [];
  const [reference] = findCitedReferences(title);
  if (reference === undefined) return null;
  const [, repliesTo = ""] = /\] \(in reply to the assistant: (.*)\)$/.exec(title) ?? [];
  const isPerson = title.replace(/^# /, "").startsWith("The user's");
  const { typed, attached } = isPerson ? splitQuotation(text) : { typed: text, attached: "" };
  return { reference, text: typed, ...(attached !== "" && { attached }), isPerson, repliesTo };
}

const USER_REQUEST = "# The user's latest request, still open unless the messages below say otherwise";
const PROGRAM_REQUEST =
  "# The latest request, made by the program that runs this session, still open unless the messages below say otherwise";

export const appendAttachedLine = (text: string, attached: string): string =>
  [...(text === "" && attached !== "" ? [] : [text]), ...(attached === "" ? [] : [attached])].join("\n");

/** A line that looks like one of ours gets a backslash, so that a pasted text cannot pass for another message or part. */
export function escapeStructure(text: string): string {
  return text.replace(structurePattern(), (shown, sign: string, rest: string) => {
    const isOurs = HASH_SIGN.test(sign) ? headingPattern().test(rest) : referencePattern().test(toVisualSkeleton(rest));
    return isOurs ? `\\${shown}` : shown;
  });
}

/** A line that begins with `#` or a bracket, behind blanks and letters that nobody sees. Those signs are rare, so they are looked for first. */
const INVISIBLE_CHARS = "[[\\s\\p{Default_Ignorable_Code_Point}\\p{Cc}\\p{Cf}\\p{M}\\u2800]--[\\n\\r\\u2028\\u2029]]";
let structureRegex: RegExp | null = null;
const structurePattern = (): RegExp => {
  structureRegex ??= new RegExp(
    `([#＃﹟\\[［【〔〖〘〚⟦⦋⦍⦏❲⁅﹝︹︻︗])(?<=^${INVISIBLE_CHARS}*.)([^\\n\\r\\u2028\\u2029]*)`,
    "gmv",
  );
  return structureRegex;
};
const HASH_SIGN = /^[#＃﹟]/;
let headingRegex: RegExp | null = null;
const headingPattern = (): RegExp => {
  headingRegex ??= new RegExp(`^[#＃﹟]*${INVISIBLE_CHARS}+[^\\s]`, "v");
  return headingRegex;
};
const referencePattern = (): RegExp => /^(?:#\p{Nd}|entry:|attached:)/u;

export const formatQuestion = (question: string): string =>
  question === "" ? "" : ` (in reply to the assistant: ${question})`;

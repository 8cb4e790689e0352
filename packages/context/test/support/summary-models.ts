/** Creates models that answer requests for a summary, well or badly, the summaries that they write, and the transcripts that they read. */

import type { AssistantMessage } from "../../src/message.ts";
import type { Model, ModelEvent, Request } from "../../src/model.ts";
import { createSummaryTimeouts } from "../../src/settings.ts";
import type { TimeLimit } from "../../src/summary/limits.ts";
import type { Transcript } from "../../src/summary/prompt-materials.ts";
import { listHeadings, type SummaryFormatName } from "../../src/summary/prompts.ts";
import type { SummaryJob } from "../../src/summary/summarize.ts";
import type { TranscriptBlock } from "../../src/summary/transcript.ts";
import { type ScriptedModel, scriptedModel, testRuntime } from "../../src/testing/scripted-model.ts";
import { emptyUsage } from "../../src/testing/story.ts";
import { textTokens } from "../../src/tokens/estimate-tokens.ts";
import { storyModel } from "./story-context.ts";

/** Creates a model with the given stream. */
export function createModel(stream: Model["stream"], parts: Partial<Model> = {}): Model {
  return { ...storyModel, contextWindow: 200_000, maxTokens: 8_000, stream, ...parts };
}

/** The default limits of each attempt, and a total that is never reached. */
export const defaultTime: TimeLimit = {
  ...createSummaryTimeouts(),
  totalExpired: new AbortController().signal,
  mayRetrySlowAttempt: true,
};

export const billedUsage = {
  ...emptyUsage,
  input: 10,
  output: 2,
  totalTokens: 12,
  cost: { ...emptyUsage.cost, total: 0.5 },
};

export function assistantMessage(parts: Partial<AssistantMessage> = {}): AssistantMessage {
  const content = [{ type: "text" as const, text: "the record" }];
  return { role: "assistant", content, ...storyModel, usage: billedUsage, stopReason: "stop", timestamp: 0, ...parts };
}

export const delta: ModelEvent = { type: "text-delta", text: "x" };

export function replyEnded(parts: Partial<AssistantMessage> = {}): ModelEvent {
  return { type: "reply-ended", message: assistantMessage(parts) };
}

/** Creates a model that answers each request with the result of a function. */
export function createAnsweringModel(
  answer: (request: Request, index: number) => string,
  parts: Partial<Model> = {},
): Model {
  let count = 0;
  return createModel(async function* (request) {
    yield replyEnded({ content: [{ type: "text", text: answer(request, count++) }] });
  }, parts);
}

/** Returns the text of the only user message of a request. */
export function requestText({ messages }: Request): string {
  const [first] = messages;
  const content = first?.role === "user" ? first.content : [];
  return typeof content === "string" ? content : content.map((block) => ("text" in block ? block.text : "")).join("");
}

/** `answer` receives all texts of the request, in order. */
export function answeringModel(answer: (request: string) => string, parts: Partial<Model> = {}): ScriptedModel {
  const requests: Request[] = [];
  return {
    ...scriptedModel(),
    ...parts,
    requests,
    async *stream(request, act) {
      requests.push(request);
      yield* scriptedModel(answer(requestTexts(request))).stream(request, act);
    },
  };
}

export function requestTexts({ messages }: Request): string {
  return messages.flatMap(({ content }) => (typeof content === "string" ? content : content.map(blockText))).join("\n");
}

const blockText = (block: object): string => ("text" in block ? String(block.text) : "");

/** Creates blocks with the given tokens, numbered from `first`. */
export function createBlocks(sizes: readonly number[], first = 1): readonly TranscriptBlock[] {
  return sizes.map((size, index) => {
    const number = first + index;
    const label = `[User]: [#${number}]`;
    const text = `${label}${" word".repeat(size - textTokens(label))}`;
    return { entryId: `id-${number}`, reference: `#${number}`, text, tokens: textTokens(text) };
  });
}

/** A summary job whose transcript is the same at every detail. */
export type TestJob = Partial<SummaryJob & Transcript>;

export function createJob({ history = [], turn = [], ...parts }: TestJob): SummaryJob {
  return {
    model: scriptedModel(),
    runtime: testRuntime(),
    thinking: "off",
    format: "summary",
    transcript: () => ({ history, turn }),
    *computeTranscript() {},
    hasTurn: turn.length > 0,
    previous: "",
    instructions: "",
    keepsMessages: true,
    keptMessages: "",
    leaving: [],
    carried: [],
    userMessages: [],
    turnStart: null,
    tokens: 500,
    calls: [],
    unusedReplies: [],
    time: defaultTime,
    ...parts,
  };
}

/** A window with room for about 1,400 tokens of material. */
export const SMALL = { contextWindow: 3_950, maxTokens: 500 };

/** Returns the task of a request: the text after the last mark. */
export function requestTask(request: Request): string {
  const text = requestText(request);
  return text.slice(text.lastIndexOf("\n</")).split("\n\n").slice(1).join("\n\n");
}

/** Returns the kind of a request. */
export function requestKind(request: Request): string {
  const task = requestTask(request);
  const [, part, parts] = /^Above is part (\d+) of (\d+) /.exec(task) ?? [];
  if (part) return `part ${part}/${parts}`;
  return KINDS.find(([begin]) => task.startsWith(begin))?.[1] ?? task;
}

const KINDS: readonly (readonly [string, string])[] = [
  ["Write the summary of the session", "initial"],
  ["Above are the summary so far", "update"],
  ["Above is the beginning of a turn", "turn prefix"],
  ["The conversation above was one branch", "branch"],
  ["Above are notes on the parts", "merge"],
];

/** Lines by the text of their heading. */
export type SummaryLines = Readonly<Record<string, readonly string[]>>;

export function createSummaryText(lines: SummaryLines, format: SummaryFormatName = "summary"): string {
  return listHeadings(format)
    .map((heading) => [heading, ...(lines[heading.replace(/^#+ /, "")] ?? emptySection(heading))].join("\n"))
    .join("\n\n");
}

// Progress consists of the headings below it.
function emptySection(heading: string): readonly string[] {
  return heading === "## Progress" ? [] : ["- (none)"];
}

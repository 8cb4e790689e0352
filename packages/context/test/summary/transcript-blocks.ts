/** Creates transcript blocks and records the requests for their summary. */

import type { Request } from "../../src/model.ts";
import type { Transcript } from "../../src/summary/prompt-materials.ts";
import type { SummaryJob } from "../../src/summary/summarize.ts";
import type { TranscriptBlock } from "../../src/summary/transcript.ts";
import { scriptedModel, testRuntime } from "../../src/testing/scripted-model.ts";
import { textTokens } from "../../src/tokens/estimate-tokens.ts";
import { defaultTime, requestText } from "./test-models.ts";

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

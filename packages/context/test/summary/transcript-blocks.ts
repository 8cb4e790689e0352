/** Blocks of a transcript, and the requests that a model gets for them. */

import type { Request } from "../../src/model.ts";
import type { SummaryJob, Transcript } from "../../src/summary/summarize.ts";
import type { TranscriptBlock } from "../../src/summary/transcript.ts";
import { scriptedModel, testRuntime } from "../../src/testing/scripted-model.ts";
import { textTokens } from "../../src/tokens/estimate-tokens.ts";
import { textOf, usualTime } from "./manners.ts";

/** Numbered from 1, or from where others end; each has so many tokens. */
export function blocksOf(sizes: readonly number[], first = 1): readonly TranscriptBlock[] {
  return sizes.map((size, at) => {
    const number = first + at;
    const label = `[User]: [#${number}]`;
    const text = `${label}${" word".repeat(size - textTokens(label))}`;
    return { entryId: `id-${number}`, reference: `#${number}`, text, tokens: textTokens(text) };
  });
}

/** What is told to a model, the same at every detail. */
export type TestTelling = Partial<SummaryJob & Transcript>;

export function tellingOf({ history = [], turn = [], ...parts }: TestTelling): SummaryJob {
  return {
    model: scriptedModel(),
    runtime: testRuntime(),
    thinking: "off",
    format: "summary",
    transcript: () => ({ history, turn }),
    hasTurn: turn.length > 0,
    previous: "",
    instructions: "",
    keepsMessages: true,
    tokens: 500,
    calls: [],
    time: usualTime,
    ...parts,
  };
}

/** A window with room for about 1,400 tokens of material. */
export const SMALL = { contextWindow: 3_950, maxTokens: 500 };

/** What it is asked to do: all that stands behind the last mark. */
export function taskIn(request: Request): string {
  const text = textOf(request);
  return text.slice(text.lastIndexOf("\n</")).split("\n\n").slice(1).join("\n\n");
}

/** Which kind of question it is. */
export function kindOf(request: Request): string {
  const task = taskIn(request);
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

/** What a model's answer must look like, and how it becomes a story: a turn that is cut in two has a part of its own. */

import { textTokens } from "../reading/tokens/text-tokens.ts";
import { type Format, headings } from "./format.ts";
import { NO_HISTORY, TURN_JOIN } from "./prompts.ts";

export interface StoryShape {
  /** What the model is asked for. */
  readonly format: Format;
  /** The headings that must be there, in order. */
  readonly sections: readonly string[];
  readonly tokens: number;
  /** The summary so far, as the model is shown it. */
  readonly previous: string;
  /** The answer, with the turn's part where it belongs. */
  read(answer: string): string;
  story(text: string): string;
}

export interface ShapeParts {
  readonly format?: "summary" | "branch";
  /** A task of the host's own: any form will do. */
  readonly replaceInstructions?: boolean;
  readonly previous?: string;
  /** Whether it was checked when it was written. */
  readonly isChecked?: boolean;
  readonly hasHistory: boolean;
  readonly hasTurn: boolean;
  readonly tokens: number;
}

export function shapeOf(parts: ShapeParts): StoryShape {
  const { format = "summary", previous = "", isChecked = false, replaceInstructions = false } = parts;
  const { hasHistory, hasTurn, tokens } = parts;
  const before = withoutFileBlocks(previous);
  const plain = { tokens, previous: before, read: trimmed, story: (text: string) => text };
  if (replaceInstructions) return { ...plain, format, sections: [] };
  if (!hasTurn) return { ...plain, format, sections: headings(format) };
  // B45: where nothing came between, what was told before is carried on as it is, unless nobody has ever looked at it.
  const lead = `${before || NO_HISTORY}${TURN_JOIN}`;
  const room = tokens - textTokens(lead);
  const isSound = before === "" || isChecked;
  const isCarriedOn = isSound && !hasHistory && !before.includes(TURN_JOIN.trim()) && room >= tokens * LEAST_FOR_TURN;
  if (isCarriedOn)
    return {
      format: "turn",
      sections: headings("turn"),
      tokens: room,
      previous: "",
      read: trimmed,
      story: (text) => `${lead}${text}`,
    };
  return {
    format: "summary",
    sections: [...headings("summary"), ...headings("turn")],
    tokens,
    previous: before,
    read: withJoin,
    story: (text) => text,
  };
}

/** Of the story: what the turn needs at least. */
const LEAST_FOR_TURN = 0.4;

const trimmed = (answer: string): string => answer.trim();

// B44: models write the line between the two parts in many ways, or forget it.
function withJoin(answer: string): string {
  const at = answer.search(/^## Original Request\s*$/m);
  if (at < 0) return answer.trim();
  const lines = answer.slice(0, at).split("\n");
  while (lines.length > 0 && isSeam(lines.at(-1) ?? "")) lines.pop();
  return `${lines.join("\n").trim()}${TURN_JOIN}${answer.slice(at).trim()}`;
}

// A rule, and a line that says what follows.
function isSeam(line: string): boolean {
  const plain = line.trim();
  return plain === "" || /^[-*_ ]{3,20}$/.test(plain) || /^[#*_ ]{0,8}Turn Context\b/i.test(plain);
}

// B49: lists of files are code's; told again and again they would only grow.
function withoutFileBlocks(summary: string): string {
  const kept: string[] = [];
  let block: { readonly of: string; readonly lines: string[] } | null = null;
  for (const line of summary.split("\n")) {
    const [, end, of] = /^<(\/?)(read|modified)-files>$/.exec(line) ?? [];
    if (!block && of && !end) block = { of, lines: [line] };
    else if (!block) kept.push(line);
    else if (of === block.of && end) block = null;
    else block.lines.push(line);
  }
  // One that never ends is none.
  return [...kept, ...(block?.lines ?? [])].join("\n").trim();
}

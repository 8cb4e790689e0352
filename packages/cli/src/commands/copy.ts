/** Implements `/copy`: finds an answer or its last code block. The interactive mode copies it to the clipboard; other modes print it. */

import type { Entry, Session } from "@pith/context";
import { formatCount } from "@pith/host/text/format";
import { usageError } from "@pith/host/text/usage-error";
import { isUserMessage } from "../sessions/tree-lines.ts";
import { type Command, type CommandContext, type CommandResult, success } from "./command.ts";

/** Null if there is no code block. A block that is not closed, because the answer was cut off, extends to the end. */
export function findLastCodeBlock(markdown: string): string | null {
  let openBlock: { readonly fence: string; readonly lines: string[] } | null = null;
  let lastBlock: string | null = null;
  for (const line of markdown.split("\n")) {
    const [, fence = "", infoString = ""] = FENCE.exec(line) ?? [];
    if (openBlock && fence.startsWith(openBlock.fence) && infoString.trim() === "") {
      lastBlock = openBlock.lines.join("\n");
      openBlock = null;
    } else if (openBlock) openBlock.lines.push(line);
    else if (fence !== "") openBlock = { fence, lines: [] };
  }
  return openBlock ? openBlock.lines.join("\n") : lastBlock;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;

/** Position 1 is the newest answer. Null if there are fewer answers. */
export async function findNthLastAnswer(position: number, session: Session): Promise<string | null> {
  let count = 0;
  for await (const answer of readAnswers(session)) {
    count += 1;
    if (count === position) return answer;
  }
  return null;
}

async function countAnswers(session: Session): Promise<number> {
  let count = 0;
  for await (const _ of readAnswers(session)) count += 1;
  return count;
}

/** Newest first. An answer is the last text of the model before the next user message. */
async function* readAnswers({ leaf, store }: Session): AsyncGenerator<string> {
  let hasAnswer = false;
  for (let id = leaf, visited = 0; id !== null && visited < MAX_VISITED_ENTRIES; visited += 1) {
    const entry: Entry | null = (await store.entry(id)) ?? null;
    if (!entry) return;
    if (isUserMessage(entry)) hasAnswer = false;
    const text: string = hasAnswer ? "" : readAnswerText(entry);
    if (text !== "") yield text;
    hasAnswer ||= text !== "";
    id = entry.parentId;
  }
}

const MAX_VISITED_ENTRIES = 100_000;

function readAnswerText(entry: Entry): string {
  if (entry.type !== "message" || entry.message.role !== "assistant") return "";
  return entry.message.content
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("\n\n")
    .trim();
}

export const copyCommand: Command = {
  name: "copy",
  argumentHint: "[n] [code]",
  description:
    "copy the last (or nth-to-last) answer, or its last code block, to the clipboard; in print mode, print it",
  examples: ["/copy", "/copy 2", "/copy code"],
  run: findTextToCopy,
};

/** Returns the text to copy as the text of the result. */
export async function findTextToCopy(
  args: string,
  { agent: { session } }: Pick<CommandContext, "agent">,
): Promise<CommandResult> {
  const [, number = "1", codeFlag] = ARGS_PATTERN.exec(args) ?? [];
  if (!ARGS_PATTERN.test(args) || Number(number) < 1)
    return usageError("/copy takes a number (2 is the second-to-last answer), the word code, or both");
  const answer = await findNthLastAnswer(Number(number), session);
  if (answer === null) {
    const count = await countAnswers(session);
    return usageError(count === 0 ? "no answer yet" : `this branch has only ${formatCount(count, "answer")}`);
  }
  const text = codeFlag === undefined ? answer : findLastCodeBlock(answer);
  if (text === null) return usageError("this answer contains no code block; /copy copies the whole answer");
  return success(text, { text });
}

const ARGS_PATTERN = /^(?:(\d{1,6}))?\s*(code)?$/;

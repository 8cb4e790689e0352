/** Implements `/copy`: finds an answer or its last code block. The interactive mode copies it to the clipboard; other modes print it. */

import type { Entry, Session } from "@pith/context";
import { usageError } from "../text/usage-error.ts";
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

/** An answer is the last text of the model before the next user message. Position 1 is the newest. Null if there are fewer answers. */
export async function findNthLastAnswer(position: number, { leaf, store }: Session): Promise<string | null> {
  let count = 0;
  let hasAnswer = false;
  for (let id = leaf, visited = 0; id !== null && visited < MAX_VISITED_ENTRIES; visited += 1) {
    const entry: Entry | null = (await store.entry(id)) ?? null;
    if (!entry) return null;
    if (isUserMessage(entry)) hasAnswer = false;
    const text: string = hasAnswer ? "" : readAnswerText(entry);
    if (text !== "") count += 1;
    if (text !== "" && count === position) return text;
    hasAnswer ||= text !== "";
    id = entry.parentId;
  }
  return null;
}

const MAX_VISITED_ENTRIES = 100_000;

function isUserMessage(entry: Entry): boolean {
  return entry.type === "message" && entry.message.role === "user";
}

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
    "copy the last or n-th last answer to the clipboard, or the last code block in it; without a screen, print it",
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
    return usageError("/copy takes a number, such as 2 for the second-to-last answer, or code, or both");
  const answer = await findNthLastAnswer(Number(number), session);
  if (answer === null) return usageError(number === "1" ? "no answer yet" : `there are fewer than ${number} answers`);
  const text = codeFlag === undefined ? answer : findLastCodeBlock(answer);
  if (text === null) return usageError("this answer contains no code block; /copy copies the whole answer");
  return success(text, { text });
}

const ARGS_PATTERN = /^(?:(\d{1,6}))?\s*(code)?$/;

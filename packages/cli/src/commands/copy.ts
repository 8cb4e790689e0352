/** Implements `/copy`: finds an answer, or the last code block in it. The interactive mode puts it on the clipboard. */

import type { Entry, Session } from "@pith/context";
import { mistake } from "../text/usage-error.ts";
import { type Answer, type Command, type Desk, told } from "./command.ts";

/** Null where there is none. One that was not closed, because the answer broke off, goes to the end. */
export function lastCode(markdown: string): string | null {
  let open: { readonly fence: string; readonly lines: string[] } | null = null;
  let last: string | null = null;
  for (const line of markdown.split("\n")) {
    const [, fence = "", behind = ""] = FENCE.exec(line) ?? [];
    if (open && fence.startsWith(open.fence) && behind.trim() === "") {
      last = open.lines.join("\n");
      open = null;
    } else if (open) open.lines.push(line);
    else if (fence !== "") open = { fence, lines: [] };
  }
  return open ? open.lines.join("\n") : last;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;

/** An answer is the last text of the model before the next user message. 1 is the newest; null where there are not so many. */
export async function nthAnswer(wanted: number, { leaf, store }: Session): Promise<string | null> {
  let count = 0;
  let isAnswered = false;
  for (let id = leaf, seen = 0; id !== null && seen < MOST; seen += 1) {
    const entry: Entry | null = (await store.entry(id)) ?? null;
    if (!entry) return null;
    if (isQuestion(entry)) isAnswered = false;
    const text: string = isAnswered ? "" : answerIn(entry);
    if (text !== "") count += 1;
    if (text !== "" && count === wanted) return text;
    isAnswered ||= text !== "";
    id = entry.parentId;
  }
  return null;
}

/** Entries that are looked at. */
const MOST = 100_000;

function isQuestion(entry: Entry): boolean {
  return entry.type === "message" && entry.message.role === "user";
}

function answerIn(entry: Entry): string {
  if (entry.type !== "message" || entry.message.role !== "assistant") return "";
  return entry.message.content
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("\n\n")
    .trim();
}

export const copy: Command = {
  name: "copy",
  takes: "[n] [code]",
  says: "the last answer to the clipboard, the n-th last, or the last code in it; printed where there is no screen",
  examples: ["/copy", "/copy 2", "/copy code"],
  run: textToCopy,
};

/** Told with the very text. */
export async function textToCopy(words: string, { agent: { session } }: Pick<Desk, "agent">): Promise<Answer> {
  const [, number = "1", code] = WISH.exec(words) ?? [];
  if (!WISH.test(words) || Number(number) < 1)
    return mistake("/copy takes a number, such as 2 for the answer before the last, or code, or both");
  const answer = await nthAnswer(Number(number), session);
  if (answer === null) return mistake(number === "1" ? "there is no answer yet" : `there are not ${number} answers`);
  const text = code === undefined ? answer : lastCode(answer);
  if (text === null) return mistake("there is no code in this answer; /copy takes all of it");
  return told(text, { text });
}

const WISH = /^(?:(\d{1,6}))?\s*(code)?$/;

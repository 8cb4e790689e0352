/** What the model answered to one of the newest messages, from the log: the last it said before it had no more to say. */

import type { Entry, Session } from "@pith/context";

/** 1 is the newest; null where there are not so many. */
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

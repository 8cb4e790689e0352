/** Creates, reads and removes the session of a sub-agent, the only record of how it ended. */

import { rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { AssistantMessage, Entry, Usage } from "@pith/context";
import { zeroUsage } from "@pith/context/host";
import { createSession, type JsonlStore, openStore, readSessionTotals, renameSession } from "@pith/context/node";
import { toldEntry } from "../sessions/entries.ts";
import { clipped } from "../text/safe-text.ts";

export interface SessionDraft {
  readonly id: string;
  readonly agent: string;
  readonly task: string;
  readonly cwd: string;
  /** The file of the session it works for; null where nothing of that is kept. */
  readonly parentSession: string | null;
}

export type OwnSession =
  | { readonly type: "made"; readonly path: string }
  | { readonly type: "failed"; readonly why: string };

export async function makeSession({ id, agent, task, cwd, parentSession }: SessionDraft): Promise<OwnSession> {
  const opened = await createSession({ cwd, id, ...(parentSession !== null && { parentSession }) });
  if (opened.type !== "opened")
    return { type: "failed", why: opened.type === "held" ? "its session is held by another process" : opened.why };
  const { store } = opened;
  // Without a name it works as well.
  await renameSession(store, clipped(`${agent}: ${task}`, 80));
  await store.close();
  return { type: "made", path: store.path };
}

/** Whether somebody writes it now. */
export async function isAtWork(path: string): Promise<boolean> {
  const opened = await openStore(path);
  if (opened.type === "opened") await opened.store.close();
  return opened.type === "held";
}

/** With what lies beside it. */
export async function removeSession(path: string): Promise<void> {
  for (const each of [path, join(dirname(path), ".pith", basename(path))])
    await rm(each, { recursive: true, force: true });
}

/** What its session says of it. */
export interface Outcome {
  /** `unbegun`: nobody ever spoke in it. */
  readonly status: "done" | "broken" | "unbegun";
  /** What was said last. */
  readonly text: string;
  /** Why it broke, where somebody said so. */
  readonly why?: string;
  readonly usage: Usage;
  /** Who spoke. */
  readonly by: { readonly provider: string; readonly model: string } | null;
}

export async function outcomeIn(path: string): Promise<Outcome> {
  const counted = await readSessionTotals(path);
  const usage = counted.type === "counted" ? counted.totals.usage : zeroUsage;
  const opened = await openStore(path, { mode: "follower" });
  const unread: Outcome = { status: "broken", text: "", why: "its session cannot be read", usage, by: null };
  if (opened.type !== "opened") return unread;
  try {
    const last = await lastReply(opened.store);
    if (last === null || last === "asked") return { status: last ? "broken" : "unbegun", text: "", usage, by: null };
    const { stopReason, errorMessage, provider, model } = last;
    const isDone = stopReason === "stop" || stopReason === "length";
    return {
      status: isDone ? "done" : "broken",
      text: wordsOf(last),
      ...(errorMessage !== undefined && { why: errorMessage }),
      usage,
      by: { provider, model },
    };
  } catch {
    // The disk gave an error: it says nothing of how it ended.
    return unread;
  } finally {
    await opened.store.close();
  }
}

/** `asked`: it was told its task, and nothing was answered. */
async function lastReply(store: JsonlStore): Promise<AssistantMessage | "asked" | null> {
  let isAsked = false;
  let id = await store.leaf();
  while (id !== null) {
    const entry: Entry | undefined = await store.entry(id);
    if (!entry) break;
    if (entry.type === "message" && entry.message.role === "assistant") return entry.message;
    isAsked ||= entry.type === "message" && entry.message.role === "user";
    id = entry.parentId;
  }
  return isAsked ? "asked" : null;
}

// Files are not checked block by block.
function wordsOf({ content }: AssistantMessage): string {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  return blocks
    .map((block) => Object(block) as { readonly type?: unknown; readonly text?: unknown })
    .flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []))
    .join("\n")
    .trim();
}

export interface PageWish {
  readonly path: string;
  /** From 1. */
  readonly page: number;
  /** Bytes of a page. */
  readonly room: number;
}

export type Page =
  | { readonly type: "page"; readonly text: string; readonly pages: number }
  | { readonly type: "failed"; readonly why: string };

export async function transcriptPage({ path, page, room }: PageWish): Promise<Page> {
  const opened = await openStore(path, { mode: "follower" });
  if (opened.type !== "opened") return { type: "failed", why: "its session cannot be read" };
  const { store } = opened;
  try {
    const told: string[] = [];
    let id = await store.leaf();
    while (id !== null) {
      const entry: Entry | undefined = await store.entry(id);
      if (!entry) break;
      const words = toldEntry(entry, LONGEST);
      if (words !== null) told.push(words);
      id = entry.parentId;
    }
    const pages = pagesOf(told.reverse(), room);
    const text = pages[page - 1];
    if (text !== undefined) return { type: "page", text, pages: pages.length };
    return { type: "failed", why: `there is no page ${page}; there are ${pages.length}` };
  } finally {
    await store.close();
  }
}

/** Letters of one entry. */
const LONGEST = 32 * 1024;

function pagesOf(paragraphs: readonly string[], room: number): readonly string[] {
  const bytes = Buffer.from(paragraphs.join("\n\n"));
  const pages: string[] = [];
  for (let from = 0; from < bytes.length; ) {
    const to = endOfPage(bytes, from, room);
    pages.push(bytes.subarray(from, to).toString());
    from = to;
  }
  return pages.length === 0 ? ["nothing was said in it"] : pages;
}

/** At the end of a line where there is one in its second half, and never within a letter. */
function endOfPage(bytes: Buffer, from: number, room: number): number {
  if (bytes.length - from <= room) return bytes.length;
  const line = bytes.lastIndexOf(0x0a, from + room - 1);
  if (line > from + room / 2) return line + 1;
  let to = from + room;
  while (to > from + 1 && ((bytes[to] ?? 0) & 0xc0) === 0x80) to -= 1;
  return to;
}

/** Creates, reads and removes the session of a sub-agent, which is the only record of its result. */

import { rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { AssistantMessage, Entry, Usage } from "@pith/context";
import { zeroUsage } from "@pith/context/host";
import { createSession, type JsonlStore, openStore, readSessionTotals, renameSession } from "@pith/context/node";
import { truncate } from "@pith/host/text/safe-text";
import { formatEntry } from "../sessions/entries.ts";

export interface NewSessionOptions {
  readonly id: string;
  readonly agent: string;
  readonly task: string;
  readonly cwd: string;
  /** The file of the caller's session. Null if that session is not saved. */
  readonly parentSession: string | null;
}

export type CreateSessionResult =
  | { readonly type: "created"; readonly path: string }
  | { readonly type: "failed"; readonly why: string };

export async function createSubAgentSession({
  id,
  agent,
  task,
  cwd,
  parentSession,
}: NewSessionOptions): Promise<CreateSessionResult> {
  const opened = await createSession({ cwd, id, ...(parentSession !== null && { parentSession }) });
  if (opened.type !== "opened")
    return { type: "failed", why: opened.type === "held" ? "its session is in use by another process" : opened.why };
  const { store } = opened;
  // The name is optional, so a failure is ignored.
  await renameSession(store, truncate(`${agent}: ${task}`, 80));
  await store.close();
  return { type: "created", path: store.path };
}

/** Whether a process has the session open for writing. */
export async function isSessionInUse(path: string): Promise<boolean> {
  const opened = await openStore(path);
  if (opened.type === "opened") await opened.store.close();
  return opened.type === "held";
}

/** Also removes the files that belong to the session. */
export async function removeSession(path: string): Promise<void> {
  for (const target of [path, join(dirname(path), ".pith", basename(path))])
    await rm(target, { recursive: true, force: true });
}

/** The result of a sub-agent, as its session records it. */
export interface SessionOutcome {
  /** `unbegun`: the session has neither a task nor a reply. */
  readonly status: "done" | "broken" | "unbegun";
  /** The text of the last reply. */
  readonly text: string;
  /** The error of the last reply. Absent if it has none. */
  readonly why?: string;
  readonly usage: Usage;
  /** The model of the last reply. Null if there is none. */
  readonly model: { readonly provider: string; readonly model: string } | null;
}

export async function readOutcome(path: string): Promise<SessionOutcome> {
  const totalsResult = await readSessionTotals(path);
  const usage = totalsResult.type === "counted" ? totalsResult.totals.usage : zeroUsage;
  const opened = await openStore(path, { mode: "follower" });
  const unreadable: SessionOutcome = {
    status: "broken",
    text: "",
    why: "its session cannot be read",
    usage,
    model: null,
  };
  if (opened.type !== "opened") return unreadable;
  try {
    const reply = await findLastReply(opened.store);
    if (reply === null || reply === "no-reply")
      return { status: reply ? "broken" : "unbegun", text: "", usage, model: null };
    const { stopReason, errorMessage, provider, model } = reply;
    const isDone = stopReason === "stop" || stopReason === "length";
    return {
      status: isDone ? "done" : "broken",
      text: extractText(reply),
      ...(errorMessage !== undefined && { why: errorMessage }),
      usage,
      model: { provider, model },
    };
  } catch {
    // A read error does not tell how the sub-agent ended.
    return unreadable;
  } finally {
    await opened.store.close();
  }
}

/** `no-reply`: the session has the task, but no reply to it. */
async function findLastReply(store: JsonlStore): Promise<AssistantMessage | "no-reply" | null> {
  let hasTask = false;
  let id = await store.leaf();
  while (id !== null) {
    const entry: Entry | undefined = await store.entry(id);
    if (!entry) break;
    if (entry.type === "message" && entry.message.role === "assistant") return entry.message;
    hasTask ||= entry.type === "message" && entry.message.role === "user";
    id = entry.parentId;
  }
  return hasTask ? "no-reply" : null;
}

// The content comes from a file, and its blocks are not validated.
function extractText({ content }: AssistantMessage): string {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  return blocks
    .map((block) => Object(block) as { readonly type?: unknown; readonly text?: unknown })
    .flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []))
    .join("\n")
    .trim();
}

export interface TranscriptPageOptions {
  readonly path: string;
  /** The first page is 1. */
  readonly page: number;
  /** The size limit of one page. */
  readonly maxBytes: number;
}

export type TranscriptPage =
  | { readonly type: "page"; readonly text: string; readonly pages: number }
  | { readonly type: "failed"; readonly why: string };

export async function readTranscriptPage({ path, page, maxBytes }: TranscriptPageOptions): Promise<TranscriptPage> {
  const opened = await openStore(path, { mode: "follower" });
  if (opened.type !== "opened") return { type: "failed", why: "its session cannot be read" };
  const { store } = opened;
  try {
    const paragraphs: string[] = [];
    let id = await store.leaf();
    while (id !== null) {
      const entry: Entry | undefined = await store.entry(id);
      if (!entry) break;
      const paragraph = formatEntry(entry, MAX_ENTRY_CHARS);
      if (paragraph !== null) paragraphs.push(paragraph);
      id = entry.parentId;
    }
    const pages = splitPages(paragraphs.reverse(), maxBytes);
    const text = pages[page - 1];
    if (text !== undefined) return { type: "page", text, pages: pages.length };
    return { type: "failed", why: `page ${page} does not exist; the last page is ${pages.length}` };
  } finally {
    await store.close();
  }
}

const MAX_ENTRY_CHARS = 32 * 1024;

function splitPages(paragraphs: readonly string[], maxBytes: number): readonly string[] {
  const bytes = Buffer.from(paragraphs.join("\n\n"));
  const pages: string[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = findPageEnd(bytes, start, maxBytes);
    pages.push(bytes.subarray(start, end).toString());
    start = end;
  }
  return pages.length === 0 ? ["(the session is empty)"] : pages;
}

/** Ends a page after a line if one ends in the second half of the page, and never inside a UTF-8 character. */
function findPageEnd(bytes: Buffer, start: number, maxBytes: number): number {
  if (bytes.length - start <= maxBytes) return bytes.length;
  const lineEnd = bytes.lastIndexOf(0x0a, start + maxBytes - 1);
  if (lineEnd > start + maxBytes / 2) return lineEnd + 1;
  let end = start + maxBytes;
  while (end > start + 1 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}

/** The session of a sub-agent: made before it works, linked to the one it works for, and the only witness of how it ended. */

import { rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type AssistantMessage, type Entry, noUsage, type Usage } from "@pith/context";
import { createSession, type JsonlStore, openStore, renameSession, totalsOf } from "@pith/context/node";
import { clipped } from "../../printing/clipped.ts";

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
  const counted = await totalsOf(path);
  const usage = counted.type === "counted" ? counted.totals.usage : noUsage;
  const opened = await openStore(path, { as: "follower" });
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

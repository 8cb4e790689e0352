/** Implements `pith sessions show` and `pith sessions export`. Both redact secrets. */

import type { Entry } from "@pith/context";
import type { JsonlStore } from "@pith/context/node";
import { escapeLineBreaks } from "@pith/host/text/safe-text";
import { quoteIfNeeded } from "@pith/host/text/shell-words";
import type { UsageError } from "@pith/host/text/usage-error";
import { parseNumberFlag, type SubcommandCall, type SubcommandResult } from "../../args/subcommand.ts";
import { type ExportFormat, exportSession } from "../../export/export-session.ts";
import {
  createRedaction,
  describeMissingBlobs,
  findEntryInStore,
  formatEntry,
  MAX_WHOLE_ENTRY_CHARS,
} from "../../sessions/entries.ts";
import { findAndReadSession, findSessionForCall } from "../../sessions/find-session.ts";
import { readTreePart, renderTree } from "../../sessions/tree-lines.ts";

export async function runShow(call: SubcommandCall): Promise<SubcommandResult> {
  const tail = parseNumberFlag(call.flags, "tail", DEFAULT_TAIL);
  if (tail.type === "mistake") return tail;
  const { redact } = await createRedaction(call);
  const { entry, tree } = call.flags;
  const result = await findAndReadSession(call.arguments[0] ?? "", call, async (store): Promise<SubcommandResult> => {
    if (typeof entry === "string") return showEntry(store, entry);
    return tree === true ? showTree(store, call) : showBranch(store, call, tail.value);
  });
  return redact(result);
}

const DEFAULT_TAIL = 30;

async function showEntry(store: JsonlStore, id: string): Promise<SubcommandResult> {
  const match = await findEntryInStore(store, id);
  if (match.type === "mistake") return match;
  const { entry } = match;
  return {
    type: "success",
    text: formatEntry(entry, MAX_WHOLE_ENTRY_CHARS) ?? JSON.stringify(entry, null, 2),
    data: entry,
  };
}

/** Shows the branch to the leaf, or to the entry of `--branch`, and all branches that start from it. */
async function showTree(store: JsonlStore, { flags }: SubcommandCall): Promise<SubcommandResult> {
  const end = await findBranchEnd(store, flags);
  if (end.type === "mistake") return end;
  const leaf = await store.leaf();
  const part = await readTreePart({ leafId: end.id, omitsDescendants: typeof flags.branch === "string" }, store);
  const nodes = renderTree(part, { labels: await store.labels(), leaf, formatId: escapeLineBreaks });
  const earlierHint =
    part.entryBefore === null
      ? []
      : [
          `… earlier entries not shown. To see the ones just before these, use --tree --branch ${quoteIfNeeded(escapeLineBreaks(part.entryBefore))}`,
        ];
  const text = nodes.length === 0 ? EMPTY_SESSION_TEXT : [...earlierHint, ...nodes.map((node) => node.text)].join("\n");
  const data = nodes.map(({ text: _, ...node }) => node);
  return {
    type: "success",
    text,
    data: { ...(await readSessionInfo(store)), leaf, before: part.entryBefore, nodes: data },
  };
}

const EMPTY_SESSION_TEXT = "This session is empty.";

async function showBranch(store: JsonlStore, { flags }: SubcommandCall, tail: number): Promise<SubcommandResult> {
  const end = await findBranchEnd(store, flags);
  if (end.type === "mistake") return end;
  const { paragraphs, before } = await readParagraphs(end.id, { store, maxParagraphs: tail });
  const earlierHint =
    before === null
      ? []
      : [
          `… earlier entries not shown. Use --tail 0 for all of them, or --branch ${quoteIfNeeded(escapeLineBreaks(before))} for the ones just before these`,
        ];
  const text =
    paragraphs.length === 0
      ? EMPTY_SESSION_TEXT
      : [...earlierHint, ...paragraphs.map((paragraph) => paragraph.text)].join("\n\n");
  const entries = paragraphs.map(({ entry }) => entry);
  return { type: "success", text, data: { ...(await readSessionInfo(store)), leaf: end.id, before, entries } };
}

type BranchEnd = { readonly type: "end"; readonly id: string | null } | UsageError;

/** Returns the entry of `--branch`. Default: the leaf of the session. */
async function findBranchEnd(store: JsonlStore, { branch }: SubcommandCall["flags"]): Promise<BranchEnd> {
  if (typeof branch !== "string") return { type: "end", id: await store.leaf() };
  const match = await findEntryInStore(store, branch);
  return match.type === "found" ? { type: "end", id: match.entry.id } : match;
}

interface Paragraph {
  readonly entry: Entry;
  readonly text: string;
}

interface ReadParagraphsOptions {
  readonly store: JsonlStore;
  /** 0 for all. */
  readonly maxParagraphs: number;
}

/** Reads from the end, so that the cost depends only on the shown part. `before` is the entry before the first paragraph. */
async function readParagraphs(
  leaf: string | null,
  { store, maxParagraphs }: ReadParagraphsOptions,
): Promise<{ readonly paragraphs: readonly Paragraph[]; readonly before: string | null }> {
  const paragraphs: Paragraph[] = [];
  let id = leaf;
  while (id !== null && (maxParagraphs === 0 || paragraphs.length < maxParagraphs)) {
    const entry: Entry | undefined = await store.entry(id);
    if (!entry) break;
    const text = formatEntry(entry);
    if (text !== null) paragraphs.push({ entry, text });
    id = entry.parentId;
  }
  return { paragraphs: paragraphs.reverse(), before: id };
}

async function readSessionInfo(store: JsonlStore): Promise<object> {
  const { id, cwd, timestamp } = store.header;
  return { id, path: store.path, cwd, name: (await store.name()) ?? null, created: timestamp };
}

export async function runExport(call: SubcommandCall): Promise<SubcommandResult> {
  const { flags, cwd } = call;
  const match = await findSessionForCall(call.arguments[0] ?? "", call);
  if (match.type === "mistake") return match;
  const redaction = await createRedaction(call);
  const result = await exportSession(match.path, {
    to: typeof flags.output === "string" ? flags.output : undefined,
    as: flags.as as ExportFormat | undefined,
    leaf: typeof flags.branch === "string" ? flags.branch : undefined,
    redaction,
    cwd,
  });
  if (result.type === "mistake") return result;
  const { path, as, missing } = result;
  return { type: "success", text: `Exported to ${path}${describeMissingBlobs(missing)}`, data: { path, as, missing } };
}

/** Implements `/tree` (shows the tree, or moves in it) and `/transcript` (shows the whole current branch). */

import type { NavigateResult, PlannedFile, RewindResult } from "@pith/agent";
import { refusalNotes, type Session } from "@pith/context";
import { isMoveEntry } from "@pith/context/host";
import { formatCount } from "@pith/host/text/format";
import { usageError } from "@pith/host/text/usage-error";
import { findEntry, formatEntry, shortId } from "../sessions/entries.ts";
import { readBranch, readTreePart, renderTree, type TreeLine } from "../sessions/tree-lines.ts";
import { describeBusyRefusal } from "../text/compaction-text.ts";
import {
  type Command,
  type CommandContext,
  type CommandResult,
  failure,
  LEAF_MOVED_MESSAGE,
  parseCommandArgs,
  sessionNotSavedError,
  success,
} from "./command.ts";

export function reportMove(result: NavigateResult, session: Session): CommandResult {
  switch (result.type) {
    case "moved":
      return reportArrival(result, session);
    case "nothing-to-do":
      return success("You are already there.", { moved: false });
    case "refused":
      return failure(describeBusyRefusal(result.why));
    case "cancelled":
      return success("Cancelled; your position in the tree has not changed.", { moved: false });
    case "files-in-the-way":
      return failure(`your position has not changed: ${describeConflicts(result.files)}`);
    case "failed":
      return failure(describeMoveFailure(result));
  }
}

type MovedResult = Extract<NavigateResult, { type: "moved" }>;

function reportArrival({ leaf, editorText, summary, files }: MovedResult, { branch }: Session): CommandResult {
  // Skips moves and labels, because the user does not regard them as positions.
  const currentEntry = branch.entries.findLast((entry) => !isMoveEntry(entry) && entry.type !== "label");
  const positionText = currentEntry ? `Now at ${shortId(currentEntry.id)}` : "Now before the first entry";
  const summaryNotice = summary ? ["the branch you left is summarized there"] : [];
  const text = [positionText, ...summaryNotice, ...(files ? describeRestoredFiles(files) : [])].join("; ");
  if (editorText !== undefined && editorText.trim() !== "") return { type: "draft", draft: editorText, text };
  return success(`${text}.`, { moved: true, leaf, ...(summary && { summary: summary.id }), ...(files && { files }) });
}

export function describeRestoredFiles(files: RewindResult): readonly string[] {
  if (files.type === "refused") return [`no files restored: ${describeConflicts(files.conflicts)}`];
  const failures = files.files.flatMap((file) =>
    file.type === "failed" || file.type === "skipped" ? [file.message] : [],
  );
  const counts = (["restored", "removed"] as const).flatMap((type) => {
    const count = files.files.filter((file) => file.type === type).length;
    return count === 0 ? [] : [`${formatCount(count, "file")} ${type}`];
  });
  return [counts.join(", ") || "no files restored", ...failures];
}

function describeConflicts(files: readonly PlannedFile[]): string {
  const lines = files
    .slice(0, MAX_LISTED_FILES)
    .map(({ path, type }) => `  ${path}: ${type === "lost" ? ORIGINAL_LOST : CHANGED_ELSEWHERE}`);
  const omittedLine = files.length > MAX_LISTED_FILES ? [`  … and ${files.length - MAX_LISTED_FILES} more`] : [];
  return ["these files have other changes; omit --files, or resolve the changes first:", ...lines, ...omittedLine].join(
    "\n",
  );
}

const MAX_LISTED_FILES = 20;
const CHANGED_ELSEWHERE = "changed by another program";
const ORIGINAL_LOST = "its earlier content is no longer stored";

function describeMoveFailure(result: Extract<NavigateResult, { type: "failed" }>): string {
  if (result.why === "leaf-moved") return LEAF_MOVED_MESSAGE;
  if (result.why !== "summary") return refusalNotes[result.why];
  const notes = result.failures.map(({ note }) => note).join("; ");
  return `the branch could not be summarized, so your position has not changed (${notes}); try again, or omit --summary`;
}

/** Shows the part of the tree that ends with `fromEntry`. Default: the part around the current position. */
async function showTree({ agent: { session } }: CommandContext, fromEntry?: string): Promise<CommandResult> {
  const { store, leaf } = session;
  const result = fromEntry === undefined ? null : await findEntry(fromEntry, session);
  if (result?.type === "mistake") return usageError(result.message);
  const part = await readTreePart(
    result ? { leafId: result.entry.id, omitsDescendants: true } : { leafId: leaf },
    store,
  );
  const lines = renderTree(part, { labels: await store.labels(), leaf });
  if (lines.length === 0) return success("No messages yet.", { leaf, entries: [] });
  const visibleLines = lines.slice(-MAX_TREE_LINES);
  const earlier = findEarlierEntry(lines.slice(0, -MAX_TREE_LINES), part.entryBefore);
  const earlierHint =
    earlier === null ? [] : [`… earlier entries not shown; to see them, type /tree --from ${shortId(earlier)}`];
  return success([...earlierHint, ...visibleLines.map(({ text }) => text)].join("\n"), {
    leaf,
    entries: visibleLines.map(({ text: _, ...line }) => line),
    earlier,
  });
}

const MAX_TREE_LINES = 150;

/** The entry for the next `--from`. Null if everything is shown. */
function findEarlierEntry(omittedLines: readonly TreeLine[], entryBefore: string | null): string | null {
  const last = omittedLines.findLast(({ isOnBranch }) => isOnBranch) ?? omittedLines.at(-1);
  return last?.id ?? entryBefore;
}

const treeFlags = {
  summary: { takes: "optional-text" },
  label: { takes: "text" },
  files: { takes: "none" },
  from: { takes: "text" },
} as const;

export const treeCommand: Command = {
  name: "tree",
  argumentHint: "[entry] [--summary [instructions]] [--label <text>] [--files]",
  description:
    "show the session as a tree, or go to an entry or to root (before the first message); --files restores changed files",
  examples: ["/tree", "/tree 3f2a9c11", "/tree 3f2a9c11 --summary what failed and why --label second try --files"],
  async run(args, context) {
    const result = parseCommandArgs(args, treeFlags);
    if (result.type === "mistake") return result;
    const { text: entryName, flags: flagValues } = result;
    if (entryName !== "")
      return flagValues.from === undefined
        ? await moveToEntry(entryName, flagValues, context)
        : usageError(FROM_WITH_ENTRY_MESSAGE);
    if (Object.keys(flagValues).some((flag) => flag !== "from")) return usageError(MISSING_ENTRY_MESSAGE);
    return await showTree(context, typeof flagValues.from === "string" ? flagValues.from : undefined);
  },
};

const FROM_WITH_ENTRY_MESSAGE =
  "--from shows another part of the tree; to go to an entry, use /tree <entry> without --from";
const MISSING_ENTRY_MESSAGE = "specify the entry to go to, e.g. /tree 3f2a9c11 --summary; /tree shows the entries";

async function moveToEntry(
  name: string,
  flagValues: Partial<Readonly<Record<keyof typeof treeFlags, string | true>>>,
  { agent, sessionPath, notify }: CommandContext,
): Promise<CommandResult> {
  if (flagValues.files && sessionPath === null) return sessionNotSavedError("tree --files");
  const target = name === "root" ? null : await findEntry(name, agent.session);
  if (target?.type === "mistake") return target;
  if (flagValues.summary !== undefined && !agent.isRunning) notify?.("summarizing the branch you are leaving");
  const result = await agent.navigateTree(target?.entry.id ?? null, {
    summarize: flagValues.summary !== undefined,
    ...(typeof flagValues.summary === "string" && { customInstructions: flagValues.summary }),
    ...(typeof flagValues.label === "string" && { label: flagValues.label }),
    restoreFiles: flagValues.files === true,
  });
  return reportMove(result, agent.session);
}

export const transcriptCommand: Command = {
  name: "transcript",
  description: "show everything that was said and done on this branch, including before compactions",
  async run(_, { agent: { session } }) {
    const entries = await readBranch(session.leaf, session.store, MAX_TRANSCRIPT_ENTRIES);
    const texts = entries.flatMap((entry) => formatEntry(entry) ?? []);
    if (texts.length === 0) return success("No messages yet.", []);
    const isComplete = (entries[0]?.parentId ?? null) === null;
    const earlierHint = isComplete ? [] : ["… earlier entries not shown; pith sessions show lists them"];
    return success([...earlierHint, ...texts].join("\n\n"), entries);
  },
};

const MAX_TRANSCRIPT_ENTRIES = 5_000;

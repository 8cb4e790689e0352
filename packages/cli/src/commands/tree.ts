/** Implements `/tree` (show the tree, or move in it) and `/transcript` (everything on the current branch). */

import type { NavigateResult, PlannedFile, RewindResult } from "@pith/agent";
import { refusalNotes, type Session } from "@pith/context";
import { findEntry, shortId, toldEntry } from "../sessions/entries.ts";
import { drawTree, isMove, type TreeLine, treePart, wayTo } from "../sessions/tree-lines.ts";
import { refusedBecause } from "../text/compaction-text.ts";
import { mistake } from "../text/usage-error.ts";
import { type Answer, type Command, type Desk, failed, LEAF_MOVED, nothingKept, told, wordsIn } from "./command.ts";

export function moveTold(moved: NavigateResult, session: Session): Answer {
  switch (moved.type) {
    case "moved":
      return arrived(moved, session);
    case "nothing-to-do":
      return told("you stand there already", { moved: false });
    case "refused":
      return failed(refusedBecause(moved.why));
    case "cancelled":
      return told("the move was cancelled; you stand where you stood", { moved: false });
    case "files-in-the-way":
      return failed(inTheWay(moved.files));
    case "failed":
      return failed(whyFailed(moved));
  }
}

type Arrived = Extract<NavigateResult, { type: "moved" }>;

function arrived({ leaf, editorText, summary, files }: Arrived, { branch: window }: Session): Answer {
  // A move and a label are entries like any other, but nobody thinks of standing at one.
  const at = window.entries.findLast((entry) => !isMove(entry) && entry.type !== "label");
  const place = at ? `you stand at ${shortId(at.id)}` : "you stand before the first entry";
  const left = summary ? ["what you left is told there"] : [];
  const text = [place, ...left, ...(files ? filesTold(files) : [])].join("; ");
  if (editorText !== undefined && editorText.trim() !== "") return { type: "draft", draft: editorText, text };
  return told(text, { moved: true, leaf, ...(summary && { summary: summary.id }), ...(files && { files }) });
}

/** What became of the files. */
export function filesTold(files: RewindResult): readonly string[] {
  if (files.type === "refused") return [inTheWay(files.conflicts)];
  const failures = files.files.flatMap((file) =>
    file.type === "failed" || file.type === "skipped" ? [file.message] : [],
  );
  const done = files.files.length - failures.length;
  return [`${done} ${done === 1 ? "file was" : "files were"} put back`, ...failures];
}

function inTheWay(files: readonly PlannedFile[]): string {
  const lines = files
    .slice(0, MAX_LISTED_FILES)
    .map(({ path, type }) => `  ${path}: ${type === "lost" ? LOST : CHANGED}`);
  const more = files.length > MAX_LISTED_FILES ? [`  … and ${files.length - MAX_LISTED_FILES} more`] : [];
  return [
    "nobody has moved, because of these files; go there without --files, or see to them first:",
    ...lines,
    ...more,
  ].join("\n");
}

const MAX_LISTED_FILES = 20;
const CHANGED = "somebody else changed it since";
const LOST = "what it was before is no longer kept";

function whyFailed(moved: Extract<NavigateResult, { type: "failed" }>): string {
  if (moved.why === "leaf-moved") return LEAF_MOVED;
  if (moved.why !== "summary") return refusalNotes[moved.why];
  const notes = moved.failures.map(({ note }) => note).join("; ");
  return `what you would leave could not be told, so nobody has moved: ${notes}. Go there without --summary, or try again`;
}

/** `from`: the part that leads to this entry, instead of to where one stands. */
export async function showTree({ agent: { session } }: Desk, from?: string): Promise<Answer> {
  const { store, leaf } = session;
  const found = from === undefined ? null : await findEntry(from, session);
  if (found?.type === "mistake") return mistake(found.message);
  const part = await treePart(found ? { end: found.entry.id, stopsThere: true } : { end: leaf }, store);
  const lines = drawTree(part, { labels: await store.labels(), leaf });
  if (lines.length === 0) return told("nothing was said yet", { leaf, entries: [] });
  const shown = lines.slice(-MOST_LINES);
  const earlier = earlierThan(lines.slice(0, -MOST_LINES), part.before);
  const more = earlier === null ? [] : [`… what lies before: /tree --from ${shortId(earlier)}`];
  return told([...more, ...shown.map(({ text }) => text)].join("\n"), { leaf, entries: shown.map(asData), earlier });
}

const MOST_LINES = 150;

/** What to ask for next; null where all is shown. */
function earlierThan(cut: readonly TreeLine[], before: string | null): string | null {
  const last = cut.findLast(({ isOnBranch }) => isOnBranch) ?? cut.at(-1);
  return last?.id ?? before;
}

function asData({ text: _, ...line }: TreeLine): object {
  return line;
}

const flags = {
  summary: { takes: "maybe-words" },
  label: { takes: "words" },
  files: { takes: "nothing" },
  from: { takes: "words" },
} as const;

type Flags = Partial<Readonly<Record<keyof typeof flags, string | true>>>;

export const tree: Command = {
  name: "tree",
  takes: "[entry] [--summary [words]] [--label words] [--files]",
  says: "the session as a tree, or a move to an entry of it (root: before the first); --files puts changed files back",
  examples: ["/tree", "/tree 3f2a9c11", "/tree 3f2a9c11 --summary what failed and why --label second try --files"],
  async run(text, desk) {
    const read = wordsIn(text, flags);
    if (read.type === "mistake") return read;
    const { words, flags: given } = read;
    if (words !== "") return given.from === undefined ? await goTo(words, given, desk) : mistake(NOT_BOTH);
    if (Object.keys(given).some((flag) => flag !== "from")) return mistake(WHERE_TO);
    return await showTree(desk, typeof given.from === "string" ? given.from : undefined);
  },
};

const NOT_BOTH = "--from shows another part of the tree; without it, /tree and an entry go there";
const WHERE_TO = "say where to go first, e.g. /tree 3f2a9c11 --summary; /tree alone shows the ids";

async function goTo(name: string, given: Flags, { agent, sessionPath, note }: Desk): Promise<Answer> {
  if (given.files && sessionPath === null) return nothingKept("tree --files");
  const found = name === "root" ? null : await findEntry(name, agent.session);
  if (found?.type === "mistake") return found;
  if (given.summary !== undefined && !agent.isRunning) note?.("telling what is left");
  const moved = await agent.navigateTree(found?.entry.id ?? null, {
    summarize: given.summary !== undefined,
    ...(typeof given.summary === "string" && { customInstructions: given.summary }),
    ...(typeof given.label === "string" && { label: given.label }),
    restoreFiles: given.files === true,
  });
  return moveTold(moved, agent.session);
}

export const transcript: Command = {
  name: "transcript",
  says: "all that was said and done on this branch, also before compactions",
  async run(_, { agent: { session } }) {
    const entries = await wayTo(session.leaf, session.store, MOST);
    const texts = entries.flatMap((entry) => toldEntry(entry) ?? []);
    if (texts.length === 0) return told("nothing was said yet", []);
    const isAll = (entries[0]?.parentId ?? null) === null;
    const lead = isAll ? [] : ["… what lies before: pith sessions show"];
    return told([...lead, ...texts].join("\n\n"), entries);
  },
};

/** Entries. */
const MOST = 5_000;

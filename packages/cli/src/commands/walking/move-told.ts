/** What came of a move in the tree, in a sentence that helps. */

import type { Navigated, PlannedFile, Rewound } from "@pith/agent";
import { type Occupation, refusalNotes, type Session } from "@pith/context";
import { failed, LEAF_MOVED, told } from "../answers.ts";
import type { Answer } from "../command.ts";
import { shortId } from "./short-id.ts";
import { isMove } from "./tree-part.ts";

export function moveTold(moved: Navigated, session: Session): Answer {
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

type Arrived = Extract<Navigated, { type: "moved" }>;

function arrived({ leaf, editorText, summary, files }: Arrived, { window }: Session): Answer {
  // A move and a label are entries like any other, but nobody thinks of standing at one.
  const at = window.entries.findLast((entry) => !isMove(entry) && entry.type !== "label");
  const place = at ? `you stand at ${shortId(at.id)}` : "you stand before the first entry";
  const left = summary ? ["what you left is told there"] : [];
  const text = [place, ...left, ...(files ? filesTold(files) : [])].join("; ");
  if (editorText !== undefined && editorText.trim() !== "") return { type: "draft", draft: editorText, text };
  return told(text, { moved: true, leaf, ...(summary && { summary: summary.id }), ...(files && { files }) });
}

/** What became of the files. */
export function filesTold(files: Rewound): readonly string[] {
  if (files.type === "refused") return [inTheWay(files.because)];
  const failures = files.files.flatMap((file) => (file.type === "failed" ? [file.message] : []));
  const done = files.files.length - failures.length;
  return [`${done} ${done === 1 ? "file was" : "files were"} put back`, ...failures];
}

function inTheWay(files: readonly PlannedFile[]): string {
  const lines = files.slice(0, MOST).map(({ path, type }) => `  ${path}: ${type === "lost" ? LOST : CHANGED}`);
  const more = files.length > MOST ? [`  … and ${files.length - MOST} more`] : [];
  return [
    "nobody has moved, because of these files; go there without --files, or see to them first:",
    ...lines,
    ...more,
  ].join("\n");
}

const MOST = 20;
const CHANGED = "somebody else changed it since";
const LOST = "what it was before is no longer kept";

/** Also said of an undo. */
export function refusedBecause(why: Occupation): string {
  return `${occupations[why]}; wait for its end, or stop it first`;
}

const occupations: Readonly<Record<Occupation, string>> = {
  streaming: "a run is under way here",
  compacting: "a compaction is under way here",
  moving: "another move is under way here",
};

function whyFailed(moved: Extract<Navigated, { type: "failed" }>): string {
  if (moved.why === "leaf-moved") return LEAF_MOVED;
  if (moved.why !== "summary") return refusalNotes[moved.why];
  const notes = moved.failures.map(({ note }) => note).join("; ");
  return `what you would leave could not be told, so nobody has moved: ${notes}. Go there without --summary, or try again`;
}

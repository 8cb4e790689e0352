/** What a call would make of a file, for whoever is asked before it: the text before and after. Nothing is written. */

import type { Redaction } from "@pith/context";
import type { WorkspaceFiles } from "../../../workspace.ts";
import type { Asked } from "../../arguments.ts";
import { contentOf, pathOf, replacementsOf } from "../arguments.ts";
import { replace } from "./replace.ts";
import { type Splice, textFile } from "./text-file.ts";

export interface ChangeCall {
  /** `edit` or `write`; of any other nothing is known. */
  readonly tool: string;
  readonly arguments: Asked;
  readonly signal: AbortSignal;
}

export interface ChangeParts {
  readonly files: Pick<WorkspaceFiles, "resolve" | "read">;
  readonly redaction?: Redaction | undefined;
}

export interface ChangedText {
  readonly path: string;
  /** Null where there is no such file yet. */
  readonly before: string | null;
  readonly after: string;
}

/** Null where it cannot be told: the file is no text, or the call would fail. */
export async function changedText(call: ChangeCall, { files, redaction }: ChangeParts): Promise<ChangedText | null> {
  const path = pathOf(call.arguments);
  if (path.type === "wrong") return null;
  const read = await files.read(files.resolve(path.value), { signal: call.signal });
  if (read.type !== "read" && read.type !== "missing") return null;
  const file = read.type === "read" ? textFile(read.bytes) : null;
  if (read.type === "read" && file === null) return null;
  const before = file?.text ?? null;
  const after = call.tool === "write" ? written(call) : await edited(before, call, redaction);
  return after === null ? null : { path: path.value, before, after };
}

function written({ arguments: asked }: ChangeCall): string | null {
  const content = contentOf(asked);
  return content.type === "wrong" ? null : content.value;
}

async function edited(
  text: string | null,
  { tool, arguments: asked, signal }: ChangeCall,
  redaction: Redaction | undefined,
): Promise<string | null> {
  const edits = replacementsOf(asked);
  if (tool !== "edit" || text === null || edits.type === "wrong") return null;
  const replaced = await replace(text, edits.value, { signal, redaction });
  return replaced.type === "replaced" ? withSplices(text, replaced.splices) : null;
}

function withSplices(text: string, splices: readonly Splice[]): string {
  return splices.toReversed().reduce((made, { start, end, text: instead }) => {
    return made.slice(0, start) + instead + made.slice(end);
  }, text);
}

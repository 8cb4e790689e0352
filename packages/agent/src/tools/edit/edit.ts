/** Defines the `edit` tool: replaces parts of a file, all or none, and previews a change. Every byte outside these parts is preserved. */

import type { Redaction } from "@pith/context";
import type { FileRead, WorkspaceFiles } from "../../ports.ts";
import type { Tool, ToolOutput } from "../../tool.ts";
import type { Asked } from "../arguments.ts";
import {
  type BytesWish,
  changeIntent,
  contentOf,
  type FileParts,
  pathOf,
  Reads,
  type Replacement,
  type ReplaceParts,
  replaceFile,
  replacementsOf,
  useBytes,
  writablePathOf,
} from "../files.ts";
import { counted, failed, heldAt, said } from "../output.ts";
import { replace } from "./apply-edits.ts";
import type { How } from "./find-match.ts";
import { bytesWith, type Splice, textFile } from "./text-file.ts";
import { changesOf, unifiedDiff } from "./unified-diff.ts";

export interface Edited {
  readonly path: string;
  readonly text: string;
  readonly splices: readonly Splice[];
  readonly hows: readonly How[];
}

export function reportOn({ path, text, splices, hows }: Edited): string {
  const changes = changesOf(text, splices);
  const came = changes.reduce((sum, change) => sum + change.new.length, 0);
  const went = changes.reduce((sum, change) => sum + change.old.length, 0);
  const lines = changes.slice(0, LINES_NAMED).map(({ at }) => at + 1);
  const more = changes.length > LINES_NAMED ? " …" : "";
  const where = `${lines.length === 1 ? "line" : "lines"} ${lines.join(", ")}${more}`;
  return `Edited ${path}: ${counted(splices.length, "replacement")} at ${where}; +${came} -${went}.${looseness(hows)}`;
}

const LINES_NAMED = 10;

/** The model remembers a text that is not there; it should know. */
function looseness(hows: readonly How[]): string {
  const notes = hows.flatMap((how, at) => (how === "exact" ? [] : `edits[${at}] fitted apart from ${how}`));
  return notes.length === 0 ? "" : ` Note: ${notes.join("; ")}.`;
}

export function editTool(parts: FileParts, reads: Reads = new Reads()): Tool {
  const { files } = parts;
  return {
    name: "edit",
    description:
      "Replaces text in a file. Each oldText must be there exactly once and is looked up in the file as it was before the call; all edits are made, or none.",
    parameters,
    isIdempotent: false,
    restoresSecrets: true,
    intent: (asked) => changeIntent(asked, files),
    run: async (call) => {
      const { arguments: asked, signal } = call;
      const path = writablePathOf(asked);
      if (path.type === "wrong") return failed(path.message);
      const edits = replacementsOf(asked);
      if (edits.type === "wrong") return failed(edits.message);
      const at = files.resolve(path.value);
      const wish = { path: path.value, at, ...heldAt(at, call), edits: edits.value, signal };
      return await reads.inTurn(wish.real ?? at, () => edit(wish, { ...parts, reads }));
    },
  };
}

const parameters = {
  type: "object",
  properties: {
    path: { type: "string", description: "The file, relative or absolute" },
    edits: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        properties: {
          oldText: { type: "string", description: "What is there, with enough around it to be there once" },
          newText: { type: "string", description: "What shall be there" },
        },
        required: ["oldText", "newText"],
      },
    },
  },
  required: ["path", "edits"],
};

interface Wish extends BytesWish {
  readonly path: string;
  readonly edits: readonly Replacement[];
}

async function edit(wish: Wish, parts: ReplaceParts): Promise<ToolOutput> {
  const { at, real, signal } = wish;
  return await useBytes({ at, real, signal }, parts, (before) => editIn(before, wish, parts));
}

async function editIn(before: FileRead, wish: Wish, parts: ReplaceParts): Promise<ToolOutput> {
  const { path, at, real, edits, signal } = wish;
  if (before.type !== "read") return failed(before.message);
  if ((await parts.reads.knowledge(at, before.bytes)) === "stale") return failed(stale(path));
  const file = textFile(before.bytes);
  if (file === null) return failed(`${path} is no UTF-8 text; change it with the shell`);
  const edited = await replace(file.text, edits, { signal, redaction: parts.redaction });
  if (edited.type === "refused") return failed(`${path} was not changed. ${edited.objections.join("\n")}`);
  const after = bytesWith(file, edited.splices);
  const replaced = await replaceFile({ path: at, real, before: before.bytes, after }, parts);
  if (replaced.type === "refused") return failed(replaced.message);
  const diff = unifiedDiff({ path, text: file.text, splices: edited.splices });
  return said(reportOn({ path, text: file.text, ...edited }), { diff, pith: replaced.change });
}

function stale(path: string): string {
  return `${path} was changed since it was read, so it was not edited; read it again`;
}

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

/**
 * For the permission question: the text before and after the call. Nothing is written. Null where it cannot be told: the file is no text,
 * or the call would fail.
 */
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

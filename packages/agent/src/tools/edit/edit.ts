/** Defines the `editFile` tool: replaces parts of a file, all or none, and previews a change. Every byte outside these parts is preserved. */

import type { Redaction } from "@pith/context";
import type { FileReadResult, WorkspaceFiles } from "../../ports.ts";
import type { Tool, ToolOutput } from "../../tool.ts";
import type { ToolArguments } from "../arguments.ts";
import {
  changeIntent,
  type FileToolOptions,
  type ReadBytesOptions,
  ReadTracker,
  type ReplaceFileContext,
  type Replacement,
  readContent,
  readPath,
  readReplacements,
  readWritablePath,
  replaceFile,
  withFileBytes,
} from "../files.ts";
import { errorOutput, formatCount, permittedPath, textOutput } from "../output.ts";
import { applyEdits } from "./apply-edits.ts";
import type { MatchKind } from "./find-match.ts";
import { encodeWithSplices, parseTextFile, type Splice } from "./text-file.ts";
import { findChanges, unifiedDiff } from "./unified-diff.ts";

export interface EditReport {
  readonly path: string;
  readonly text: string;
  readonly splices: readonly Splice[];
  readonly matchKinds: readonly MatchKind[];
}

export function formatEditReport({ path, text, splices, matchKinds }: EditReport): string {
  const changes = findChanges(text, splices);
  const addedLines = changes.reduce((sum, change) => sum + change.newLines.length, 0);
  const removedLines = changes.reduce((sum, change) => sum + change.oldLines.length, 0);
  const lines = changes.slice(0, MAX_LISTED_LINES).map(({ lineIndex }) => lineIndex + 1);
  const more = changes.length > MAX_LISTED_LINES ? " …" : "";
  const location = `${lines.length === 1 ? "line" : "lines"} ${lines.join(", ")}${more}`;
  return `Edited ${path}: ${formatCount(splices.length, "replacement")} at ${location}; +${addedLines} -${removedLines}.${formatMatchNotes(matchKinds)}`;
}

const MAX_LISTED_LINES = 10;

/** The model remembers a text that is not there; it should know. */
function formatMatchNotes(matchKinds: readonly MatchKind[]): string {
  const notes = matchKinds.flatMap((matchKind, index) =>
    matchKind === "exact" ? [] : `edits[${index}] fitted apart from ${matchKind}`,
  );
  return notes.length === 0 ? "" : ` Note: ${notes.join("; ")}.`;
}

export function editTool(options: FileToolOptions, readTracker: ReadTracker = new ReadTracker()): Tool {
  const { files } = options;
  return {
    name: "edit",
    description:
      "Replaces text in a file. Each oldText must be there exactly once and is looked up in the file as it was before the call; all edits are made, or none.",
    parameters,
    isIdempotent: false,
    restoresSecrets: true,
    intent: (args) => changeIntent(args, files),
    run: async (call) => {
      const { arguments: args, signal } = call;
      const path = readWritablePath(args);
      if (path.type === "wrong") return errorOutput(path.message);
      const edits = readReplacements(args);
      if (edits.type === "wrong") return errorOutput(edits.message);
      const at = files.resolve(path.value);
      const request = { path: path.value, at, ...permittedPath(at, call), edits: edits.value, signal };
      return await readTracker.runInOrder(request.realPath ?? at, () => editFile(request, { ...options, readTracker }));
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

interface EditRequest extends ReadBytesOptions {
  readonly path: string;
  readonly edits: readonly Replacement[];
}

async function editFile(request: EditRequest, context: ReplaceFileContext): Promise<ToolOutput> {
  const { at, realPath, signal } = request;
  return await withFileBytes({ at, realPath, signal }, context, (current) => editContent(current, request, context));
}

async function editContent(
  current: FileReadResult,
  request: EditRequest,
  context: ReplaceFileContext,
): Promise<ToolOutput> {
  const { path, at, realPath, edits, signal } = request;
  if (current.type !== "read") return errorOutput(current.message);
  if ((await context.readTracker.readState(at, current.bytes)) === "stale") return errorOutput(staleMessage(path));
  const file = parseTextFile(current.bytes);
  if (file === null) return errorOutput(`${path} is no UTF-8 text; change it with the shell`);
  const result = await applyEdits(file.text, edits, { signal, redaction: context.redaction });
  if (result.type === "refused") return errorOutput(`${path} was not changed. ${result.problems.join("\n")}`);
  const after = encodeWithSplices(file, result.splices);
  const replaceResult = await replaceFile({ path: at, realPath, before: current.bytes, after }, context);
  if (replaceResult.type === "refused") return errorOutput(replaceResult.message);
  const diff = unifiedDiff({ path, text: file.text, splices: result.splices });
  return textOutput(formatEditReport({ path, text: file.text, ...result }), { diff, pith: replaceResult.change });
}

function staleMessage(path: string): string {
  return `${path} was changed since it was read, so it was not edited; read it again`;
}

export interface ChangeCall {
  /** `editFile` or `write`; of any other nothing is known. */
  readonly tool: string;
  readonly arguments: ToolArguments;
  readonly signal: AbortSignal;
}

export interface ChangePreviewOptions {
  readonly files: Pick<WorkspaceFiles, "resolve" | "read">;
  readonly redaction?: Redaction | undefined;
}

export interface ChangePreview {
  readonly path: string;
  /** Null where there is no such file yet. */
  readonly before: string | null;
  readonly after: string;
}

/**
 * For the permission question: the text before and after the call. Nothing is written. Null where it cannot be told: the file is no text,
 * or the call would fail.
 */
export async function previewChange(
  call: ChangeCall,
  { files, redaction }: ChangePreviewOptions,
): Promise<ChangePreview | null> {
  const path = readPath(call.arguments);
  if (path.type === "wrong") return null;
  const read = await files.read(files.resolve(path.value), { signal: call.signal });
  if (read.type !== "read" && read.type !== "missing") return null;
  const file = read.type === "read" ? parseTextFile(read.bytes) : null;
  if (read.type === "read" && file === null) return null;
  const before = file?.text ?? null;
  const after = call.tool === "write" ? writtenText(call) : await editedText(before, call, redaction);
  return after === null ? null : { path: path.value, before, after };
}

function writtenText({ arguments: args }: ChangeCall): string | null {
  const content = readContent(args);
  return content.type === "wrong" ? null : content.value;
}

async function editedText(
  text: string | null,
  { tool, arguments: args, signal }: ChangeCall,
  redaction: Redaction | undefined,
): Promise<string | null> {
  const edits = readReplacements(args);
  if (tool !== "edit" || text === null || edits.type === "wrong") return null;
  const result = await applyEdits(text, edits.value, { signal, redaction });
  return result.type === "replaced" ? applySplices(text, result.splices) : null;
}

function applySplices(text: string, splices: readonly Splice[]): string {
  return splices.toReversed().reduce((result, { start, end, text: replacement }) => {
    return result.slice(0, start) + replacement + result.slice(end);
  }, text);
}

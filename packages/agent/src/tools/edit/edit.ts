/** Defines the `edit` tool, which replaces parts of a file, all or none, and previews changes. All other bytes are preserved. */

import type { Redaction } from "@pith/context";
import type { FileReadResult, WorkspaceFiles } from "../../ports.ts";
import type { Tool, ToolOutput } from "../../tool.ts";
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
} from "../file-access.ts";
import { type DecodedFile, decodeFile, describeUnencodable, encodeText } from "../text-encoding.ts";
import { errorOutput, formatCount, getPermittedPath, type ToolArguments, textOutput } from "../tool-io.ts";
import { applyEdits } from "./apply-edits.ts";
import type { MatchKind } from "./find-match.ts";
import { applySplices, joinWithSplices, parseTextFile } from "./text-file.ts";
import { createUnifiedDiff, type UnifiedDiff } from "./unified-diff.ts";

export function editTool(options: FileToolOptions, readTracker: ReadTracker = new ReadTracker()): Tool {
  const { files } = options;
  return {
    name: "edit",
    description:
      "Replaces text in a file. Each oldText must occur exactly once in the file as it was before the call. Either all edits are applied or none.",
    parameters,
    isIdempotent: false,
    restoresSecrets: true,
    intent: (args) => changeIntent(args, files),
    run: async (call) => {
      const { arguments: args, signal } = call;
      const path = readWritablePath(args);
      if (path.type === "invalid") return errorOutput(path.message);
      const edits = readReplacements(args);
      if (edits.type === "invalid") return errorOutput(edits.message);
      const at = files.resolve(path.value);
      const request = { path: path.value, at, ...getPermittedPath(at, call), edits: edits.value, signal };
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
          oldText: { type: "string", description: "The text to replace, with enough context to be unique" },
          newText: { type: "string", description: "The replacement" },
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
  const isStale = (await context.readTracker.readState(at, current.bytes)) === "stale";
  const decoded = await decodeFile(current.bytes);
  if (!decoded?.isLossless) return errorOutput(describeUneditable(path, decoded));
  const file = parseTextFile(decoded.text);
  const result = await applyEdits(file.text, edits, { signal, redaction: context.redaction });
  const problems = result.type === "refused" ? result.problems : isStale ? findLooseMatches(result.matchKinds) : [];
  if (result.type === "refused" || problems.length > 0)
    return errorOutput(`${path} was not changed: ${[...problems, ...(isStale ? [STALE_ADVICE] : [])].join("\n")}`);
  const { splices, matchKinds } = result;
  const encoded = await encodeText(joinWithSplices(file, splices), decoded.encoding);
  if (encoded.type === "unencodable")
    return errorOutput(
      `${path} was not changed: ${describeUnencodable("newText", encoded.character, decoded.encoding)}`,
    );
  const after = encoded.bytes;
  const replaceResult = await replaceFile({ path: at, realPath, before: current.bytes, after, isStale }, context);
  if (replaceResult.type === "refused") return errorOutput(replaceResult.message);
  const changes = await createUnifiedDiff({ path, text: file.text, splices });
  const report = formatEditReport({ path, changes, replacementCount: splices.length, matchKinds });
  const { change } = replaceResult;
  return textOutput(isStale ? `${report} ${STALE_NOTE}` : report, { diff: changes.diff, pith: change });
}

/** A change would also change bytes that the edit does not name. */
function describeUneditable(path: string, decoded: DecodedFile | null): string {
  if (decoded === null) return `${path} is not text; change it with the shell`;
  return `${path} has bytes that are not valid ${decoded.encoding}, so that it cannot be written without loss; change it with the shell`;
}

const STALE_ADVICE = "The file has changed since it was read; read it again.";
const STALE_NOTE = "The file has changed since it was read; lines that you have not seen may differ.";

/** FILE10: in a file that has changed since it was read, only an exact match shows that the edit is still right. */
function findLooseMatches(matchKinds: readonly MatchKind[]): readonly string[] {
  return matchKinds.flatMap((matchKind, index) =>
    matchKind === "exact"
      ? []
      : `edits[${index}].oldText matches only if ${matchKind} ${matchKind === "whitespace" ? "is" : "are"} ignored.`,
  );
}

export interface EditReport {
  readonly path: string;
  readonly changes: UnifiedDiff;
  readonly replacementCount: number;
  readonly matchKinds: readonly MatchKind[];
}

function formatEditReport({ path, changes, replacementCount, matchKinds }: EditReport): string {
  const { added, removed, changedLines } = changes;
  const lines = changedLines.slice(0, MAX_LISTED_LINES);
  const more = changedLines.length > MAX_LISTED_LINES ? " …" : "";
  const location = `${lines.length === 1 ? "line" : "lines"} ${lines.join(", ")}${more}`;
  return `Edited ${path}: ${formatCount(replacementCount, "replacement")} at ${location}; +${added} -${removed}.${formatMatchNotes(matchKinds)}`;
}

const MAX_LISTED_LINES = 10;

/** Tells the model which edits did not match exactly. */
function formatMatchNotes(matchKinds: readonly MatchKind[]): string {
  const notes = matchKinds.flatMap((matchKind, index) =>
    matchKind === "exact" ? [] : `edits[${index}] matched ignoring ${matchKind}`,
  );
  return notes.length === 0 ? "" : ` Note: ${notes.join("; ")}.`;
}

export interface ChangeCall {
  /** `edit` or `write`; other tools have no preview. */
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
  /** Null if the file does not exist yet. */
  readonly before: string | null;
  readonly after: string;
}

/** The text before and after the call, for the permission question; writes nothing. Null if the file is not text or the call would fail. */
export async function previewChange(
  call: ChangeCall,
  { files, redaction }: ChangePreviewOptions,
): Promise<ChangePreview | null> {
  const path = readPath(call.arguments);
  if (path.type === "invalid") return null;
  const read = await files.read(files.resolve(path.value), { signal: call.signal });
  if (read.type !== "read" && read.type !== "missing") return null;
  const decoded = read.type === "read" ? await decodeFile(read.bytes) : null;
  if (read.type === "read" && !decoded?.isLossless) return null;
  const before = decoded && parseTextFile(decoded.text).text;
  const after = call.tool === "write" ? formatWrittenText(call) : await formatEditedText(before, call, redaction);
  return after === null ? null : { path: path.value, before, after };
}

function formatWrittenText({ arguments: args }: ChangeCall): string | null {
  const content = readContent(args);
  return content.type === "invalid" ? null : content.value;
}

async function formatEditedText(
  text: string | null,
  { tool, arguments: args, signal }: ChangeCall,
  redaction: Redaction | undefined,
): Promise<string | null> {
  const edits = readReplacements(args);
  if (tool !== "edit" || text === null || edits.type === "invalid") return null;
  const result = await applyEdits(text, edits.value, { signal, redaction });
  return result.type === "replaced" ? applySplices(text, result.splices) : null;
}

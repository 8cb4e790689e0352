/** Collects the file changes of a session's tools as unified diffs, for `/diff`. Load it lazily, because it imports the diff library. */

import { isAbsolute, join, relative } from "node:path";
import { decodeText, type FileReadResult, type PlannedFile } from "@pith/agent";
import { nodeFiles, originalsFolder } from "@pith/agent/node";
import type { Entry } from "@pith/context";
import { sessionIdToFileName } from "@pith/context/node";
import { escapeLineBreaks } from "@pith/host/text/safe-text";
import { structuredPatch } from "diff";
import type { CommandContext } from "./command.ts";

export interface Patch {
  /** The hunks, without the file header. */
  readonly patch: string;
  readonly added: number;
  readonly removed: number;
}

/** Null if the texts differ so much that the diff would take too long. */
export function createPatch(before: string, after: string): Patch | null {
  const lines = before === "" || after === "" ? createWholeFileHunk(before, after) : computeHunks(before, after);
  return lines && toPatch(lines);
}

function toPatch(lines: readonly string[]): Patch {
  return { patch: lines.join("\n"), added: countLines("+", lines), removed: countLines("-", lines) };
}

function countLines(prefix: string, lines: readonly string[]): number {
  return lines.filter((line) => line.startsWith(prefix)).length;
}

/** Builds the hunk if one of the texts is empty. This needs no diff algorithm, however long the other text is. */
function createWholeFileHunk(before: string, after: string): readonly string[] {
  const text = before + after;
  const lines = text.split("\n");
  const endsWithNewline = lines.at(-1) === "";
  const body = endsWithNewline ? lines.slice(0, -1) : lines;
  const sign = before === "" ? "+" : "-";
  const [oldRange, newRange] = before === "" ? ["0,0", `1,${body.length}`] : [`1,${body.length}`, "0,0"];
  return [
    `@@ -${oldRange} +${newRange} @@`,
    ...body.map((line) => sign + line),
    ...(endsWithNewline ? [] : [NO_NEWLINE_MARKER]),
  ];
}

const NO_NEWLINE_MARKER = "\\ No newline at end of file";

function computeHunks(before: string, after: string): readonly string[] | null {
  const options = { context: CONTEXT_LINES, maxEditLength: MAX_EDIT_LENGTH };
  const result = structuredPatch("", "", before, after, "", "", options);
  if (!result) return null;
  return result.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...lines,
  ]);
}

const CONTEXT_LINES = 3;
/** Added and removed lines. More take seconds to compare. A limit in time would show less on a busy machine. */
const MAX_EDIT_LENGTH = 2_000;

export interface ChangedFile extends Patch {
  /** Relative to the working directory if the file is in it, else absolute. */
  readonly path: string;
  readonly kind: "new" | "changed" | "removed" | "same" | "unreadable";
  /** Remarks for the user, e.g. that another program has changed the file since. */
  readonly notes: readonly string[];
}

export interface FileStates {
  /** Null if the file did not exist or its original was not saved. */
  readonly before: Uint8Array | null;
  readonly current: FileReadResult;
  /** The change according to the tool results. Null if they contain none. */
  readonly loggedPatch: Patch | null;
}

function toChangedFile(plannedFile: PlannedFile, { before, current, loggedPatch }: FileStates): ChangedFile {
  const { path, targetHash, expectedHash, currentHash } = plannedFile;
  const base = { path, ...emptyPatch };
  if (current.type !== "read" && current.type !== "missing")
    return { ...base, kind: "unreadable", notes: [current.message] };
  const foreignNotes =
    plannedFile.hasForeignChanges || currentHash !== expectedHash ? ["other programs changed it too"] : [];
  if (currentHash === targetHash)
    return { ...base, kind: "same", notes: ["it has its original content again", ...foreignNotes] };
  const bytes = current.type === "read" ? current.bytes : null;
  const kind = targetHash === null ? "new" : bytes === null ? "removed" : "changed";
  if (targetHash !== null && before === null)
    return { ...base, ...loggedPatch, kind, notes: [NO_ORIGINAL_NOTE, ...foreignNotes] };
  const patch = createBytesPatch(before, bytes);
  if (typeof patch === "string") return { ...base, kind, notes: [patch, ...foreignNotes] };
  return { ...base, kind, ...patch, notes: foreignNotes };
}

const emptyPatch: Patch = { patch: "", added: 0, removed: 0 };
const NO_ORIGINAL_NOTE = "the original was not saved; the diff comes from the tool results";

/** Returns a patch, or the reason why there is none. */
function createBytesPatch(before: Uint8Array | null, after: Uint8Array | null): Patch | string {
  const sizes = `${before?.length ?? 0} → ${after?.length ?? 0} bytes`;
  const [oldText, newText] = [before ? decodeText(before) : "", after ? decodeText(after) : ""];
  if (oldText === null || newText === null) return `not a text file: ${sizes}`;
  return createPatch(oldText, newText) ?? `too many changes to show: ${sizes}`;
}

/** Formats a unified diff that other programs can read. Remarks are lines that start with `#`. */
export function formatDiff(files: readonly ChangedFile[]): string {
  if (files.length === 0) return NOTHING_CHANGED;
  return [...files.map(formatFileDiff), formatTotals(files)].join("\n");
}

const NOTHING_CHANGED = "No tool changed a file on this branch. Changes made by shell commands are not tracked.";

function formatFileDiff({ path, kind, patch, notes }: ChangedFile): string {
  const name = escapeLineBreaks(path);
  const names = [
    kind === "new" ? "--- /dev/null" : `--- a/${name}`,
    kind === "removed" ? "+++ /dev/null" : `+++ b/${name}`,
  ];
  const remarks = notes.map((note) => `# ${name}: ${note}`);
  return [...remarks, ...(patch === "" ? [] : [...names, patch])].join("\n");
}

function formatTotals(files: readonly ChangedFile[]): string {
  const [added, removed] = [sumField(files, "added"), sumField(files, "removed")];
  return `# ${files.length === 1 ? "1 file" : `${files.length} files`}, +${added} −${removed}`;
}

function sumField(files: readonly ChangedFile[], field: "added" | "removed"): number {
  return files.reduce((sum, file) => sum + file[field], 0);
}

/**
 * Collects the diffs of tool results by file, for files whose original was not saved. The files are sorted by their first change; the
 * changes of one file follow one another.
 */
function collectLoggedPatches(entries: readonly Entry[]): ReadonlyMap<string, Patch> {
  const lines = new Map<string, string[]>();
  for (const { path, diff } of entries.flatMap(readLoggedDiffs)) {
    const previous = lines.get(path) ?? [];
    lines.set(path, [
      ...previous,
      ...diff.split("\n").filter((line) => line !== "" && !FILE_HEADER_PATTERN.test(line)),
    ]);
  }
  return new Map([...lines].map(([path, fileLines]) => [path, toPatch(fileLines)]));
}

const FILE_HEADER_PATTERN = /^(?:---|\+\+\+) /;

/** Checks every field, because session files are not validated. */
function readLoggedDiffs(entry: Entry): readonly { readonly path: string; readonly diff: string }[] {
  if (entry.type !== "message" || entry.message.role !== "toolResult" || entry.message.isError) return [];
  const { diff, pith } = asRecord(entry.message.details);
  const { path, after } = asRecord(pith);
  if (typeof path !== "string" || typeof after !== "string") return [];
  // The result of `write` has no diff.
  return [{ path, diff: typeof diff === "string" ? diff : "" }];
}

export function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** Collects every file that tools changed on this branch. Never writes. */
export async function collectSessionChanges({
  agent,
  cwd,
  home,
}: Pick<CommandContext, "agent" | "cwd" | "home">): Promise<readonly ChangedFile[]> {
  const { session } = agent;
  const loggedPatches = collectLoggedPatches(await session.store.branchEntries(session.leaf));
  const plannedFiles = await agent.previewFileRestore(null);
  if (plannedFiles.length === 0)
    return [...loggedPatches].map(([path, patch]) => toLoggedFile(formatPath(path, cwd), patch));
  const originals = originalsFolder(join(home, "restore", sessionIdToFileName(session.store.header.id)));
  const files = nodeFiles({ root: cwd });
  const changedFiles: ChangedFile[] = [];
  // Reads one file at a time, because each may have megabytes.
  for (const file of plannedFiles) {
    if (file.type === "not-permitted") {
      const note = `not compared with the file on disk (${file.why}); the diff comes from the tool results`;
      const patch = loggedPatches.get(file.path) ?? emptyPatch;
      changedFiles.push({ path: formatPath(file.path, cwd), kind: "changed", ...patch, notes: [note] });
      continue;
    }
    const before = file.targetHash === null ? null : await originals.read(file.targetHash);
    const current = await files.read(file.path);
    const states = { before, current, loggedPatch: loggedPatches.get(file.path) ?? null };
    changedFiles.push(toChangedFile({ ...file, path: formatPath(file.path, cwd) } satisfies PlannedFile, states));
  }
  return changedFiles;
}

/** For sessions without saved originals, where only the tool results describe the changes. */
function toLoggedFile(path: string, patch: Patch): ChangedFile {
  const note =
    patch.patch === ""
      ? "a tool wrote it; the original was not saved"
      : "the diffs from the tool results, one after another";
  return { path, kind: "changed", ...patch, notes: [note] };
}

/** Makes a path inside the working directory relative. */
function formatPath(path: string, cwd: string): string {
  const relativePath = relative(cwd, path);
  return relativePath === "" || relativePath.startsWith("..") || isAbsolute(relativePath) ? path : relativePath;
}

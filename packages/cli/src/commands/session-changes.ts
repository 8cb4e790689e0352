/** Collects what a session's tools changed in files, as unified diffs. Loaded lazily: it pulls in the diff library. */

import { isAbsolute, join, relative } from "node:path";
import { decodeText, type FileReadResult, type PlannedFile } from "@pith/agent";
import { nodeFiles, originalsFolder } from "@pith/agent/node";
import type { Entry } from "@pith/context";
import { sessionIdToFileName } from "@pith/context/node";
import { structuredPatch } from "diff";
import { oneLine } from "../text/safe-text.ts";
import type { Desk } from "./command.ts";

export interface Patch {
  /** Without the names of the files. */
  readonly patch: string;
  readonly added: number;
  readonly removed: number;
}

/** Null where they are so different that nobody would wait for it. */
export function filePatch(before: string, after: string): Patch | null {
  const lines = before === "" || after === "" ? wholeFile(before, after) : hunksOf(before, after);
  return lines && patchOf(lines);
}

/** Of lines that were told elsewhere. */
export function patchOf(lines: readonly string[]): Patch {
  return { patch: lines.join("\n"), added: countOf("+", lines), removed: countOf("-", lines) };
}

function countOf(sign: string, lines: readonly string[]): number {
  return lines.filter((line) => line.startsWith(sign)).length;
}

/** Nothing needs to be looked for where one of them is empty, however long the other is. */
function wholeFile(before: string, after: string): readonly string[] {
  const text = before + after;
  const lines = text.split("\n");
  const isEnded = lines.at(-1) === "";
  const body = isEnded ? lines.slice(0, -1) : lines;
  const sign = before === "" ? "+" : "-";
  const [old, fresh] = before === "" ? ["0,0", `1,${body.length}`] : [`1,${body.length}`, "0,0"];
  return [`@@ -${old} +${fresh} @@`, ...body.map((line) => sign + line), ...(isEnded ? [] : [NO_END])];
}

const NO_END = "\\ No newline at end of file";

function hunksOf(before: string, after: string): readonly string[] | null {
  const wish = { context: AROUND, maxEditLength: MOST_EDITS, timeout: LONGEST };
  const found = structuredPatch("", "", before, after, "", "", wish);
  if (!found) return null;
  return found.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...lines,
  ]);
}

const AROUND = 3;
const MOST_EDITS = 4_000;
/** In milliseconds. */
const LONGEST = 1_000;

export interface ChangedFile extends Patch {
  /** As seen from the folder one works in. */
  readonly path: string;
  readonly kind: "new" | "changed" | "removed" | "same" | "unreadable";
  /** What a person should know of it, e.g. that somebody else changed it since. */
  readonly notes: readonly string[];
}

export interface States {
  /** Null where no file was, or nobody kept it. */
  readonly before: Uint8Array | null;
  readonly found: FileReadResult;
  /** What tools told of it; null for nothing. */
  readonly logged: Patch | null;
}

export function changedFile(planned: PlannedFile, { before, found, logged }: States): ChangedFile {
  const { path, targetHash, expectedHash, currentHash } = planned;
  const told = { path, ...nothing };
  if (found.type !== "read" && found.type !== "missing") return { ...told, kind: "unreadable", notes: [found.message] };
  const others = planned.hasForeignChanges || currentHash !== expectedHash ? ["others changed it, too"] : [];
  if (currentHash === targetHash) return { ...told, kind: "same", notes: ["it is again as it was before", ...others] };
  const bytes = found.type === "read" ? found.bytes : null;
  const kind = targetHash === null ? "new" : bytes === null ? "removed" : "changed";
  if (targetHash !== null && before === null) return { ...told, ...logged, kind, notes: [UNKEPT, ...others] };
  const patch = patchBetween(before, bytes);
  if (typeof patch === "string") return { ...told, kind, notes: [patch, ...others] };
  return { ...told, kind, ...patch, notes: others };
}

const nothing: Patch = { patch: "", added: 0, removed: 0 };
const UNKEPT = "what it was before was not kept; this is what the tools told";

/** Or why there is none. */
function patchBetween(before: Uint8Array | null, now: Uint8Array | null): Patch | string {
  const sizes = `${before?.length ?? 0} bytes became ${now?.length ?? 0}`;
  const [old, fresh] = [before ? decodeText(before) : "", now ? decodeText(now) : ""];
  if (old === null || fresh === null) return `it is no text: ${sizes}`;
  return filePatch(old, fresh) ?? `it became another text altogether: ${sizes}`;
}

/** A unified diff that other programs can read; remarks are lines that begin with `#`. */
export function diffText(files: readonly ChangedFile[]): string {
  if (files.length === 0) return NOTHING_CHANGED;
  return [...files.map(fileText), sumsOf(files)].join("\n");
}

export const NOTHING_CHANGED = "no tool changed a file in this session; what commands did is not known";

function fileText({ path, kind, patch, notes }: ChangedFile): string {
  const name = oneLine(path);
  const names = [
    kind === "new" ? "--- /dev/null" : `--- a/${name}`,
    kind === "removed" ? "+++ /dev/null" : `+++ b/${name}`,
  ];
  const remarks = notes.map((note) => `# ${name}: ${note}`);
  return [...remarks, ...(patch === "" ? [] : [...names, patch])].join("\n");
}

export function sumsOf(files: readonly ChangedFile[]): string {
  const [added, removed] = [sumOf(files, "added"), sumOf(files, "removed")];
  return `# ${files.length === 1 ? "1 file" : `${files.length} files`}, +${added} −${removed}`;
}

function sumOf(files: readonly ChangedFile[], field: "added" | "removed"): number {
  return files.reduce((sum, file) => sum + file[field], 0);
}

/** All there is where the original bytes were not kept. By first change; one file's changes stand one behind the other. */
export function loggedPatches(entries: readonly Entry[]): ReadonlyMap<string, Patch> {
  const lines = new Map<string, string[]>();
  for (const { path, diff } of entries.flatMap(toldIn)) {
    const known = lines.get(path) ?? [];
    lines.set(path, [...known, ...diff.split("\n").filter((line) => line !== "" && !HEAD.test(line))]);
  }
  return new Map([...lines].map(([path, all]) => [path, patchOf(all)]));
}

const HEAD = /^(?:---|\+\+\+) /;

interface Told {
  readonly path: string;
  readonly diff: string;
}

// It comes from a file, so nothing in it is taken on trust.
function toldIn(entry: Entry): readonly Told[] {
  if (entry.type !== "message" || entry.message.role !== "toolResult" || entry.message.isError) return [];
  const { diff, pith } = fieldsOf(entry.message.details);
  const { path, after } = fieldsOf(pith);
  if (typeof path !== "string" || typeof after !== "string") return [];
  // A file that was written whole has no diff.
  return [{ path, diff: typeof diff === "string" ? diff : "" }];
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

export type DiffPlace = Pick<Desk, "agent" | "cwd" | "home">;

/** Every file that tools changed on this branch. Only reads. */
export async function sessionChanges({ agent, cwd, home }: DiffPlace): Promise<readonly ChangedFile[]> {
  const { session } = agent;
  const logged = loggedPatches(await session.store.branchEntries(session.leaf));
  const planned = await agent.previewFileRestore(null);
  if (planned.length === 0) return [...logged].map(([path, patch]) => toldFile(shownPath(path, cwd), patch));
  const originals = originalsFolder(join(home, "restore", sessionIdToFileName(session.store.header.id)));
  const files = nodeFiles({ root: cwd });
  const changed: ChangedFile[] = [];
  // One after the other: each may have megabytes.
  for (const file of planned) {
    if (file.type === "not-permitted") {
      const note = `not compared with the disk, only as the tools told it: ${file.why}`;
      const patch = logged.get(file.path) ?? nothing;
      changed.push({ path: shownPath(file.path, cwd), kind: "changed", ...patch, notes: [note] });
      continue;
    }
    const before = file.targetHash === null ? null : await originals.read(file.targetHash);
    const found = await files.read(file.path);
    const states = { before, found, logged: logged.get(file.path) ?? null };
    changed.push(changedFile({ ...file, path: shownPath(file.path, cwd) } satisfies PlannedFile, states));
  }
  return changed;
}

/** Where nothing is kept, what tools told is all there is. */
function toldFile(path: string, patch: Patch): ChangedFile {
  const note =
    patch.patch === "" ? "a tool wrote it; how it was before was not kept" : "change by change, as the tools told it";
  return { path, kind: "changed", ...patch, notes: [note] };
}

/** From the folder where it lies inside, else as it is. */
function shownPath(path: string, cwd: string): string {
  const near = relative(cwd, path);
  return near === "" || near.startsWith("..") || isAbsolute(near) ? path : near;
}

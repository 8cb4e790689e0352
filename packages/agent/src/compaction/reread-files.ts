/** Reads the files in use again after a compaction and adds them to the context. A file that tools may not read is never added. */

import { type Budget, contextSize, type LoadedBranch, type NewEntry, type Session, textTokens } from "@pith/context";
import { collectCalibration, entryTokens, findCalibration } from "@pith/context/host";
import { appendEntries } from "../append-entries.ts";
import { runToolResultHooks } from "../hooks/tool-hooks.ts";
import { createModelBudget, type RunContext } from "../loop/run-context.ts";
import { REREAD_FILES } from "../prompt/prompt-text.ts";
import { detectImageType, escapeInvisible, hashBytes } from "../text.ts";
import { REREAD_TYPE, type RereadFile, type RereadOptions, readRereadFiles } from "../tools/file-access.ts";
import { buildPage } from "../tools/read/pages.ts";
import { decodeFile } from "../tools/text-encoding.ts";
import { textOutput } from "../tools/tool-io.ts";
import { collectFileUses, type FileUse, findVisibleFiles } from "./file-uses.ts";

export interface RereadRequest {
  /** The branch before the compaction. */
  readonly branchBefore: LoadedBranch;
  /** The size of the context before the compaction. */
  readonly tokensBefore: number;
  /** How often the same request was refused before. Each refusal halves the space for files. */
  readonly attempt?: number;
  /** Default: the budget of the current model. */
  readonly budget?: Budget;
}

/** Appends the files that the model used most recently, within a budget, and removes the copies of earlier compactions from the context. */
export async function rereadFiles(run: RunContext, request: RereadRequest): Promise<void> {
  const { rereadFiles: options, session, model, signal } = run;
  const canRead = model.takesTools !== false && run.tools.some(({ name }) => name === "read");
  if (!options || !canRead || signal.aborted) return;
  await removeEarlierCopies(session);
  const visibleHashes = findVisibleFiles(session.branch);
  const files: FileText[] = [];
  let freeTokens = computeFreeTokens(run, request) - FRAME_TOKENS;
  // One after the other, because the first ones decide how much space is left.
  for (const use of collectFileUses(request.branchBefore).slice(0, MAX_CHECKED_FILES)) {
    const maxTokens = Math.min(MAX_FILE_TOKENS, freeTokens);
    if (files.length === MAX_FILES || maxTokens < MIN_FILE_TOKENS) break;
    const file = await rereadFile(use, { run, options, visibleHash: visibleHashes.get(use.path), maxTokens });
    if (!file) continue;
    files.push(file);
    freeTokens -= file.details.tokens;
  }
  if (files.length === 0) return;
  await appendEntries(session, createFilesEntry(files, findModelCalibration(run)));
  for (const { at, bytes } of files) await options.readTracker.remember(at, bytes);
}

const MAX_FILES = 5;
const MAX_FILE_TOKENS = 5_000;
/** Fewer tokens show too little of a file to be of use. */
const MIN_FILE_TOKENS = 150;
/** Files that are gone, still visible or not permitted are passed over. This many are tried. */
const MAX_CHECKED_FILES = 20;

// RST6: the copy at the end of the context is the only one, so no outdated copy stays in the kept messages.
async function removeEarlierCopies(session: Session): Promise<void> {
  const { entries, compactionIndex, edits } = session.branch;
  const removedIds = new Set(edits.flatMap(({ targetId, replacement }) => (replacement === null ? targetId : [])));
  const removals = entries
    .slice(0, Math.max(0, compactionIndex))
    .filter((entry) => readRereadFiles(entry).length > 0 && !removedIds.has(entry.id))
    .map(({ id }): NewEntry => {
      return { type: "context_edit", targetId: id, replacement: null, pith: { reduced: true } };
    });
  if (removals.length > 0) await appendEntries(session, ...removals);
}

/**
 * RST4: files get a share of what the compaction has freed, so that it still frees what the guards require, and of the free space, so
 * that they do not cause the next compaction.
 */
function computeFreeTokens(
  run: RunContext,
  { tokensBefore, attempt = 0, budget = createModelBudget(run) }: RereadRequest,
): number {
  const { limit, shareBase, limits } = budget;
  const { tokens } = contextSize(run.session.branch, budget);
  const freed = tokensBefore - tokens;
  const free = Math.min(limit, shareBase) - tokens;
  const shares = [shareBase * CONTEXT_SHARE, freed * FREE_SHARE, free * FREE_SHARE];
  return Math.min(MAX_TOTAL_TOKENS, ...shares, freed - tokensBefore * limits.progress) / 2 ** attempt;
}

const MAX_TOTAL_TOKENS = 20_000;
const CONTEXT_SHARE = 0.1;
const FREE_SHARE = 0.25;

interface FileText {
  readonly at: string;
  readonly bytes: Uint8Array;
  readonly details: RereadFile;
  /** For the model. */
  readonly text: string;
}

interface RereadFileOptions {
  readonly run: RunContext;
  readonly options: RereadOptions;
  /** The hash of the text that the model still sees. */
  readonly visibleHash: string | undefined;
  readonly maxTokens: number;
}

/** Null if the file must not or need not be added, or if it does not fit. */
async function rereadFile(
  use: FileUse,
  { run, options: { files, checkPermission }, visibleHash, maxTokens }: RereadFileOptions,
): Promise<FileText | null> {
  const at = files.resolve(use.path);
  const permission = await checkPermission(at);
  if (permission.type === "refused") return null;
  const readOptions = { realPath: permission.realPath, maxBytes: MAX_FILE_BYTES, signal: run.signal };
  const file = await files.read(at, readOptions);
  if (file.type !== "read" || detectImageType(file.bytes) !== null) return null;
  const { bytes } = file;
  const [hash, decoded] = [await hashBytes(bytes), await decodeFile(bytes)];
  if (hash === visibleHash || !decoded || decoded.looksBinary) return null;
  const text = run.session.redact(decoded.text.replace(/^\ufeff/, "")).replaceAll("\r\n", "\n");
  const countTokens = createTokenCounter(run);
  const part = selectPart(text, { use, maxTokens: maxTokens - FRAME_TOKENS, countTokens });
  const shownText = part && (await applyResultHooks(part.text, use, run));
  if (!part || shownText === null) return null;
  const framedText = formatFile({ use, hash, text: shownText, firstLine: part.firstLine });
  const tokens = countTokens(framedText);
  const { path, name, lines } = use;
  const details = { path, name, hash, tokens, ...(lines && { lines }) };
  return tokens > maxTokens ? null : { at, bytes, details, text: framedText };
}

/** A larger file is data rather than a file in use. */
const MAX_FILE_BYTES = 1024 * 1024;
/** For the heading of a file and its fence, and for the sentences before the files. */
const FRAME_TOKENS = 60;

type CountTokens = (text: string) => number;

function createTokenCounter(run: RunContext): CountTokens {
  const { factor } = findModelCalibration(run);
  return (text) => Math.ceil(textTokens(text) * factor);
}

type ModelCalibration = ReturnType<typeof findCalibration>;

function findModelCalibration({ session, model }: RunContext): ModelCalibration {
  return findCalibration(collectCalibration(session.branch), model);
}

interface FilePart {
  readonly text: string;
  /** Null if this is the whole file. */
  readonly firstLine: number | null;
}

interface SelectPartOptions {
  readonly use: FileUse;
  readonly maxTokens: number;
  readonly countTokens: CountTokens;
}

/** The whole text, or the lines that the model read last, as `read` shows them. */
function selectPart(text: string, { use, maxTokens, countTokens }: SelectPartOptions): FilePart | null {
  if (text.length <= maxTokens * MAX_CHARS_PER_TOKEN && countTokens(text) <= maxTokens)
    return { text, firstLine: null };
  const { name: path, lines = { offset: 1 } } = use;
  let maxBytes = maxTokens * BYTES_PER_TOKEN;
  for (let attempt = 0; attempt < 3; attempt++) {
    const page = buildPage(text, { path, ...lines, maxBytes });
    // The file has become shorter.
    if (page.type === "past-end")
      return selectPart(text, { use: { ...use, lines: { offset: 1 } }, maxTokens, countTokens });
    const tokens = countTokens(page.text);
    if (tokens <= maxTokens) return { text: page.text, firstLine: lines.offset };
    maxBytes = Math.floor(((maxBytes * maxTokens) / tokens) * 0.9);
  }
  return null;
}

const BYTES_PER_TOKEN = 4;
/** No text has more. A longer one is not counted. */
const MAX_CHARS_PER_TOKEN = 40;

/** RST3: a hook that changes what `read` shows also changes what is shown here. Null if it refuses the file. */
async function applyResultHooks(text: string, { path, name }: FileUse, run: RunContext): Promise<string | null> {
  const call = { type: "toolCall", id: `reread:${path}`, name: "read", arguments: { path: name } } as const;
  const openCall = { call, resultId: call.id, mayHaveStarted: false };
  const { content, isError } = await runToolResultHooks(openCall, textOutput(text), run);
  if (isError === true || !content.every((block) => block.type === "text")) return null;
  return content.map((block) => block.text).join("\n");
}

interface FormatFileOptions {
  readonly use: FileUse;
  readonly hash: string;
  readonly text: string;
  readonly firstLine: number | null;
}

function formatFile({ use, hash, text, firstLine }: FormatFileOptions): string {
  const extent =
    firstLine === null ? "the whole file" : `part of the file, starting at line ${firstLine}; read shows the rest`;
  const state = use.hash === hash ? "unchanged" : "changed on disk";
  const longestFence = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(longestFence + 1);
  const heading = `${escapeInvisible(use.name)} (${extent}; ${state} since you last read or changed it in ${use.reference}):`;
  return `${heading}\n${fence}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`;
}

/** One entry, so that the files are added and removed together. Each file is a block of its own. */
function createFilesEntry(files: readonly FileText[], calibration: ModelCalibration): NewEntry {
  const texts = [REREAD_FILES, ...files.map(({ text }) => text)];
  const entry = {
    type: "custom_message" as const,
    customType: REREAD_TYPE,
    content: texts.map((text) => ({ type: "text" as const, text })),
    display: false,
  };
  // RST8: the size of the whole entry, so that the line on the screen and `/context` agree.
  const tokens = entryTokens({ ...entry, id: "", parentId: null, timestamp: "" }, undefined, calibration);
  return { ...entry, details: { pith: { files: files.map(({ details }) => details), tokens } } };
}

/** Reads the files in use again after a compaction and adds them to the context. A file that tools may not read is never added. */

import { type Budget, contextSize, type LoadedBranch, type NewEntry, type Session, textTokens } from "@pith/context";
import { collectCalibration, entryTokens, findCalibration } from "@pith/context/host";
import type { AgentOptions } from "../agent-options.ts";
import { appendEntries } from "../append-entries.ts";
import type { HookContext } from "../hooks/hooks.ts";
import { runToolResultHooks } from "../hooks/tool-hooks.ts";
import { REREAD_FILES } from "../prompt/prompt-text.ts";
import { detectImageType, escapeInvisible, hashBytes } from "../text.ts";
import { REREAD_TYPE, type RereadFile, type RereadOptions, readRereadFiles } from "../tools/file-access.ts";
import { decodeFile } from "../tools/text-encoding.ts";
import { textOutput } from "../tools/tool-io.ts";
import { createShownFileLookup, type FileUse, findFilesInUse, type IsFileShown } from "./file-uses.ts";

export interface RereadRequest {
  /** The branch before the compaction. */
  readonly branchBefore: LoadedBranch;
  /** The size of the context before the compaction. */
  readonly tokensBefore: number;
  /** How often the same request was refused before. Each refusal halves the space for files. */
  readonly attempt?: number;
  readonly budget: Budget;
}

type RereadContext = HookContext & Pick<AgentOptions, "model" | "tools" | "rereadFiles">;

/** Appends the files in use, within a budget, and removes the copies of earlier compactions from the context. */
export async function rereadFiles(run: RereadContext, request: RereadRequest): Promise<void> {
  const { rereadFiles: options, session, model, signal } = run;
  const canRead = model.takesTools !== false && run.tools.some(({ name }) => name === "read");
  if (!options || !canRead || signal.aborted) return;
  await removeEarlierCopies(session);
  const isShown = createShownFileLookup(session.branch);
  const files: FileText[] = [];
  let freeTokens = computeFreeTokens(run, request) - FRAME_TOKENS;
  // One after the other, because the first ones decide how much space is left.
  for (const use of findFilesInUse(request.branchBefore).slice(0, MAX_CHECKED_FILES)) {
    if (files.length === MAX_FILES || freeTokens <= FRAME_TOKENS) break;
    const file = await rereadFile(use, { run, options, isShown, maxTokens: freeTokens });
    if (!file) continue;
    files.push(file);
    freeTokens -= file.details.tokens;
  }
  if (files.length === 0) return;
  await appendEntries(session, createFilesEntry(files, findModelCalibration(run)));
  for (const { at, bytes } of files) await options.readTracker.remember(at, bytes);
}

const MAX_FILES = 5;
/** Files that are gone, still shown, too long or not permitted are passed over. This many are tried. */
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
function computeFreeTokens(run: RereadContext, { tokensBefore, attempt = 0, budget }: RereadRequest): number {
  const { limit, shareBase, limits } = budget;
  const { tokens } = contextSize(run.session.branch, budget);
  const freed = tokensBefore - tokens;
  const free = Math.min(limit, shareBase) - tokens;
  const shares = [shareBase * CONTEXT_SHARE, freed * FREE_SHARE, free * FREE_SHARE];
  return Math.min(MAX_TOTAL_TOKENS, ...shares, freed - tokensBefore * limits.progress) / 2 ** attempt;
}

const MAX_TOTAL_TOKENS = 20_000;
const CONTEXT_SHARE = 0.05;
const FREE_SHARE = 0.25;

interface FileText {
  readonly at: string;
  readonly bytes: Uint8Array;
  readonly details: RereadFile;
  /** For the model. */
  readonly text: string;
}

interface RereadFileOptions {
  readonly run: RereadContext;
  readonly options: RereadOptions;
  readonly isShown: IsFileShown;
  readonly maxTokens: number;
}

/** Null if the file must not or need not be added, or if it does not fit as a whole. */
async function rereadFile(
  use: FileUse,
  { run, options: { files, checkPermission }, isShown, maxTokens }: RereadFileOptions,
): Promise<FileText | null> {
  const at = files.resolve(use.path);
  const permission = await checkPermission(at);
  if (permission.type === "refused") return null;
  const readOptions = { realPath: permission.realPath, maxBytes: MAX_FILE_BYTES, signal: run.signal };
  const file = await files.read(at, readOptions);
  if (file.type !== "read" || detectImageType(file.bytes) !== null) return null;
  const { bytes } = file;
  const [hash, decoded] = [await hashBytes(bytes), await decodeFile(bytes)];
  if (!decoded || decoded.looksBinary) return null;
  const text = run.session.redact(decoded.text.replace(/^\ufeff/, "")).replaceAll("\r\n", "\n");
  if (text.length > maxTokens * MAX_CHARS_PER_TOKEN || isShown({ path: use.path, hash, text })) return null;
  const shownText = await applyResultHooks(text, use, run);
  if (shownText === null) return null;
  const framedText = formatFile(use, { hash, text: shownText });
  const tokens = createTokenCounter(run)(framedText);
  const { path, name } = use;
  return tokens > maxTokens ? null : { at, bytes, details: { path, name, hash, tokens }, text: framedText };
}

/** A larger file is data rather than a file in use. */
const MAX_FILE_BYTES = 1024 * 1024;
/** For the heading of a file and its fence, and for the sentences before the files. */
const FRAME_TOKENS = 60;
/** No text has more. A longer one is not counted. */
const MAX_CHARS_PER_TOKEN = 40;

function createTokenCounter(run: RereadContext): (text: string) => number {
  const { factor } = findModelCalibration(run);
  return (text) => Math.ceil(textTokens(text) * factor);
}

type ModelCalibration = ReturnType<typeof findCalibration>;

function findModelCalibration({ session, model }: RereadContext): ModelCalibration {
  return findCalibration(collectCalibration(session.branch), model);
}

/** RST3: a hook that changes what `read` shows also changes what is shown here. Null if it refuses the file. */
async function applyResultHooks(text: string, { path, name }: FileUse, run: RereadContext): Promise<string | null> {
  const call = { type: "toolCall", id: `reread:${path}`, name: "read", arguments: { path: name } } as const;
  const openCall = { call, replyId: call.id, resultId: call.id, mayHaveStarted: false };
  const { content, isError } = await runToolResultHooks(openCall, textOutput(text), run);
  if (isError === true || !content.every((block) => block.type === "text")) return null;
  return content.map((block) => block.text).join("\n");
}

/** RST1: `edit` and `write` record what they change, so any other change was made by a command or by another program. */
function formatFile({ name, hash: knownHash, reference }: FileUse, file: { hash: string; text: string }): string {
  const { hash, text } = file;
  const state = knownHash === hash ? "unchanged since" : "changed by a command or another program since";
  const longestFence = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(longestFence + 1);
  return `${escapeInvisible(name)} (${state} ${reference}):\n${fence}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`;
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

/** Reads a recorded session: its rows between the compactions, the user's messages, and the drafts of its summaries. */

import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { NewEntry } from "@pith/context";

export interface RecordedRow {
  readonly type: string;
  readonly id: string;
  readonly parentId: string | null;
  /** The number of the entry in the recording, which the drafts may cite. */
  readonly number?: number;
  readonly message?: RecordedMessage;
  readonly summary?: string;
  readonly [field: string]: unknown;
}

export interface RecordedMessage {
  readonly role: string;
  readonly content: string | readonly RecordedContent[];
  /** Of a tool result. */
  readonly toolCallId?: string;
  readonly isError?: boolean;
}

export interface RecordedContent {
  readonly type: string;
  readonly text?: string;
  /** Of a tool call. */
  readonly id?: string;
  readonly name?: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
}

export interface Recording {
  readonly header: string;
  /** The rows before each compaction, without the compactions and without the rows after the last one. */
  readonly segments: readonly (readonly RecordedRow[])[];
  /** The ids of the omitted compactions. A row whose parent is one of them is appended to the leaf. */
  readonly compactions: readonly string[];
}

/** A summary to play back as the reply of the model. */
export interface SummaryDraft {
  /** `compaction 1`, or `branch summary`. */
  readonly kind: string;
  readonly draft: string;
  /** The request that the draft was written for. Without it, the draft cites the numbers of the recording. */
  readonly request?: RequestBody;
}

export interface RecordedSummary extends SummaryDraft {
  readonly request: RequestBody;
}

/** The fields of a model request. */
export interface RequestBody {
  readonly system?: unknown;
  readonly messages?: unknown;
  readonly max_tokens?: unknown;
}

/** The name of a folder with a recording. */
export type RecordingName = "played" | "played-rules";

/** Returns the path of a file of a recording. */
export function recordingFile(name: RecordingName, file: string): string {
  return join(FIXTURES_FOLDER, name, file);
}

const FIXTURES_FOLDER = resolve(import.meta.dirname, "../../../../shared/fixtures");

export function readRecording(name: RecordingName = "played"): Recording {
  const [header = "", ...lines] = readFileSync(recordingFile(name, "session.jsonl"), "utf8").trim().split("\n");
  const segments: RecordedRow[][] = [[]];
  const compactions: string[] = [];
  for (const row of lines.map((line): RecordedRow => JSON.parse(line))) {
    if (row.type !== "compaction") {
      segments.at(-1)?.push(row);
      continue;
    }
    compactions.push(row.id);
    segments.push([]);
  }
  return { header, segments: segments.slice(0, compactions.length), compactions };
}

/** Reads the summaries of the recording, one for each compaction. */
export function readRecordedSummaries(): readonly RecordedSummary[] {
  return readAllSummaries().filter(isCompaction);
}

/** Reads the same summaries and the branch summary. */
export function readAllSummaries(): readonly RecordedSummary[] {
  return JSON.parse(readFileSync(recordingFile("played", "summaries.json"), "utf8"));
}

/** Reads the summaries that were written by hand for the current prompt. Empty if the file does not exist. */
export function readOwnSummaries(): readonly RecordedSummary[] {
  const path = join(import.meta.dirname, "drafts.json");
  const summaries: readonly RecordedSummary[] = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : [];
  return summaries.filter(isCompaction);
}

/** Reads the drafts of the recording with rules, which cite the numbers of its rows. */
export function readNumberedDrafts(): readonly SummaryDraft[] {
  const drafts: readonly { readonly for: string; readonly draft: string }[] = JSON.parse(
    readFileSync(recordingFile("played-rules", "drafts.json"), "utf8"),
  );
  return drafts.map(({ for: kind, draft }) => ({ kind, draft })).filter(isCompaction);
}

const isCompaction = ({ kind }: SummaryDraft): boolean => kind.startsWith("compaction");

/** Removes parent, timestamp, number and line seal, which the session sets. */
export function toNewEntry({ parentId: _, timestamp: __, number: ___, up: ____, ...entry }: RecordedRow): NewEntry {
  return entry as unknown as NewEntry;
}

export function contentText({ content }: RecordedMessage): string {
  if (typeof content === "string") return content;
  return content.flatMap(({ type, text }) => (type === "text" && text !== undefined ? [text] : [])).join("\n");
}

export function listUserTexts(rows: readonly RecordedRow[]): readonly string[] {
  return rows.flatMap(({ message }) => (message?.role === "user" ? [contentText(message)] : []));
}

export function requestText(request: RequestBody): string {
  return listMessageTexts(request).join("\n");
}

export function listMessageTexts({ messages }: RequestBody): readonly string[] {
  return ((messages ?? []) as readonly RecordedMessage[]).map(contentText);
}

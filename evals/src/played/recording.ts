/** Reads the recorded session: its rows between the compactions, the user's messages, and the drafts of its summaries. */

import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { NewEntry } from "@pith/context";

export interface RecordedRow {
  readonly type: string;
  readonly id: string;
  readonly parentId: string | null;
  readonly message?: RecordedMessage;
  readonly summary?: string;
  readonly [field: string]: unknown;
}

export interface RecordedMessage {
  readonly role: string;
  readonly content: string | readonly RecordedContent[];
}

export interface RecordedContent {
  readonly type: string;
  readonly text?: string;
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

export interface RecordedSummary {
  /** `compaction 1`, or `branch summary`. */
  readonly kind: string;
  readonly request: RequestBody;
  readonly draft: string;
}

/** The fields of a model request. */
export interface RequestBody {
  readonly system?: unknown;
  readonly messages?: unknown;
  readonly max_tokens?: unknown;
}

const FIXTURES_FOLDER = resolve(import.meta.dirname, "../../../../shared/fixtures/played");

export function readRecording(): Recording {
  const [header = "", ...lines] = readFileSync(join(FIXTURES_FOLDER, "session.jsonl"), "utf8").trim().split("\n");
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
  return JSON.parse(readFileSync(join(FIXTURES_FOLDER, "summaries.json"), "utf8"));
}

/** Reads the summaries that were written by hand for the current prompt. Empty if the file does not exist. */
export function readOwnSummaries(): readonly RecordedSummary[] {
  const path = join(import.meta.dirname, "drafts.json");
  const summaries: readonly RecordedSummary[] = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : [];
  return summaries.filter(isCompaction);
}

const isCompaction = ({ kind }: RecordedSummary): boolean => kind.startsWith("compaction");

/** Removes parent, timestamp and line seal, which the session sets. */
export function toNewEntry({ parentId: _, timestamp: __, up: ___, ...entry }: RecordedRow): NewEntry {
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

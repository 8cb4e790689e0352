/** Collects what the user must see before trusting a folder, and formats it as text and as JSON data. */

import { decodeText, type ProjectText } from "@pith/agent";
import { formatCount } from "../text/format.ts";
import { escapeLineBreaks } from "../text/safe-text.ts";
import {
  type ProjectFile,
  type ProjectFileKind,
  toRelativeName,
  trustRequiredPaths,
  type UnreadFile,
} from "./project-files.ts";
import type { FolderTrust } from "./trust.ts";
import type { TrustChange } from "./trust-file.ts";

export interface TrustQuestion {
  /** The real path of the project. */
  readonly root: string;
  /** `trusted`: there is nothing to ask, only to see. */
  readonly reason: "never" | "changed" | "trusted";
  readonly groups: readonly QuestionGroup[];
  readonly changes: readonly TrustChange[];
  /** Never used, trusted or not. */
  readonly unread: readonly UnreadFile[];
  /** Told to the model as text, trusted or not. */
  readonly contextFiles: readonly { readonly name: string; readonly size: number }[];
}

export interface QuestionGroup {
  readonly kind: ProjectFileKind;
  /** What such files can do. */
  readonly description: string;
  readonly files: readonly QuestionFile[];
}

export interface QuestionFile {
  readonly name: string;
  readonly size: number;
  readonly hash: string;
  readonly bytes: Uint8Array;
}

/** `texts` are the context files of the project. */
export function createTrustQuestion(folder: FolderTrust, contextTexts: readonly ProjectText[]): TrustQuestion {
  const { root, files, unread } = folder.project;
  return {
    root,
    reason: folder.type === "trusted" ? "trusted" : folder.reason,
    groups: groupByKind(files),
    changes: folder.type === "trusted" ? [] : folder.changes,
    unread,
    contextFiles: contextTexts.map(({ path, text }) => ({
      name: toRelativeName(root, path),
      size: Buffer.byteLength(text),
    })),
  };
}

function groupByKind(files: readonly ProjectFile[]): readonly QuestionGroup[] {
  return [...Map.groupBy(trustRequiredPaths, ({ kind }) => kind)].flatMap(([kind, [firstPath]]) => {
    const matchingFiles = files.filter((file) => file.kind === kind);
    return firstPath && matchingFiles.length > 0
      ? [{ kind, description: firstPath.description, files: matchingFiles.map(toQuestionFile) }]
      : [];
  });
}

function toQuestionFile({ name, bytes, hash }: ProjectFile): QuestionFile {
  return { name, size: bytes.length, hash, bytes };
}

/** Lines, letters and files are limited, so that the most serious part is never out of sight. */
export function formatTrustQuestion(question: TrustQuestion): string {
  const { root, groups, changes, unread, contextFiles } = question;
  const sections = [
    [escapeLineBreaks(root), `  ${describeTrustState(question)}`],
    ...groups.map(formatGroup),
    formatSection("Changed since it was last trusted", changes.map(formatChange)),
    formatSection(
      "Never used, trusted or not",
      unread.map(({ name, why }) => [`  ${escapeLineBreaks(name)} ${why}`]),
    ),
    formatSection("Told to the model as text, trusted or not", contextFiles.map(formatFile)),
  ];
  return sections.flatMap((lines) => (lines.length > 0 ? [lines.join("\n")] : [])).join("\n\n");
}

function describeTrustState({ reason, groups }: TrustQuestion): string {
  if (groups.length === 0) return "holds nothing that needs trust";
  switch (reason) {
    case "never":
      return "is not trusted: nothing of this is used";
    case "changed":
      return "was trusted, and has changed since: nothing of this is used";
    case "trusted":
      return "is trusted, as it is now";
  }
}

function formatGroup({ kind, description, files }: QuestionGroup): readonly string[] {
  // What chooses and what names programs matters most.
  const isContentShown = kind === "settings" || kind === "servers";
  const fileItems = files.map((file) => [
    ...formatFile(file),
    ...(isContentShown ? formatContent(decodeText(file.bytes) ?? "") : []),
  ]);
  return formatSection(`${kind}, which ${description}`, fileItems);
}

function formatFile({ name, size }: Pick<QuestionFile, "name" | "size">): readonly string[] {
  return [`  ${escapeLineBreaks(name)}  ${formatCount(size, "byte")}`];
}

function formatChange(change: TrustChange): readonly string[] {
  const diff = change.type === "changed" ? (change.diff ?? "") : "";
  return [`  ${escapeLineBreaks(change.name)} was ${change.type}`, ...formatContent(diff)];
}

/** Set in, so that no line of it looks like one of ours. */
function formatContent(text: string): readonly string[] {
  if (text === "") return [];
  const lines = text.trimEnd().split("\n");
  const hiddenCount = lines.length - MAX_CONTENT_LINES;
  const shownLines = lines.slice(0, MAX_CONTENT_LINES).map((line) => `      ${truncateLine(line)}`);
  return hiddenCount > 0 ? [...shownLines, `      … ${formatCount(hiddenCount, "more line")}`] : shownLines;
}

function truncateLine(line: string): string {
  const hiddenCount = line.length - MAX_LINE_CHARS;
  return hiddenCount > 0 ? `${line.slice(0, MAX_LINE_CHARS)} … ${formatCount(hiddenCount, "more letter")}` : line;
}

const MAX_CONTENT_LINES = 100;
const MAX_LINE_CHARS = 400;

function formatSection(title: string, items: readonly (readonly string[])[]): readonly string[] {
  if (items.length === 0) return [];
  const hiddenCount = items.length - MAX_SECTION_ITEMS;
  const hiddenNotice = hiddenCount > 0 ? [`  … and ${hiddenCount} more, which --json names`] : [];
  return [title, ...items.slice(0, MAX_SECTION_ITEMS).flat(), ...hiddenNotice];
}

const MAX_SECTION_ITEMS = 30;

export function toQuestionJson({ root, reason, groups, changes, unread, contextFiles }: TrustQuestion): object {
  return {
    root,
    isTrusted: reason === "trusted",
    ...(reason === "changed" && { isChanged: true }),
    files: groups.flatMap(({ kind, files }) => files.map(({ name, size, hash }) => ({ kind, name, size, hash }))),
    changes,
    unread,
    contextFiles,
  };
}

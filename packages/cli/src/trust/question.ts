/** Builds the question whether to trust a folder, and formats it as text and as JSON. */

import { decodeText, type ProjectText } from "@pith/agent";
import { formatCount } from "@pith/host/text/format";
import { escapeLineBreaks } from "@pith/host/text/safe-text";
import type { FolderTrust, TrustChange } from "@pith/host/trust/folder-trust";
import {
  type ProjectFile,
  type ProjectFileKind,
  toRelativeName,
  trustRequiredPaths,
  type UnreadFile,
} from "@pith/host/trust/project-files";

export interface TrustQuestion {
  /** The real path of the project. */
  readonly root: string;
  /** `trusted`: the folder is already trusted, so there is nothing to ask. */
  readonly reason: "never" | "changed" | "trusted";
  readonly groups: readonly QuestionGroup[];
  readonly changes: readonly TrustChange[];
  /** Files that are never used, even if the folder is trusted. */
  readonly unread: readonly UnreadFile[];
  /** Files that the model gets as text, even if the folder is not trusted. */
  readonly contextFiles: readonly { readonly name: string; readonly size: number }[];
}

export interface QuestionGroup {
  readonly kind: ProjectFileKind;
  /** What files of this kind can do. */
  readonly title: string;
  readonly files: readonly QuestionFile[];
}

export interface QuestionFile {
  readonly name: string;
  readonly size: number;
  readonly hash: string;
  readonly bytes: Uint8Array;
}

export function createTrustQuestion(folder: FolderTrust, contextTexts: readonly ProjectText[]): TrustQuestion {
  const { root, files, unread } = folder.project;
  return {
    root,
    reason: folder.type === "trusted" ? "trusted" : folder.reason,
    groups: [...Map.groupBy(trustRequiredPaths, ({ kind }) => kind)].flatMap(([kind, [firstPath]]) => {
      const matchingFiles = files.filter((file) => file.kind === kind);
      return firstPath && matchingFiles.length > 0
        ? [{ kind, title: firstPath.title, files: matchingFiles.map(toQuestionFile) }]
        : [];
    }),
    changes: folder.type === "trusted" ? [] : folder.changes,
    unread,
    contextFiles: contextTexts.map(({ path, text }) => ({
      name: toRelativeName(root, path),
      size: Buffer.byteLength(text),
    })),
  };
}

function toQuestionFile({ name, bytes, hash }: ProjectFile): QuestionFile {
  return { name, size: bytes.length, hash, bytes };
}

/** Limits the number of files, lines and characters, so that long files cannot push the most serious part out of sight. */
export function formatTrustQuestion(question: TrustQuestion): string {
  const { root, groups, changes, unread, contextFiles } = question;
  const sections = [
    [escapeLineBreaks(root), `  ${describeTrustState(question)}`],
    ...groups.map(formatGroup),
    formatSection("Changed since the folder was last trusted", changes.map(formatChange)),
    formatSection(
      "Never used, even if the folder is trusted",
      unread.map(({ name, why }) => [`  ${escapeLineBreaks(name)} ${why}`]),
    ),
    formatSection("Sent to the model as text, even if the folder is not trusted", contextFiles.map(formatFile)),
  ];
  return sections.flatMap((lines) => (lines.length > 0 ? [lines.join("\n")] : [])).join("\n\n");
}

function describeTrustState({ reason, groups }: TrustQuestion): string {
  if (groups.length === 0) return "contains nothing that requires trust";
  switch (reason) {
    case "never":
      return "is not trusted; these files are not used";
    case "changed":
      return "has changed since it was trusted; these files are not used";
    case "trusted":
      return "is trusted in its current state";
  }
}

function formatGroup({ kind, title, files }: QuestionGroup): readonly string[] {
  // The content of settings and server files is shown, because they configure Pith and name programs to start.
  const isContentShown = kind === "settings" || kind === "servers";
  const fileItems = files.map((file) => [
    ...formatFile(file),
    ...(isContentShown ? formatContent(decodeText(file.bytes) ?? "") : []),
  ]);
  return formatSection(title, fileItems);
}

function formatFile({ name, size }: Pick<QuestionFile, "name" | "size">): readonly string[] {
  return [`  ${escapeLineBreaks(name)}  ${formatCount(size, "byte")}`];
}

function formatChange(change: TrustChange): readonly string[] {
  const diff = change.type === "changed" ? (change.diff ?? "") : "";
  return [`  ${escapeLineBreaks(change.name)} was ${change.type}`, ...formatContent(diff)];
}

/** Indents the content, so that no line of it looks like a line of Pith. */
function formatContent(text: string): readonly string[] {
  if (text === "") return [];
  const lines = text.trimEnd().split("\n");
  const hiddenCount = lines.length - MAX_CONTENT_LINES;
  const shownLines = lines.slice(0, MAX_CONTENT_LINES).map((line) => `      ${truncateLine(line)}`);
  return hiddenCount > 0 ? [...shownLines, `      … ${formatCount(hiddenCount, "more line")}`] : shownLines;
}

function truncateLine(line: string): string {
  const hiddenCount = line.length - MAX_LINE_CHARS;
  return hiddenCount > 0 ? `${line.slice(0, MAX_LINE_CHARS)} … ${formatCount(hiddenCount, "more character")}` : line;
}

const MAX_CONTENT_LINES = 100;
const MAX_LINE_CHARS = 400;

function formatSection(title: string, items: readonly (readonly string[])[]): readonly string[] {
  if (items.length === 0) return [];
  const hiddenCount = items.length - MAX_SECTION_ITEMS;
  const hiddenNotice = hiddenCount > 0 ? [`  … and ${hiddenCount} more; --json lists all`] : [];
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

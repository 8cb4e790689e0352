/** Collects what the user must see before trusting a folder, and formats it as text and as JSON data. */

import { decodeText, type ProjectText } from "@pith/agent";
import { counted } from "../text/format.ts";
import { oneLine } from "../text/safe-text.ts";
import { type HeldFile, type Kind, nameIn, type UnreadFile, whatCanRun } from "./read-files.ts";
import type { TrustedFolder } from "./trust.ts";
import type { Change } from "./trust-file.ts";

export interface TrustQuestion {
  /** The real path of the project. */
  readonly root: string;
  /** `trusted`: there is nothing to ask, only to see. */
  readonly why: "never" | "changed" | "trusted";
  readonly kinds: readonly QuestionKind[];
  readonly changes: readonly Change[];
  /** Never used, trusted or not. */
  readonly unread: readonly UnreadFile[];
  /** Told to the model as text, trusted or not. */
  readonly contextFiles: readonly { readonly name: string; readonly size: number }[];
}

export interface QuestionKind {
  readonly kind: Kind;
  /** What such files can do. */
  readonly says: string;
  readonly files: readonly QuestionFile[];
}

export interface QuestionFile {
  readonly name: string;
  readonly size: number;
  readonly hash: string;
  readonly bytes: Uint8Array;
}

/** `texts` are the context files of the project. */
export function trustQuestion(folder: TrustedFolder, texts: readonly ProjectText[]): TrustQuestion {
  const { root, files, unread } = folder.holds;
  return {
    root,
    why: folder.type === "trusted" ? "trusted" : folder.why,
    kinds: kindsOf(files),
    changes: folder.type === "trusted" ? [] : folder.changes,
    unread,
    contextFiles: texts.map(({ path, text }) => ({ name: nameIn(root, path), size: Buffer.byteLength(text) })),
  };
}

function kindsOf(files: readonly HeldFile[]): readonly QuestionKind[] {
  return [...Map.groupBy(whatCanRun, ({ kind }) => kind)].flatMap(([kind, [first]]) => {
    const own = files.filter((file) => file.kind === kind);
    return first && own.length > 0 ? [{ kind, says: first.says, files: own.map(questionFile) }] : [];
  });
}

function questionFile({ name, bytes, hash }: HeldFile): QuestionFile {
  return { name, size: bytes.length, hash, bytes };
}

/** Lines, letters and files are limited, so that the most serious part is never out of sight. */
export function questionText(question: TrustQuestion): string {
  const { root, kinds, changes, unread, contextFiles } = question;
  const parts = [
    [oneLine(root), `  ${standing(question)}`],
    ...kinds.map(kindLines),
    section("Changed since it was last trusted", changes.map(changeLines)),
    section(
      "Never used, trusted or not",
      unread.map(({ name, why }) => [`  ${oneLine(name)} ${why}`]),
    ),
    section("Told to the model as text, trusted or not", contextFiles.map(fileLines)),
  ];
  return parts.flatMap((lines) => (lines.length > 0 ? [lines.join("\n")] : [])).join("\n\n");
}

function standing({ why, kinds }: TrustQuestion): string {
  if (kinds.length === 0) return "holds nothing that needs trust";
  switch (why) {
    case "never":
      return "is not trusted: nothing of this is used";
    case "changed":
      return "was trusted, and has changed since: nothing of this is used";
    case "trusted":
      return "is trusted, as it is now";
  }
}

function kindLines({ kind, says, files }: QuestionKind): readonly string[] {
  // What chooses and what names programs matters most.
  const isShown = kind === "settings" || kind === "servers";
  const named = files.map((file) => [
    ...fileLines(file),
    ...(isShown ? contentLines(decodeText(file.bytes) ?? "") : []),
  ]);
  return section(`${kind}, which ${says}`, named);
}

function fileLines({ name, size }: Pick<QuestionFile, "name" | "size">): readonly string[] {
  return [`  ${oneLine(name)}  ${counted(size, "byte")}`];
}

function changeLines(change: Change): readonly string[] {
  const diff = change.type === "changed" ? (change.diff ?? "") : "";
  return [`  ${oneLine(change.name)} was ${change.type}`, ...contentLines(diff)];
}

/** Set in, so that no line of it looks like one of ours. */
function contentLines(text: string): readonly string[] {
  if (text === "") return [];
  const lines = text.trimEnd().split("\n");
  const rest = lines.length - MOST_LINES;
  const shown = lines.slice(0, MOST_LINES).map((line) => `      ${clipped(line)}`);
  return rest > 0 ? [...shown, `      … ${counted(rest, "more line")}`] : shown;
}

function clipped(line: string): string {
  const rest = line.length - MOST_LETTERS;
  return rest > 0 ? `${line.slice(0, MOST_LETTERS)} … ${counted(rest, "more letter")}` : line;
}

const MOST_LINES = 100;
const MOST_LETTERS = 400;

function section(title: string, members: readonly (readonly string[])[]): readonly string[] {
  if (members.length === 0) return [];
  const rest = members.length - MOST_MEMBERS;
  const more = rest > 0 ? [`  … and ${rest} more, which --json names`] : [];
  return [title, ...members.slice(0, MOST_MEMBERS).flat(), ...more];
}

const MOST_MEMBERS = 30;

export function questionData({ root, why, kinds, changes, unread, contextFiles }: TrustQuestion): object {
  return {
    root,
    isTrusted: why === "trusted",
    ...(why === "changed" && { isChanged: true }),
    files: kinds.flatMap(({ kind, files }) => files.map(({ name, size, hash }) => ({ kind, name, size, hash }))),
    changes,
    unread,
    contextFiles,
  };
}

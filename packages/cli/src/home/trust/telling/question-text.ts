/** What a folder holds, as text for people: what they trust with it, and what changed since they did. Never so long that the gravest is out of sight. */

import { textOf } from "@pith/agent";
import { counted } from "../../../printing/amounts.ts";
import { oneLine } from "../../../printing/one-line.ts";
import type { Change } from "../keeping/changes.ts";
import type { QuestionFile, QuestionKind, TrustQuestion } from "../trust-question.ts";

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
  const named = files.map((file) => [...fileLines(file), ...(isShown ? contentLines(textOf(file.bytes) ?? "") : [])]);
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

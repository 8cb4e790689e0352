/** What a session is about, in two sentences, from the summary of its newest compaction: what is wanted, and what comes next. Pure. */

import { plainText } from "@pith/context";

/** Null where the summary has no sections that say it. */
export function gistOf(summary: string): string | null {
  const goal = itemsUnder("Goal", summary)[0];
  const next = itemsUnder("In Progress", summary)[0] ?? itemsUnder("Next Steps", summary)[0];
  const sentences = [goal, next === undefined ? undefined : `Next: ${next}`].flatMap((words) =>
    words === undefined ? [] : [ended(words)],
  );
  return sentences.length === 0 ? null : sentences.join(" ");
}

/** The lines of a section, without their marks and without the numbers of what they rest on. */
function itemsUnder(title: string, summary: string): readonly string[] {
  const heading = new RegExp(`^#{2,3} ${title}[ \\t]*\\n([\\s\\S]*?)(?=^#{1,3} |(?![\\s\\S]))`, "m");
  const [, section = ""] = heading.exec(summary) ?? [];
  return section
    .split("\n")
    .map((line) => cleaned(line))
    .filter((line) => line !== "" && line !== "(none)");
}

function cleaned(line: string): string {
  const words = line
    .replace(/^\s*(?:[-*]|\d+\.)\s+(?:\[[ x]\]\s+)?/, "")
    .replace(/\s*(?:\[e\d+(?:,\s*e\d+)*\]|\(entry:[^)]*\))/g, "")
    .replaceAll("**", "");
  return plainText(words, LETTERS);
}

const LETTERS = 160;

function ended(sentence: string): string {
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** AUD8: a summary is written in the user's language, so that the work goes on in it. */

import { withoutCitations } from "../story/citations.ts";
import type { StoryLine } from "../story/place-lines.ts";
import { withoutQuotations } from "../story/quotations.ts";
import { type Language, languageOf } from "../wording/language.ts";
import type { Check } from "./check.ts";

export const otherLanguage: Check = ({ lines, evidence }) => {
  const spoken = spokenLanguage(evidence.typed());
  const written = languageOf(bodyOf(lines));
  if (!spoken || !written || isSame(spoken, written)) return [];
  const note = `the user writes ${nameOf(spoken)}, the summary is in ${nameOf(written)}: only its headings are English`;
  return [{ code: "other-language", note, line: null }];
};

/** What most messages are written in. What was pasted stands in the middle of one, as a rule. */
function spokenLanguage(typed: readonly string[]): Language | null {
  const votes = typed.flatMap((text) => languageOf(edges(text)) ?? []);
  const script = mostOf(votes.map((vote) => vote.script));
  const tongue = mostOf(votes.flatMap((vote) => (vote.script === script && vote.tongue !== null ? [vote.tongue] : [])));
  return script === null ? null : { script, tongue };
}

function edges(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const [first = "", last = ""] = [lines[0], lines.length > 1 ? lines.at(-1) : ""];
  return `${first.slice(0, EDGE)} ${last.slice(-EDGE)}`;
}

const EDGE = 600;

/** Null where no one has more than half of the votes. */
function mostOf(votes: readonly string[]): string | null {
  const counts = Object.entries(Object.groupBy(votes, (vote) => vote));
  return counts.find(([, same = []]) => same.length * 2 > votes.length)?.[0] ?? null;
}

function bodyOf(lines: readonly StoryLine[]): string {
  const said = lines.filter(({ heading }) => heading === null).map(({ text }) => text);
  return withoutQuotations(withoutCitations(said.join("\n")));
}

function isSame(spoken: Language, written: Language): boolean {
  if (spoken.script !== written.script) return false;
  return spoken.tongue === null || written.tongue === null || spoken.tongue === written.tongue;
}

const nameOf = ({ script, tongue }: Language): string => NAMES[script] ?? tongue ?? `${script} letters`;

const NAMES: Readonly<Record<string, string>> = { Han: "Chinese", Kana: "Japanese", Hangul: "Korean" };

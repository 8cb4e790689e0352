/** What code can cure in a summary without asking a model: the narrative stays as it is, what is wrong in it goes. */

import type { StoryFormat } from "./checks/check.ts";
import { isEmpty } from "./checks/empty.ts";
import { wrongRequest } from "./checks/request.ts";
import { tooLong } from "./checks/size.ts";
import type { Evidence } from "./evidence.ts";
import type { Flaw } from "./flaw.ts";
import { intoSection, sayNothing } from "./repairing/bodies.ts";
import { fitTokens } from "./repairing/fit-tokens.ts";
import { mendLines } from "./repairing/mend-lines.ts";
import type { Mended } from "./repairing/mended.ts";
import { restoreSections } from "./repairing/restore-sections.ts";
import { quotingLine } from "./story/first-words.ts";
import { GOAL, REQUEST } from "./story/headings.ts";
import { linesOf } from "./story/lines-of.ts";
import { placeLines } from "./story/place-lines.ts";

export interface Repaired {
  readonly story: string;
  /** What was wrong and is no longer. */
  readonly mended: readonly Flaw[];
}

/** What is empty stays so, what has too few headings keeps them: an audit says that it cannot be used. */
export function repaired(story: string, evidence: Evidence, format: StoryFormat): Repaired {
  const texts = linesOf(story);
  if (isEmpty(placeLines(texts))) return { story, mended: [] };
  const shaped = restoreSections(texts, format.sections);
  const sound = mendLines(shaped.texts, evidence);
  const asked = withRequest(sound.texts, evidence);
  const mended = [...shaped.mended, ...sound.mended, ...asked.mended];
  const said = mended.length === 0 ? asked.texts : sayNothing(asked.texts);
  const short = shortened(said, evidence, format);
  const all = [...mended, ...short.mended];
  return { story: isSame(texts, short.texts) ? story : short.texts.join("\n"), mended: all };
}

// What needs no repair keeps its line ends too.
function isSame(before: readonly string[], after: readonly string[]): boolean {
  return before.length === after.length && before.every((text, at) => text === after[at]);
}

function withRequest(texts: readonly string[], evidence: Evidence): Mended {
  const lines = placeLines(texts);
  const flaws = isEmpty(lines) ? [] : wrongRequest({ lines, evidence });
  const { request } = evidence;
  if (flaws.length === 0 || request === null) return { texts, mended: [] };
  const name = lines.some(({ section }) => section === GOAL) ? GOAL : REQUEST;
  return { texts: intoSection(texts, { name, added: [quotingLine(request)] }), mended: flaws };
}

function shortened(texts: readonly string[], evidence: Evidence, format: StoryFormat): Mended {
  const flawsOf = (lines: readonly string[]): readonly Flaw[] => tooLong({ story: lines.join("\n"), format });
  const flaws = flawsOf(texts);
  if (flaws.length === 0) return { texts, mended: [] };
  const mend = (lines: readonly string[]): readonly string[] =>
    sayNothing(withRequest(mendLines(lines, evidence).texts, evidence).texts);
  const short = fitTokens(texts, { tokens: format.tokens, mend });
  return { texts: short, mended: flawsOf(short).length === 0 ? flaws : [] };
}

/** Line after line made sound. Each is judged by its place among those that stay, so that what is left is sound as a whole. */

import { lineFlaws } from "../checks/line-flaws.ts";
import type { Evidence } from "../evidence.ts";
import type { Flaw } from "../flaw.ts";
import { bare, itemIndent } from "../story/bare.ts";
import { CONTEXT, headingOf } from "../story/headings.ts";
import { lineAt, type StoryLine } from "../story/place-lines.ts";
import { attributes } from "../wording/attribution.ts";
import { intoSection } from "./bodies.ts";
import { afterGone, afterKept, atFirst, type Judging, judged } from "./judging.ts";
import { mendLine } from "./mend-line.ts";
import type { Mended } from "./mended.ts";

export function mendLines(texts: readonly string[], evidence: Evidence): Mended {
  const { texts: kept, mended } = mendEach(texts, evidence);
  const led = mended.length === 0 ? kept : kept.filter((_, at) => !leadsNowhere(kept, at));
  return led.length === kept.length ? { texts: kept, mended } : { texts: mendEach(led, evidence).texts, mended };
}

function mendEach(texts: readonly string[], evidence: Evidence): Mended {
  const kept: string[] = [];
  const moved: string[] = [];
  const mended: Flaw[] = [];
  let judging = atFirst;
  texts.forEach((text, at) => {
    const lineOf = (said: string): StoryLine => judged(judging, { text: said, number: at + 1 });
    const flaws = lineFlaws(lineOf(text), evidence);
    const tried = flaws.length === 0 ? { type: "kept" as const, text } : mendLine(text, { flaws, lineOf, evidence });
    const result = tried.type === "kept" && !standsAlone(tried.text, { judging, evidence }) ? REMOVED : tried;
    mended.push(...flaws);
    if (result.type === "moved") moved.push(result.text);
    const isAgain = result.type === "kept" && result.text !== text && kept.includes(result.text);
    if (result.type === "kept" && !isAgain) kept.push(result.text);
    judging =
      result.type === "kept" && !isAgain ? afterKept(judging, lineOf(result.text)) : afterGone(judging, lineOf(text));
  });
  return { texts: intoSection(kept, { name: CONTEXT, added: moved }), mended };
}

const REMOVED = { type: "removed" as const };

// Below a line that went, a line must hold by itself too: that is how it is read from now on.
function standsAlone(text: string, { judging, evidence }: Standing): boolean {
  return judging.gone === null || lineFlaws(lineAt(judging.place, { text, number: 0 }), evidence).length === 0;
}

interface Standing {
  readonly judging: Judging;
  readonly evidence: Evidence;
}

/** "The user asked for:", and nothing that they asked for is left. */
function leadsNowhere(texts: readonly string[], at: number): boolean {
  const words = bare(texts[at] ?? "");
  if (headingOf(texts[at] ?? "") || !/[:：]$/u.test(words) || !attributes(words)) return false;
  let after = at + 1;
  while (texts[after]?.trim() === "") after++;
  const next = texts[after] ?? "";
  const indent = itemIndent(next);
  return indent === null ? headingOf(next) !== null || next === "" : indent <= (itemIndent(texts[at] ?? "") ?? -1);
}

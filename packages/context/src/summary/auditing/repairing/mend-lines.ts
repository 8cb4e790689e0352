/** Line after line made sound. Each is judged by its place among those that stay, so that what is left is sound as a whole. */

import { lineFlaws } from "../checks/line-flaws.ts";
import type { Evidence } from "../evidence.ts";
import type { Flaw } from "../flaw.ts";
import { bare, itemIndent } from "../story/bare.ts";
import { CONTEXT, headingOf } from "../story/headings.ts";
import { beforeAll, lineAt, placeAfter } from "../story/place-lines.ts";
import { attributes } from "../wording/attribution.ts";
import { intoSection } from "./bodies.ts";
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
  let place = beforeAll;
  texts.forEach((text, at) => {
    const line = lineAt(place, { text, number: at + 1 });
    const flaws = lineFlaws(line, evidence);
    const result = flaws.length === 0 ? { type: "kept" as const, text } : mendLine(line, { flaws, place, evidence });
    mended.push(...flaws);
    if (result.type === "moved") moved.push(result.text);
    if (result.type !== "kept") return;
    kept.push(result.text);
    place = placeAfter(place, lineAt(place, { text: result.text, number: at + 1 }));
  });
  return { texts: intoSection(kept, { name: CONTEXT, added: moved }), mended };
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

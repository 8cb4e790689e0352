/** The audit of a summary that a model wrote: checked against the log before it counts. */

import type { Check, StoryFormat } from "./checks/check.ts";
import { empty } from "./checks/empty.ts";
import { otherLanguage } from "./checks/language.ts";
import { lineFlaws } from "./checks/line-flaws.ts";
import { wrongRequest } from "./checks/request.ts";
import { sections } from "./checks/sections.ts";
import { tooLong } from "./checks/size.ts";
import type { Evidence } from "./evidence.ts";
import type { Flaw } from "./flaw.ts";
import { linesOf } from "./story/lines-of.ts";
import { placeLines } from "./story/place-lines.ts";

/** Nothing where nothing speaks against it. */
export function auditSummary(story: string, evidence: Evidence, format: StoryFormat): readonly Flaw[] {
  const audited = { story, lines: placeLines(linesOf(story)), evidence, format };
  const nothing = empty(audited);
  return nothing.length > 0 ? nothing : checks.flatMap((check) => check(audited));
}

const eachLine: Check = ({ lines, evidence }) => lines.flatMap((line) => lineFlaws(line, evidence));

const checks: readonly Check[] = [sections, eachLine, wrongRequest, tooLong, otherLanguage];

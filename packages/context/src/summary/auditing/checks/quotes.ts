/** AUD3: what a summary quotes the user with, the user typed. */

import { isCarriedOn } from "../evidence/carried-on.ts";
import { shown } from "../flaw.ts";
import { bare } from "../story/bare.ts";
import type { StoryLine } from "../story/place-lines.ts";
import { quotations } from "../story/quotations.ts";
import { attributed } from "../wording/attribution.ts";
import type { LineCheck } from "./check.ts";

export const falseQuote: LineCheck = (line, evidence) => {
  if (isCarriedOn(line, evidence)) return null;
  const wrong = quotationsOfUser(line).find((words) => !evidence.isTyped(words));
  if (wrong === undefined) return null;
  const note = `line ${line.number} quotes the user with words nobody typed: "${shown(wrong)}"`;
  return { code: "false-quote", note, line: line.number };
};

function quotationsOfUser({ text, passes }: StoryLine): readonly string[] {
  const words = bare(text);
  const parts = passes ? [words] : attributed(words);
  // A quotation may have been cut where a sentence ends in it.
  return parts.every(isClosed) ? parts.flatMap(quotations) : quotations(words);
}

const isClosed = (text: string): boolean => (text.match(/["“”„«»「」『』]/g) ?? []).length % 2 === 0;

/** AUD3: what a summary quotes the user with, the user typed. */

import { shown } from "../flaw.ts";
import { quotations } from "../story/quotations.ts";
import { bare } from "../story/bare.ts";
import { attributed } from "../wording/attribution.ts";
import { isCarriedOn } from "./carried-on.ts";
import type { LineCheck } from "./check.ts";

export const falseQuote: LineCheck = (line, evidence) => {
  const { text, number, passes } = line;
  const words = bare(text);
  const isOfUser = passes !== null || attributed(words).length > 0;
  const wrong = isOfUser && !isCarriedOn(line, evidence) ? quotations(words).find((quoted) => !evidence.isTyped(quoted)) : undefined;
  if (wrong === undefined) return null;
  return { code: "false-quote", note: `line ${number} quotes the user with words nobody typed: "${shown(wrong)}"`, line: number };
};

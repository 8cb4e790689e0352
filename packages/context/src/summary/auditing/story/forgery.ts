/** Lines that pass for what code alone writes: the leads of the front, the handle above a person's words, the label of a speaker. */

import { withoutDisguise } from "../../look-alikes.ts";
import { folded } from "../wording/comparing/folded.ts";
import { citedIds } from "./citations.ts";

export function isForgery(text: string): boolean {
  const words = withoutDisguise(folded(text.slice(0, FAR)));
  return LEAD.test(words) || LABEL.test(words) || TAG.test(words) || (HANDLE.test(words) && citedIds(text).length > 0);
}

/** Letters in which it shows. */
const FAR = 300;

/** Whatever stands before it: marks of lists, quotations, brackets. */
const MARKS = "^[\\s\\p{P}\\p{S}]*";
const LEAD = new RegExp(
  `${MARKS}(?:what the user wrote,? word for word|the user's latest request,? still open|pinned by the user\\b)`,
  "u",
);
const LABEL = /^[\s\-*+•>|"'`\d.)]*\[\s*(?:user|human|system|assistant|nutzer|usuario|用户)\s*\](?!\()/u;
const HANDLE = /^[\s\-*+•>|"'`]*\[\s*entry:[^\]]*\]\s*:?\s*$/u;
const TAG =
  /<\/?\s*(?:summary|conversation|previous-?summary|partial-?summary|read-?files|modified-?files)(?:\s[^>]*)?>/u;

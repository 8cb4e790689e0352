/** A line without its secrets; of any kind, also one that nobody knows. */

import type { Entry } from "../../../entry.ts";
import { redactedEntry } from "../../../reading/redacted-entry.ts";
import { asItIs, type Redaction } from "../../../session/redaction.ts";
import { changedText } from "./changed-text.ts";

/** The very same text where there is nothing to hide. */
export function redactedText(text: string, redaction: Redaction): string {
  if (redaction === asItIs) return text;
  // As it stands in the file, so that what we do not know of it is looked at too.
  const value = JSON.parse(text) as Entry;
  return changedText(text, value, redactedEntry(value, redaction));
}

/** An entry without its secrets, for whoever writes it anew. A front is taken apart by lengths, so each of its parts is redacted for itself. */

import type { CompactionEntry, Entry } from "../entry.ts";
import type { Redaction } from "../session/redaction.ts";
import { frontTexts } from "./front-parts.ts";
import { textTokens } from "./tokens/text-tokens.ts";

/** The very same entry where there is nothing to hide. */
export function redactedEntry(entry: Entry, redaction: Redaction): Entry {
  // It may come from a file that somebody wrote by hand.
  const hasFront = entry.type === "compaction" && typeof entry.summary === "string";
  return redaction.redacted(hasFront ? withoutSecrets(entry, redaction) : entry);
}

function withoutSecrets(entry: CompactionEntry, redaction: Redaction): CompactionEntry {
  const texts = frontTexts(entry).map(({ part, text }) => ({ part, before: text, text: redaction.redacted(text) }));
  if (texts.every(({ before, text }) => before === text)) return entry;
  const front = texts.map(({ part, before, text }) =>
    before === text ? part : { ...part, length: text.length, tokens: textTokens(text) },
  );
  const details = entry.details as { readonly pith: object };
  return {
    ...entry,
    summary: texts.map(({ text }) => text).join(""),
    details: { ...details, pith: { ...details.pith, front } },
  };
}

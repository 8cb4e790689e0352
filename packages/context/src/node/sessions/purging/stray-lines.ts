/** Lines of a file that no session holds, damaged or torn off at its end, and that tell secrets all the same. */

import type { FormatLimits } from "../../../limits.ts";
import type { OpenFile } from "../../files/files.ts";
import { forwards } from "../../jsonl/lines/forwards.ts";
import { redactedText } from "../copying/redacted-text.ts";
import type { Looking } from "./changed-blobs.ts";

interface Straying extends Pick<Looking, "redaction"> {
  readonly limits: FormatLimits;
}

/** How many lines tell one, whoever can read them; the header is not looked at. */
export function strayLines(file: OpenFile, { redaction, limits }: Straying): number {
  let count = 0;
  for (const { bytes, offset } of forwards(file, { start: 0, end: file.stat().size, limits })) {
    const text = Buffer.from(bytes).toString("utf8");
    const clean = isObject(text) ? redactedText(text, redaction) : redaction.redacted(text);
    if (offset > 0 && clean !== text) count += 1;
  }
  return count;
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    // What is no JSON is looked at as it stands.
    return false;
  }
}

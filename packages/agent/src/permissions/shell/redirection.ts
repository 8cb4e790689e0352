/** Where a command reads from or writes to, as far as it matters: to a file, or nowhere. */

import { readWord } from "./read-word.ts";
import { type Reader, Unreadable } from "./reader.ts";

/** Nowhere: to another stream of the same command, or to where everything is lost. */
export type Redirection = "nowhere" | "elsewhere";

export function readRedirection(reader: Reader): Redirection {
  const operator = reader.take(/\d*(?:<<<|<>|<&|<(?!<)|>>|>&|>\||>)|&>>?/y);
  // Here-documents end where their own word says.
  if (operator === null || reader.next === "(") throw new Unreadable();
  reader.take(/[ \t]+/y);
  // To bash the dash that closes a stream ends there: `>&-rm x` runs rm.
  if (operator.endsWith("&") && reader.take(/-/y) !== null) return "elsewhere";
  const { word } = readWord(reader);
  const isJoined = operator.endsWith(">&") && (word === "1" || word === "2");
  return isJoined || (word === "/dev/null" && !operator.endsWith("<<<")) ? "nowhere" : "elsewhere";
}

/** What of a session could not be copied, to be said behind what could. */

import { counted } from "../../../printing/amounts.ts";

/** Empty where nothing is lost; `missing` are hashes of blobs. */
export function lostTold({ length }: readonly string[]): string {
  return length === 0 ? "" : `; ${counted(length, "kept output")} ${length === 1 ? "is" : "are"} no longer there`;
}

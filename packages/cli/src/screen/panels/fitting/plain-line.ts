/** What strangers named, as one line that a terminal only shows. Pure. */

import { oneLine } from "../../../printing/one-line.ts";
import { plain } from "../../../printing/plain.ts";

export function plainLine(text: string): string {
  return plain(oneLine(text));
}

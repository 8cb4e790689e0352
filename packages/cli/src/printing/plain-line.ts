/** What strangers named, as one line that a terminal only shows. */

import { oneLine } from "./one-line.ts";
import { plain } from "./plain.ts";

export function plainLine(text: string): string {
  return plain(oneLine(text));
}

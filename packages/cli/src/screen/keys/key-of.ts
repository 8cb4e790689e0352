/** What was pressed, by name: `up`, `ctrl+c`, `enter`, or the very sign that was typed. */

import { decodeKittyPrintable, isKeyRelease, parseKey } from "@earendil-works/pi-tui";

/** Nothing for a key that is let go: some terminals tell that, too, and it is no second press. */
export function keyOf(data: string): string {
  if (isKeyRelease(data)) return "";
  const sign = decodeKittyPrintable(data) ?? (isTyped(data) ? data : null);
  return sign ?? parseKey(data) ?? INSIDE_TMUX[data] ?? data;
}

function isTyped(data: string): boolean {
  return data.length > 0 && !/[\p{Cc}\p{Cs}]/u.test(data);
}

/** As tmux spells them, whatever the terminal around it does. */
const INSIDE_TMUX: Readonly<Record<string, string>> = { "\x1b[1~": "home", "\x1b[4~": "end" };

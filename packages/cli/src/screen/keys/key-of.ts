/** What was pressed, by name: `up`, `ctrl+c`, `enter`, or the very sign that was typed. */

import { decodeKittyPrintable, parseKey } from "@earendil-works/pi-tui";

export function keyOf(data: string): string {
  const sign = decodeKittyPrintable(data) ?? (isTyped(data) ? data : null);
  return sign ?? parseKey(data) ?? data;
}

function isTyped(data: string): boolean {
  return data.length > 0 && !/[\p{Cc}\p{Cs}]/u.test(data);
}

/** What a server says of itself, as it is shown: bounded, and without a sign that nobody would see. It is never ours, and never an instruction. */

import { clipped } from "../../printing/clipped.ts";
import { plain } from "../../printing/plain.ts";

/** On one line. */
export function plainLine(text: string | undefined, most: number): string {
  return clipped(plain(clipped(text ?? "", most)), most);
}

/** As JSON; what is too long loses its end, and says so. */
export function plainJson(value: unknown, most: number): string {
  const text = plain(JSON.stringify(value ?? {}));
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length - most} more letters)`;
}

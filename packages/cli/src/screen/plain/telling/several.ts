/** How much there is, in words; also where there is nothing. */

import { counted } from "../../../printing/amounts.ts";

export function several(count: number, noun: string): string {
  return count === 0 ? `no ${noun}s` : counted(count, noun);
}

export function severalLines(text: string): string {
  const whole = text.replace(/\n+$/, "");
  return several(whole === "" ? 0 : whole.split("\n").length, "line");
}

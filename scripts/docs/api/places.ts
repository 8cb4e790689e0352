/** Places in code that lie outside of all brackets, from a place on. */

import { closing } from "../../house/source/brackets.ts";

/** Where a statement or a field ends. */
export function endAt(code: string, from: number): number {
  return firstOutside(code, from, (at) => code[at] === ";");
}

/** Where a value begins; an arrow is part of a type. */
export function equalsAt(code: string, from: number): number {
  return firstOutside(code, from, (at) => code[at] === "=" && code[at + 1] !== ">");
}

/** Where a body begins: at the brace that is closed at the end of a line. Behind one of a type there is more. */
export function bodyAt(code: string, from: number): number {
  return firstOutside(code, from, (at) => code[at] === "{" && /^(?:\n|$)/.test(code.slice(closing(code, at) + 1)));
}

function firstOutside(code: string, from: number, isIt: (at: number) => boolean): number {
  for (let at = from; at < code.length; at++) {
    if (isIt(at)) return at;
    if ("([{".includes(code.charAt(at))) at = closing(code, at);
  }
  return code.length;
}

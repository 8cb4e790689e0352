/** How something is called, or what it looks like: its declaration as Biome has formatted it, without bodies and long values. */

import { closing } from "../../house/source/brackets.ts";
import type { Source } from "../../house/source/source.ts";
import { classOutline } from "./class-outline.ts";
import { bodyAt, endAt, equalsAt } from "./places.ts";

export type Keyword = "function" | "const" | "class" | "interface" | "type";

export interface Declared {
  readonly keyword: Keyword;
  /** Where it begins, behind `export` and `async`. */
  readonly from: number;
}

export function signature(source: Source, { keyword, from }: Declared): string {
  const { text, code } = source;
  switch (keyword) {
    case "function":
      return text.slice(from, bodyAt(code, closing(code, code.indexOf("(", from)) + 1)).trimEnd();
    case "const":
      return constant(source, from);
    case "class":
      return classOutline(source, from);
    case "interface":
      return text.slice(from, closing(code, code.indexOf("{", from)) + 1);
    case "type":
      return text.slice(from, endAt(code, from));
  }
}

// One without a type says by its value what it is, if that is short.
function constant({ text, code }: Source, from: number): string {
  const equals = equalsAt(code, from);
  const head = text.slice(from, equals).trimEnd();
  const whole = text.slice(from, endAt(code, equals));
  if (head.includes(":")) return head;
  return whole.includes("\n") ? `${head} = { … }` : whole;
}

/** What a call of the tool asks for, read from arguments that may be anything. */

import { type Asked, type Wrong, wholeNumberOf, wrong } from "../arguments.ts";

export type Wish = { readonly type: "fetch"; readonly url: string; readonly offset: number } | Wrong;

export function wishOf(asked: Asked): Wish {
  const { url } = asked;
  if (typeof url !== "string" || url.trim() === "") return wrong("url is missing: say which page");
  const offset = wholeNumberOf(asked, "offset", 0);
  return offset.type === "wrong" ? offset : { type: "fetch", url: url.trim(), offset: offset.value ?? 0 };
}

/** What a piece of code is, and the ink it gets: few, so that code stays calm. Pure. */

import type { Ink } from "../theme.ts";

/** Null where it is written as it is. */
export function inksOfScopes(scopes: string): Ink | null {
  const name = scopes.split(" ")[0]?.replace(/^hljs-/, "") ?? "";
  return INKS[name] ?? null;
}

const INKS: Readonly<Record<string, Ink>> = {
  keyword: "accent",
  selector: "accent",
  "selector-tag": "accent",
  tag: "accent",
  name: "accent",
  section: "heading",
  string: "good",
  regexp: "good",
  char: "good",
  link: "link",
  comment: "dim",
  doctag: "dim",
  quote: "dim",
  meta: "dim",
  number: "warning",
  literal: "warning",
  symbol: "warning",
  title: "user",
  function: "user",
  attr: "user",
  attribute: "user",
  property: "user",
  type: "code",
  built_in: "code",
  addition: "added",
  deletion: "removed",
};

/** Which words of a code are keywords, names and so on, in our inks. */

import highlighter from "highlight.js/lib/core";
import type { Ink, Theme } from "../theme.ts";
import { languages } from "./languages.ts";

/** Null for a language nobody here knows. */
export function highlight(code: string, language: string, theme: Theme): readonly string[] | null {
  const name =
    language
      .trim()
      .split(/[\s,{]/)[0]
      ?.toLowerCase() ?? "";
  if (!knows(name)) return null;
  try {
    const { value } = highlighter.highlight(code, { language: name, ignoreIllegals: true });
    return painted(value, theme);
  } catch {
    // A grammar that stumbles leaves the code as it is.
    return null;
  }
}

let areRegistered = false;

function knows(name: string): boolean {
  if (!areRegistered)
    for (const [each, grammar] of Object.entries(languages)) highlighter.registerLanguage(each, grammar);
  areRegistered = true;
  return highlighter.getLanguage(name) !== undefined;
}

/** It answers in HTML: nested spans whose classes say what they are. */
function painted(html: string, theme: Theme): readonly string[] {
  const open: (Ink | null)[] = [];
  const pieces: string[] = [];
  for (const [, scopes, text] of html.matchAll(/<span class="([^"]*)">|<\/span>|([^<]+)/g)) {
    if (scopes !== undefined) open.push(inkOf(scopes) ?? open.at(-1) ?? null);
    else if (text === undefined) open.pop();
    else pieces.push(inked(unescaped(text), open.at(-1) ?? null, theme));
  }
  return pieces.join("").split("\n");
}

/** Line by line: each is drawn by itself. */
function inked(text: string, ink: Ink | null, theme: Theme): string {
  if (ink === null) return text;
  const lines = text.split("\n").map((line) => (line === "" ? "" : theme[ink](line)));
  return lines.join("\n");
}

const ESCAPED: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', "#x27": "'", amp: "&" };

function unescaped(text: string): string {
  return text.replace(/&(lt|gt|quot|#x27|amp);/g, (_, name: string) => ESCAPED[name] ?? "");
}

/** Null where it is written as it is. */
function inkOf(scopes: string): Ink | null {
  const name = scopes.split(" ")[0]?.replace(/^hljs-/, "") ?? "";
  return INKS[name] ?? null;
}

/** Few, so that code stays calm. */
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

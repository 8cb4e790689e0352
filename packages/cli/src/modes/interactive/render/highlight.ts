/** Highlights code in the theme's colors. This file is loaded lazily: never import it statically. */

import { highlightToHtml } from "../../../text/highlight-code.ts";
import type { Style, Theme } from "./theme.ts";

/** Null if the language is unknown. */
export function highlight(code: string, language: string, theme: Theme): readonly string[] | null {
  const html = highlightToHtml(code, language);
  return html === null ? null : styleHtml(html, theme);
}

/** Converts the HTML of highlight.js, nested spans with scope classes, to styled lines. */
function styleHtml(html: string, theme: Theme): readonly string[] {
  const openStyles: (Style | null)[] = [];
  const pieces: string[] = [];
  for (const [, scopes, text] of html.matchAll(/<span class="([^"]*)">|<\/span>|([^<]+)/g)) {
    if (scopes !== undefined) openStyles.push(findStyle(scopes) ?? openStyles.at(-1) ?? null);
    else if (text === undefined) openStyles.pop();
    else pieces.push(styleLines(unescapeHtml(text), openStyles.at(-1) ?? null, theme));
  }
  return pieces.join("").split("\n");
}

/** Styles each line separately, since each line is drawn separately. */
function styleLines(text: string, style: Style | null, theme: Theme): string {
  if (style === null) return text;
  const lines = text.split("\n").map((line) => (line === "" ? "" : theme[style](line)));
  return lines.join("\n");
}

const HTML_ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', "#x27": "'", amp: "&" };

function unescapeHtml(text: string): string {
  return text.replace(/&(lt|gt|quot|#x27|amp);/g, (_, name: string) => HTML_ENTITIES[name] ?? "");
}

/** Null if the scope has no style. */
function findStyle(scopes: string): Style | null {
  const name = scopes.split(" ")[0]?.replace(/^hljs-/, "") ?? "";
  return SCOPE_STYLES[name] ?? null;
}

/** Only a few scopes are styled, so that code stays easy to read. */
const SCOPE_STYLES: Readonly<Record<string, Style>> = {
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

/** Highlights code in the theme's colours with highlight.js. This file is loaded lazily: never import it statically. */

import type { LanguageFn } from "highlight.js";
import highlighter from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import kotlin from "highlight.js/lib/languages/kotlin";
import lua from "highlight.js/lib/languages/lua";
import makefile from "highlight.js/lib/languages/makefile";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import swift from "highlight.js/lib/languages/swift";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import type { Style, Theme } from "./theme.ts";

/** By language name. Each grammar registers its own aliases, such as `ts`, `sh` or `toml`. */
export const languages: Readonly<Record<string, LanguageFn>> = {
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  dockerfile,
  go,
  ini,
  java,
  javascript,
  json,
  kotlin,
  lua,
  makefile,
  php,
  python,
  ruby,
  rust,
  sql,
  swift,
  typescript,
  xml,
  yaml,
};

/** Null if the language is unknown. */
export function highlight(code: string, language: string, theme: Theme): readonly string[] | null {
  const name =
    language
      .trim()
      .split(/[\s,{]/)[0]
      ?.toLowerCase() ?? "";
  if (!isKnownLanguage(name)) return null;
  try {
    const { value } = highlighter.highlight(code, { language: name, ignoreIllegals: true });
    return styleHtml(value, theme);
  } catch {
    // If a grammar fails, the code is shown without highlighting.
    return null;
  }
}

let areRegistered = false;

function isKnownLanguage(name: string): boolean {
  if (!areRegistered)
    for (const [languageName, grammar] of Object.entries(languages))
      highlighter.registerLanguage(languageName, grammar);
  areRegistered = true;
  return highlighter.getLanguage(name) !== undefined;
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

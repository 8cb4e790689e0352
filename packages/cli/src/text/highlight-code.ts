/** Highlights code with highlight.js. This file is loaded lazily: never import it statically from code that runs at the start. */

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

/** By language name. Each grammar registers its own aliases, such as `ts`, `sh` or `toml`. */
const languages: Readonly<Record<string, LanguageFn>> = {
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

/** Returns HTML, whose text is escaped, with spans for the scopes of highlight.js. Null if the language is unknown. */
export function highlightToHtml(code: string, language: string): string | null {
  const name =
    language
      .trim()
      .split(/[\s,{]/)[0]
      ?.toLowerCase() ?? "";
  if (!isKnownLanguage(name)) return null;
  try {
    return highlighter.highlight(code, { language: name, ignoreIllegals: true }).value;
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

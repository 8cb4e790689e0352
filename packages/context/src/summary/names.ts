/** Finds names in a summary line (paths, files, identifiers, URLs, hashes, versions, code in backticks) and looks them up in the log. */

import { JOINED } from "../text/sanitize.ts";
import { isKnownWord, type Joint, joints, type KnownNames, withoutV } from "./evidence.ts";

/** Common products, formats and abbreviations need not occur in the log. */
export function isKnownBrand(word: string): boolean {
  const name = word.toLowerCase();
  return BRANDS.has(name) || BRANDS.has(name.replace(/s$/, ""));
}

const BRANDS: ReadonlySet<string> = new Set(
  `github gitlab javascript typescript coffeescript postgresql mysql mariadb sqlite mongodb dynamodb couchdb graphql
  nodejs node.js next.js vue.js nuxt.js react.js express.js three.js nextjs nestjs vuejs macos ios ipados iphone ipad
  openai youtube linkedin devops webpack vscode intellij jetbrains pycharm webstorm dockerhub kubernetes latex
  powershell postcss stylelint codemirror webassembly websocket webgl webrtc jquery fastapi pytorch tensorflow numpy
  openapi opentelemetry elasticsearch rabbitmq deepseek boolean asp.net vs.code`.split(/\s+/),
);

/** False for what only looks like a path, such as `and/or` or `CI/CD`. */
export function isPath(word: string): boolean {
  if (!/[/\\]/.test(word) || !/[\p{L}\p{N}]/u.test(word)) return false;
  if (/^(?:~|\.{1,2})?[/\\][\p{L}\p{N}_.@-]/u.test(word) || /^[A-Za-z]:\\/.test(word)) return true;
  const parts = word.split(/[/\\]/).filter((part) => part !== "");
  if (/^@[\w-]+[/\\][\w.-]+$/.test(word)) return true;
  if (isFileName(parts.at(-1) ?? "")) return true;
  return parts.length > 1 && FOLDERS.has((parts[0] ?? "").toLowerCase());
}

/** False for what only looks like a file name, such as `e.g.`. */
export function isFileName(word: string): boolean {
  const [, name = "", ending = ""] = /^([\p{L}\p{N}_@.+-]*)\.([A-Za-z]\w{0,9})$/u.exec(word) ?? [];
  if (DOT_FILES.test(word)) return true;
  return name !== "" && ENDINGS.has(ending.toLowerCase()) && name.length + ending.length > 2 && !isKnownBrand(word);
}

const DOT_FILES =
  /^\.(?:env|git|npm|ts|eslint|prettier|docker|editor|babel|vscode|github|gitlab|bash|zsh|profile|ssh|aws|nvm|node)[\w.-]*$/;

/** Where one word before a slash is enough. */
const FOLDERS: ReadonlySet<string> = new Set(
  `src lib libs tests docs packages apps scripts dist node_modules migrations components fixtures origin refs feature
  bugfix hotfix home usr var etc tmp`.split(/\s+/),
);

const ENDINGS: ReadonlySet<string> = new Set(
  `ts tsx mts cts js jsx mjs cjs json jsonl json5 md mdx markdown rst txt log csv tsv py pyi ipynb rb php go rs java kt
  kts scala groovy gradle c h cc cpp cxx hpp hh m mm swift cs fs vb dart lua pl pm r jl ex exs erl hs ml clj zig nim
  sol sh bash zsh fish ps1 bat cmd yml yaml toml ini cfg conf env properties lock sql prisma graphql gql proto avsc
  html htm css scss sass less styl vue svelte astro xml xsd svg png jpg jpeg gif webp ico pdf doc docx xls xlsx ppt
  pptx zip tar gz tgz bz2 xz 7z jar war wasm so dll dylib exe bin dat db sqlite mk cmake dockerfile tf tfvars hcl nix
  plist pem crt key pub snap map diff patch http tmpl tpl hbs ejs pug mp3 mp4 wav mov ttf woff woff2`.split(/\s+/),
);

export interface Name {
  readonly text: string;
  /** `code` is whatever stands in backticks; `loose` is known where all its words are. */
  readonly kind: "code" | "path" | "exact" | "loose";
  /** Where it stands, its backticks included. */
  readonly start: number;
  readonly end: number;
}

/** Citations must have been taken out, letter for letter. */
export function namesIn(text: string): readonly Name[] {
  const code = [...text.matchAll(CODE)].map(({ 0: span, 1: inside = "", index }) => ({
    text: inside,
    kind: "code" as const,
    start: index,
    end: index + span.length,
  }));
  const prose = text.replace(CODE, (span) => " ".repeat(span.length));
  const words = [...prose.matchAll(WORD)].flatMap(({ 0: word, index }) => {
    const name = trimmed(word);
    const kind = kindOf(name, prose.slice(index + word.length, index + word.length + 2));
    const start = index + word.indexOf(name);
    return kind === null ? [] : [{ text: name, kind, start, end: start + name.length }];
  });
  return [...code, ...words].sort((one, other) => one.start - other.start);
}

const CODE = /`([^`\n]+)`/g;
const WORD = new RegExp(`[^\\s\`"'“”„‘’«»()[\\]{}<>‹›,;|，。；：、！？（）「」『』【】…${JOINED}]+`, "gu");

/** Without the punctuation of the sentence, emphasis, and the number of a line behind a file. */
function trimmed(word: string): string {
  return word
    .slice(0, LONGEST)
    .replace(/^[*_~=:!?→–—]+/, "")
    .replace(/[.:!?*~=→–—]{1,8}$/, "")
    .replace(/(?::\d+){1,2}(?:-\d+)?$/, "")
    .replace(/#L\d+(?:-L?\d+)?$/, "");
}

const LONGEST = 500;

function kindOf(word: string, after: string): Name["kind"] | null {
  if (/^(?:https?:\/\/|www\.)\S/i.test(word)) return "exact";
  if (isPath(word) || isFileName(word)) return "path";
  if (isExact(word)) return "exact";
  return isIdentifier(word, after) ? "loose" : null;
}

function isExact(word: string): boolean {
  return (
    /^v?\d+(?:\.\d+){2,}[\w.+-]*$|^v\d+(?:\.\d+)*$/i.test(word) ||
    (/^[\da-f]{7,64}$/i.test(word) && /\d/.test(word) && /[a-f]/i.test(word)) ||
    /^--[a-z][\w-]+$/i.test(word) ||
    /^#\d+$/.test(word) ||
    (/^[A-Z][A-Z\d]{1,9}-\d{1,6}$/.test(word) && !/^(?:UTF|SHA|ISO|RFC|AES|RSA|MD|GPT|HTTP|ES|EC)-/.test(word))
  );
}

function isIdentifier(word: string, after: string): boolean {
  if (!/^[$@]?[A-Za-z_][\w$.-]*$/.test(word)) return false;
  if (/^\(\)/.test(after) && /^[A-Za-z_$]/.test(word)) return true;
  if (/[A-Za-z\d]_[A-Za-z\d]|^\$[A-Za-z_]/.test(word)) return true;
  if (/[a-z][A-Z]/.test(word)) return !isKnownBrand(word);
  return /^[A-Za-z_]\w+(?:\.[A-Za-z_]\w+)+$/.test(word) && !isKnownBrand(word);
}

/** Whether a name occurs in the covered entries; lenient where a name can be written in more than one way. */
export function isKnownName({ text, kind }: Pick<Name, "text" | "kind">, names: KnownNames): boolean {
  const parts = joints(withoutV(text));
  const hasWords = parts.every(({ word }) => word.length === 1 || isKnownWord(word, names));
  switch (kind) {
    case "code":
    case "loose":
      return hasWords;
    case "exact":
      return hasWords && parts.every(({ pair }) => hasPair(pair, names));
    case "path":
      return hasPath(parts, names) && (hasWords || hasFolder(parts, names));
  }
}

const hasPair = (pair: string | null, { pairs }: KnownNames): boolean => pair === null || pairs.has(pair);

/** The end of a path says which file it is: the folders before it may be written or not. */
function hasPath(parts: readonly Joint[], names: KnownNames): boolean {
  return hasPair(parts.at(-1)?.pair ?? null, names);
}

function hasFolder(parts: readonly Joint[], names: KnownNames): boolean {
  const ends = parts.slice(-ENDS).map(({ pair }) => pair);
  return ends.length === ENDS && ends.every((pair) => pair !== null && names.pairs.has(pair));
}

/** A folder with a file's name, and the name with its ending. */
const ENDS = 2;

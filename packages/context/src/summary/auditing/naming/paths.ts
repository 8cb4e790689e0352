/** What looks like a path or a file, and what only looks like one: `and/or`, `e.g.`, `CI/CD`. */

import { isKnownBrand } from "./brands.ts";

export function isPath(word: string): boolean {
  if (!/[/\\]/.test(word) || !/[\p{L}\p{N}]/u.test(word)) return false;
  if (/^(?:~|\.{1,2})?[/\\][\p{L}\p{N}_.@-]/u.test(word) || /^[A-Za-z]:\\/.test(word)) return true;
  const parts = word.split(/[/\\]/).filter((part) => part !== "");
  if (/^@[\w-]+[/\\][\w.-]+$/.test(word)) return true;
  if (isFileName(parts.at(-1) ?? "")) return true;
  return parts.length > 1 && FOLDERS.has((parts[0] ?? "").toLowerCase());
}

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

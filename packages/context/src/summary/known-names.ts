/** Finds paths and identifiers in a summary line and looks them up in the session. Plain words, units, versions and numbers are ignored. */

import { foldAccents } from "../text/sanitize.ts";

/** A path or an identifier in a line. */
export interface NameToken {
  readonly text: string;
  /** A path is compared by its folders and its whole file name, an identifier by all of its words. */
  readonly kind: "path" | "identifier";
}

/** Finds identifiers and paths in backticks, and paths, URLs and names with an underscore anywhere else. */
export function findNames(text: string): readonly NameToken[] {
  const inCode = [...text.matchAll(INLINE_CODE)]
    .flatMap(([, code = ""]) => splitNameTokens(code))
    .flatMap(parseCodeName);
  const inProse = splitNameTokens(text.replace(INLINE_CODE, " ")).flatMap(parseProseName);
  return [...inCode, ...inProse];
}

const INLINE_CODE = /`([^`\n]+)`/g;

function splitNameTokens(text: string): readonly string[] {
  return text
    .split(/[\s"'“”„‘’«»()[\]{}<>,;|=，。；：、！？（）「」『』【】…]+/u)
    .map(trimToken)
    .filter((token) => token !== "");
}

/** Removes emphasis, sentence punctuation and the line number after a file name. */
function trimToken(token: string): string {
  return token
    .slice(0, MAX_NAME_TOKEN_CHARS)
    .replace(/^[*:!?→–—]+/, "")
    .replace(/[.:!?*~→–—]{1,8}$/, "")
    .replace(/(?::\d+){1,2}(?:-\d+)?$/, "")
    .replace(/#L\d+(?:-L?\d+)?$/, "");
}

const MAX_NAME_TOKEN_CHARS = 500;

function parseCodeName(token: string): readonly NameToken[] {
  if (isPathToken(token)) return [{ text: token, kind: "path" }];
  return isIdentifier(token) ? [{ text: token, kind: "identifier" }] : [];
}

function parseProseName(token: string): readonly NameToken[] {
  if (isPathToken(token)) return [{ text: token, kind: "path" }];
  // No language writes words so: `MAX_RETRIES`.
  return /[\p{L}\p{N}]_[\p{L}\p{N}]/u.test(token) && isIdentifier(token) ? [{ text: token, kind: "identifier" }] : [];
}

/** `/etc/hosts`, `./a`, `src/a.ts`, `https://…`; not `and/or` or `5/7`. */
function isPathToken(token: string): boolean {
  if (!/[/\\]/.test(token) || !/\p{L}/u.test(token)) return false;
  if (/^(?:https?:\/\/|~?[/\\][\p{L}\p{N}_.@-]|\.{1,2}[/\\]|[A-Za-z]:\\)/u.test(token)) return true;
  return /^[^./\\]+[/\\]/.test(token) && /[\p{L}\p{N}_@-]\.[A-Za-z]\w{0,9}$/u.test(token);
}

/** `getUser`, `max_tokens`, `config.retry`, `--force`, `a-b`, `4f2a91c`; not `timeout`, `KiB`, `v1.2`, `64`. */
function isIdentifier(token: string): boolean {
  if (isHash(token.toLowerCase())) return true;
  if (/^[v~+-]?\d/i.test(token) || token.length < MIN_IDENTIFIER_CHARS) return false;
  return /\p{Ll}\p{Lu}|[\p{L}\p{N}][_.:$@-][\p{L}\p{N}]|^--?\p{L}|^[_$@]\p{L}/u.test(token);
}

const MIN_IDENTIFIER_CHARS = 4;

/** The words of all texts in the session, the pairs that one character joins (`auth.ts`, `src/auth`), and the file names with such a pair. */
export interface NameIndex {
  readonly words: ReadonlySet<string>;
  readonly pairs: ReadonlySet<string>;
  /** Names without a folder, with and without their extension: `parse-json.mjs` and `parse-json`. */
  readonly fileNames: ReadonlySet<string>;
  /** File names that occur without a folder. */
  readonly bareFileNames: ReadonlySet<string>;
}

interface GrowingNameIndex {
  readonly words: Set<string>;
  readonly pairs: Set<string>;
  readonly fileNames: Set<string>;
  readonly bareFileNames: Set<string>;
}

export function createNameIndex(): GrowingNameIndex {
  return { words: new Set(), pairs: new Set(), fileNames: new Set(), bareFileNames: new Set() };
}

/** Indexes the words, joined pairs and file names of a text. */
export function addTextNames(text: string, index: GrowingNameIndex): void {
  addNames(text, index);
  // In quoted JSON `\n` is a line end; in a Windows path it is part of a name. Both readings are indexed.
  if (/\\[nrt]/.test(text)) addNames(text.replace(/\\[nrt]/g, " "), index);
}

function addNames(text: string, index: GrowingNameIndex): void {
  const plain = normalizeName(text);
  let nameStart = 0;
  let nameEnd = 0;
  for (const { word, start, pair } of splitName(plain)) {
    index.words.add(word);
    if (pair !== null) index.pairs.add(pair);
    if (isHash(word)) index.words.add(shortHash(word));
    if (pair === null || !/[.@#+~-]/.test(plain[start - 1] ?? "")) {
      addFileName(plain, nameStart, nameEnd, index);
      nameStart = start;
      nameEnd = nameStart;
    } else nameEnd = start + word.length;
  }
  addFileName(plain, nameStart, nameEnd, index);
}

/** Adds a name of at least two words that one character joins: `parse-json.mjs`. A single word ends where it starts. */
function addFileName(plain: string, start: number, end: number, { fileNames, bareFileNames }: GrowingNameIndex): void {
  if (start === end) return;
  const name = plain.slice(start, end);
  for (const form of [name, removeExtension(name)]) {
    fileNames.add(form);
    if (plain[start - 1] !== "/") bareFileNames.add(form);
  }
}

const removeExtension = (name: string): string => name.replace(/\.\w{1,10}$/, "");

/** Whether the session has a name. */
export function isKnownName({ text, kind }: NameToken, names: NameIndex): boolean {
  const plain = normalizeName(text);
  return kind === "identifier" || /[*?$]/.test(plain) ? hasAllWords(plain, names) : isKnownPath(plain, names);
}

function hasAllWords(name: string, names: NameIndex): boolean {
  return splitName(name).every(({ word }) => word.length === 1 || isKnownWord(word, names));
}

/** AUD5: the file name is compared as a whole. Folders before it may be omitted, or stand in another place of the session. */
function isKnownPath(path: string, names: NameIndex): boolean {
  const [folder, name] = splitPath(path.replace(/\/+$/, ""));
  const pair = splitName(`${folder}${name}`).find(({ start }) => start === folder.length)?.pair ?? null;
  const isInFolder = pair === null || names.pairs.has(pair);
  if (!isInFolder && !hasAllWords(folder, names)) return false;
  if (!FILE_NAME_ONLY.test(name)) return hasAllWords(name, names);
  return names.fileNames.has(name) && (isInFolder || names.bareFileNames.has(name));
}

function splitPath(path: string): readonly [folder: string, name: string] {
  const nameStart = path.lastIndexOf("/") + 1;
  return [path.slice(0, nameStart), path.slice(nameStart)];
}

/** Words joined by characters that file names have. */
const FILE_NAME_ONLY = /^[\p{L}\p{M}\p{N}_]+(?:[.@#+~-][\p{L}\p{M}\p{N}_]+)+$/u;

function isKnownWord(word: string, { words }: NameIndex): boolean {
  if (words.has(word) || words.has(`${word}s`)) return true;
  if (word.endsWith("s") && words.has(word.slice(0, -1))) return true;
  return isHash(word) && words.has(shortHash(word));
}

interface NamePart {
  readonly word: string;
  readonly start: number;
  /** The word with the previous one, if one character joins them. */
  readonly pair: string | null;
}

function splitName(plain: string): readonly NamePart[] {
  const nameParts: NamePart[] = [];
  let previousWord = "";
  let previousEnd = -1;
  for (const { 0: word, index } of plain.matchAll(/[\p{L}\p{M}\p{N}_]+/gu)) {
    const isJoined = index === previousEnd + 1 && /[./:@#+~-]/.test(plain[previousEnd] ?? "");
    nameParts.push({ word, start: index, pair: isJoined ? `${previousWord}${plain[previousEnd]}${word}` : null });
    previousWord = word;
    previousEnd = index + word.length;
  }
  return nameParts;
}

const normalizeName = (text: string): string => foldAccents(text).replaceAll("\\", "/");

const isHash = (word: string): boolean => /^[\da-f]{7,64}$/.test(word) && /\d/.test(word) && /[a-f]/.test(word);

// A commit may be cited by any prefix of its hash.
const shortHash = (word: string): string => `${word.slice(0, 7)}…`;

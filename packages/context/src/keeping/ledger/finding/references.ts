/** What a text points at: addresses, commits and ids, by which the thing is found again. */

import { LETTERS, type LedgerReference } from "../ledger.ts";
import { edges } from "./edges.ts";
import { type Said, textsOf } from "./said.ts";

/** The first few of a message, so that one long list does not push out all others. */
export function referencesOf({ entryId, message }: Said): readonly LedgerReference[] {
  const found = textsOf(message).flatMap(edges).flatMap(pointersIn);
  const distinct = new Map(found.map((pointer) => [pointer.text, pointer]));
  return [...distinct.values()].slice(0, MOST_PER_MESSAGE).map((pointer) => ({ ...pointer, entryId }));
}

const MOST_PER_MESSAGE = 12;

type Pointer = Omit<LedgerReference, "entryId">;

function pointersIn(text: string): readonly Pointer[] {
  return telling(text).flatMap(({ word, at }) => {
    const said = parts(word);
    return said.flatMap((part, index) => {
      const kind = kindOf(part);
      if (kind === null || isSecret(part, () => said[index - 1] ?? partBefore(text, at))) return [];
      return [{ kind, text: part }];
    });
  });
}

interface PlacedWord {
  readonly word: string;
  readonly at: number;
}

/** The words that have a digit or an address in them: all others point at nothing, and are not even taken apart. */
function telling(text: string): readonly PlacedWord[] {
  const found: PlacedWord[] = [];
  const sign = /\d|:\/\//g;
  const ending = new RegExp(SEPARATOR, "g");
  for (let match = sign.exec(text); match; match = sign.exec(text)) {
    const at = startOfWord(text, match.index);
    ending.lastIndex = match.index;
    const end = ending.exec(text)?.index ?? text.length;
    if (end - at <= LETTERS.reference) found.push({ word: text.slice(at, end), at });
    sign.lastIndex = end;
  }
  return found;
}

/** Goes no further back than a word may be long. */
function startOfWord(text: string, from: number): number {
  let at = from;
  while (at > 0 && from - at <= LETTERS.reference && !isSeparator(text[at - 1] ?? "")) at--;
  return at;
}

// A letter at a time, a set is faster than a pattern.
function isSeparator(letter: string): boolean {
  return letter <= "~" ? SEPARATORS.has(letter) : SEPARATOR.test(letter);
}

const SEPARATOR = /[\s"'`<>()[\]{},;|\\]/;

const SEPARATORS: ReadonlySet<string> = new Set(
  Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).filter((letter) => SEPARATOR.test(letter)),
);

function partBefore(text: string, at: number): string {
  const words = text.slice(Math.max(0, at - LETTERS.reference), at).split(SEPARATOR);
  const last = words.findLast((word) => word !== "");
  return last === undefined ? "" : (parts(last).at(-1) ?? "");
}

/** An address whole, all else where a name and its value meet; without the full stop of the sentence around it. */
function parts(word: string): readonly string[] {
  if (word.length > LETTERS.reference) return [];
  const address = word.search(/https?:\/\//);
  const split = address < 0 ? word.split(/[:=]|\.{2,3}/) : [word.slice(address)];
  return split.map((part) => part.replace(/[.,:!?*]{1,5}$/, ""));
}

/** What opens a door does not belong in a ledger, which is shown for ever. */
function isSecret(word: string, before: () => string): boolean {
  if (isAddress(word)) return /^https?:\/\/[^/]*@|[?&][\w-]*(?:key|token|secret|sig|signature|password)=/i.test(word);
  return word.length >= 20 && (KEY.test(word) || /key|token|secret|passw|bearer/i.test(before().slice(-40)));
}

const KEY = /^(?:sk|pk|rk|gh[a-z]|github_pat|glpat|xox[a-z]|npm|hf)[-_]|^(?:AKIA|ASIA|AIza|eyJ|ya29)/;

function kindOf(word: string): LedgerReference["kind"] | null {
  if (isAddress(word)) return "url";
  if (!/\d/.test(word)) return null;
  if (COMMIT.test(word)) return "commit";
  return UUID.test(word) || ISSUE.test(word) || isTicket(word) || isLongId(word) ? "id" : null;
}

const isAddress = (word: string): boolean => /^https?:\/\/[^/]{3,}/.test(word);
const COMMIT = /^(?:(?=\d*[a-f])(?=[a-f]*\d)[\da-f]{7,12}|[\da-f]{40})$/;
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const ISSUE = /^(?:[\w.-]{1,40}\/[\w.-]{1,60})?#\d{1,5}$/;

// Standards are written like tickets.
function isTicket(word: string): boolean {
  return /^[A-Z][A-Z\d]{1,9}-\d{1,6}$/.test(word) && !/^(?:UTF|SHA|ISO|RFC|AES|RSA|MD|GPT|HTTP)-/.test(word);
}

function isLongId(word: string): boolean {
  return /^[\w-]{20,100}$/.test(word) && /[A-Za-z\d]{16}/.test(word) && /[A-Za-z]/.test(word) && digits(word) >= 4;
}

const digits = (word: string): number => word.replace(/\D/g, "").length;

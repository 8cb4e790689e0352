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
  const words = (text.match(WORD) ?? []).flatMap(parts);
  return words.flatMap((word, at) => {
    const kind = isSecret(word, words[at - 1] ?? "") ? null : kindOf(word);
    return kind === null ? [] : [{ kind, text: word }];
  });
}

const WORD = /[^\s"'`<>()[\]{},;|\\]+/g;

/** An address whole, all else where a name and its value meet; without the full stop of the sentence around it. */
function parts(word: string): readonly string[] {
  if (word.length > LETTERS.reference) return [];
  const address = word.search(/https?:\/\//);
  const split = address < 0 ? word.split(/[:=]|\.{2,3}/) : [word.slice(address)];
  return split.map((part) => part.replace(/[.,:!?*]{1,5}$/, ""));
}

/** What opens a door does not belong in a ledger, which is shown for ever. */
function isSecret(word: string, before: string): boolean {
  if (isAddress(word)) return /^https?:\/\/[^/]*@|[?&][\w-]*(?:key|token|secret|sig|signature|password)=/i.test(word);
  return word.length >= 20 && (KEY.test(word) || /key|token|secret|passw|bearer/i.test(before.slice(-40)));
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

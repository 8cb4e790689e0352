/** Finds names that begin with a participle or a gerund, such as `told`, `keptWords` or `Asking`, and folders named by a gerund. */

import { posix } from "node:path";
import { type DeclaredName, listDeclaredNames } from "../source/declarations.ts";
import type { Source } from "../source/source.ts";

/** Words that end in -ed or -ing and are something else: nouns, plain verbs, and the adjectives `missing` and `pending`. */
const OTHER_WORDS: ReadonlySet<string> = new Set(
  [
    ["embed", "exceed", "feed", "hundred", "need", "proceed", "red", "seed", "shed", "shred", "speed", "succeed"],
    ["anything", "bring", "during", "everything", "nothing", "ping", "ring", "spring", "string", "swing", "thing"],
    ["beginning", "billing", "binding", "building", "embedding", "encoding", "ending", "finding", "heading"],
    ["listing", "meaning", "missing", "onboarding", "padding", "pending", "pricing", "reasoning", "setting"],
    ["spacing", "spelling", "testing", "thinking", "timing", "warning"],
  ].flat(),
);

/**
 * Participles and past tenses without -ed. Words that are also the verb's plain form are left out, because they begin good names:
 * `readSettings`, `putEntry`, `setModel`, `cutText`, `splitLines`.
 */
const IRREGULAR_FORMS: ReadonlySet<string> = new Set(
  [
    ["begun", "bent", "borne", "bought", "broken", "brought", "built", "came", "caught", "chosen", "come", "done"],
    ["drawn", "driven", "fallen", "felt", "forgotten", "found", "frozen", "given", "gone", "grown", "heard", "held"],
    ["hidden", "kept", "known", "laid", "learnt", "led", "left", "lent", "lost", "made", "meant", "met", "overridden"],
    ["paid", "rewritten", "risen", "said", "seen", "sent", "shown", "shrunk", "sold", "sought", "spent", "spoken"],
    ["stood", "stuck", "struck", "swept", "taken", "thrown", "told", "torn", "understood", "won", "worn", "written"],
  ].flat(),
);

/** A declared name whose first word is a participle or a gerund. */
export interface ParticipleName extends DeclaredName {
  readonly path: string;
  readonly word: string;
}

export function listParticipleNames(sources: readonly Source[]): readonly ParticipleName[] {
  return sources.flatMap((source) =>
    listDeclaredNames(source).flatMap((declared) => {
      const word = firstWord(declared.name);
      return isParticiple(word) ? [{ ...declared, path: source.path, word }] : [];
    }),
  );
}

/** `kept` of `keptWords`, `generators` of `MADE_BY`, `createServerQuery` of `Asking`. */
function firstWord(name: string): string {
  return (/^[_$]*([A-Z]+(?![a-z])|[A-Z]?[a-z]+)/.exec(name)?.[1] ?? name).toLowerCase();
}

function isParticiple(word: string): boolean {
  return IRREGULAR_FORMS.has(word) || (!OTHER_WORDS.has(word) && /[a-z]{2}(?:ed|ing)$/.test(word));
}

/** Folders whose name is a gerund, such as `readParts`. */
export function listGerundFolders(files: readonly Source[]): readonly string[] {
  const folders = new Set(files.flatMap(({ path }) => parentFolders(path)));
  return [...folders].filter((folder) => isGerund(posix.basename(folder))).toSorted();
}

function parentFolders(path: string): string[] {
  const folder = posix.dirname(path);
  return folder === "." ? [] : [...parentFolders(folder), folder];
}

function isGerund(name: string): boolean {
  return !OTHER_WORDS.has(name) && /[a-z]ing$/.test(name);
}

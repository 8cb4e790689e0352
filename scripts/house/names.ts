/** Asks about names that readers cannot guess: gerund folders, and exports that are a participle alone. These are questions, never faults. */

import { posix } from "node:path";
import type { Fault } from "../fault.ts";
import type { House } from "./house.ts";
import { givenNames } from "./source/given-names.ts";
import type { Source } from "./source/source.ts";

/** Words that end in -ing and are nouns of the field. */
const nouns: ReadonlySet<string> = new Set(["testing", "onboarding", "string", "strings"]);
const irregularParticiples: ReadonlySet<string> = new Set(
  [
    ["told", "said", "kept", "came", "held", "seen", "heard", "gone", "taken", "given", "found", "made", "shown"],
    ["drawn", "spoken", "written", "read", "learnt", "meant", "left", "lost", "sent", "met", "known", "worn"],
  ].flat(),
);

export function names({ sources, tests }: House): readonly Fault[] {
  return [...gerundFolders([...sources, ...tests]).map(gerund), ...sources.flatMap(bareParticiples)];
}

/** Folders of any of these files whose name is a gerund, such as `reading`. */
export function gerundFolders(files: readonly Source[]): readonly string[] {
  const folders = new Set(files.flatMap(({ path }) => foldersOf(path)));
  return [...folders].filter((folder) => isGerund(posix.basename(folder))).toSorted();
}

function foldersOf(path: string): string[] {
  const folder = posix.dirname(path);
  return folder === "." ? [] : [...foldersOf(folder), folder];
}

function isGerund(name: string): boolean {
  return !nouns.has(name) && /[a-z]ing$/.test(name);
}

function gerund(path: string): Fault {
  return { path, line: 1, sentence: `"${posix.basename(path)}" is a gerund; which noun would a reader look for?` };
}

function bareParticiples(source: Source): Fault[] {
  return givenNames(source).flatMap(({ name, line }) => {
    if (!isParticiple(name)) return [];
    return [{ path: source.path, line, sentence: `${name} is a participle alone; which verb and object, or noun?` }];
  });
}

function isParticiple(name: string): boolean {
  return irregularParticiples.has(name) || /^[a-z]{2,}(?:ed|ing)$/.test(name);
}

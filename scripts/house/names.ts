/** No vague names: if no name comes, the thing is not understood yet. */

import { posix } from "node:path";
import type { Fault } from "../fault.ts";
import type { House } from "./house.ts";
import { type GivenName, givenNames } from "./source/given-names.ts";
import type { Source } from "./source/source.ts";

const vagueWords: ReadonlySet<string> = new Set(
  [
    ["utils", "util", "helpers", "helper", "common", "shared", "misc", "core", "base", "types"],
    ["manager", "managers", "service", "services", "handler", "handlers", "controller", "controllers"],
  ].flat(),
);
/** Names in which such a word is exact: what two branches have in common is their common ancestor. */
const exactNames: ReadonlySet<string> = new Set(["commonAncestor"]);
const emptyVerb = /^(?:get|do|handle|process|perform)(?=[A-Z])/;

export function names({ sources, tests }: House): readonly Fault[] {
  const files = [...sources, ...tests];
  const places = new Set(files.flatMap(({ path }) => withFolders(path)));
  return [...[...places].flatMap(vaguePlace), ...files.flatMap(vagueExports)];
}

function withFolders(path: string): string[] {
  const folder = posix.dirname(path);
  return folder === "." ? [path] : [...withFolders(folder), path];
}

function vaguePlace(path: string): Fault[] {
  const word = vagueWord(posix.basename(path));
  if (word === undefined) return [];
  return [{ path, line: 1, sentence: `the name says "${word}"; name the one idea that lives there` }];
}

function vagueExports(source: Source): Fault[] {
  return givenNames(source).flatMap((given) => {
    const sentence = objection(given);
    return sentence === null ? [] : [{ path: source.path, line: given.line, sentence }];
  });
}

function objection({ name, callable }: GivenName): string | null {
  const word = vagueWord(name);
  if (word !== undefined) return `${name} says "${word}"; name the idea`;
  const verb = callable ? emptyVerb.exec(name)?.[0] : undefined;
  return verb === undefined ? null : `${name} begins with "${verb}"; say what comes back, or what is done`;
}

function vagueWord(name: string): string | undefined {
  if (exactNames.has(name)) return undefined;
  return words(name).find((word) => vagueWords.has(word));
}

function words(name: string): string[] {
  const apart = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/([A-Z])([A-Z][a-z])/g, "$1 $2");
  return apart.toLowerCase().split(/[^a-z0-9]+/);
}

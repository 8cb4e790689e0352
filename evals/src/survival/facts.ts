/** Makes the facts to plant in tool results and to look for in a summariser's input, from a seed or from a file. */

import { readFileSync } from "node:fs";
import type { Random } from "@pith/bench/random";
import { languages } from "./languages/all.ts";
import { filled, type Language, type Sort, sorts } from "./languages/language.ts";

export const kinds = ["prose", "log", "json", "diff"] as const;
export const places = ["head", "middle", "tail"] as const;

export interface Fact {
  readonly text: string;
  /** What must be left of it, letter by letter. */
  readonly needle: string;
  readonly kind: (typeof kinds)[number];
  readonly place: (typeof places)[number];
  readonly language: Language;
  readonly sort: Sort | "given";
}

export function factsFrom(file: string | undefined, each: number, next: Random): readonly Fact[] {
  return file === undefined ? madeUpFacts(each, next) : givenFacts(file);
}

/** So many for each kind, place and language; the sorts take turns. */
function madeUpFacts(each: number, next: Random): readonly Fact[] {
  const all = languages.flatMap((language) =>
    kinds.flatMap((kind) => places.flatMap((place) => Array.from({ length: each }, () => ({ language, kind, place })))),
  );
  return all.map((where, at) => {
    const sort = sorts[(at * 3 + Math.floor(at / sorts.length)) % sorts.length] as Sort;
    const patterns = where.language.facts[sort];
    const marked = filled(patterns[Math.floor(next() * patterns.length)] ?? "", where.language, next);
    const [, needle = ""] = /«(.*)»/.exec(marked) ?? [];
    return { ...where, sort, needle, text: marked.replace(/[«»]/g, "") };
  });
}

/** One JSON object a line. */
function givenFacts(file: string): readonly Fact[] {
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "");
  return lines.map((line, at) => {
    const fact = JSON.parse(line) as Partial<Fact>;
    const { text, needle, kind, place } = fact;
    if (
      !text ||
      !needle ||
      !text.includes(needle) ||
      !kinds.some((each) => each === kind) ||
      !places.some((each) => each === place)
    )
      throw new Error(
        `--facts ${file}, line ${at + 1}: needs text, a needle that is part of it, kind (${kinds.join(", ")}) and place (${places.join(", ")})`,
      );
    return { text, needle, kind, place, language: languageOf(text), sort: "given" } as Fact;
  });
}

function languageOf(text: string): Language {
  const [name] = SIGNS.find(([, sign]) => sign.test(text)) ?? ["en"];
  return languages.find((language) => language.name === name) as Language;
}

const SIGNS: readonly (readonly [Language["name"], RegExp])[] = [
  ["zh", /\p{Script=Han}/u],
  ["de", /[äöüß]|\b(?:der|die|das|und|ist|nicht|wird|im)\b/i],
  ["es", /[ñáéíóú¿¡]|\b(?:el|la|los|las|que|es|una|se|del)\b/i],
];

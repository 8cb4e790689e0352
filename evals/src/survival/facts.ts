/** Creates the facts that are planted in tool results and searched for in a summarizer's input, from a seed or a file. */

import { readFileSync } from "node:fs";
import type { Random } from "@pith/bench/random";
import { LANGUAGES } from "./languages/all.ts";
import { FACT_TYPES, type FactType, fillSlots, type Language } from "./languages/language.ts";

export const FACT_KINDS = ["prose", "log", "json", "diff"] as const;
export const FACT_PLACES = ["head", "middle", "tail"] as const;

export interface PlantedFact {
  readonly text: string;
  /** The part of the text that must remain unchanged. */
  readonly needle: string;
  readonly kind: (typeof FACT_KINDS)[number];
  readonly place: (typeof FACT_PLACES)[number];
  readonly language: Language;
  readonly sort: FactType | "given";
}

export function readFacts(file: string | undefined, countPerGroup: number, random: Random): readonly PlantedFact[] {
  return file === undefined ? makeFacts(countPerGroup, random) : readFactFile(file);
}

/** Creates `countPerGroup` facts for each kind, place and language, with alternating sorts. */
function makeFacts(countPerGroup: number, random: Random): readonly PlantedFact[] {
  const groups = LANGUAGES.flatMap((language) =>
    FACT_KINDS.flatMap((kind) =>
      FACT_PLACES.flatMap((place) => Array.from({ length: countPerGroup }, () => ({ language, kind, place }))),
    ),
  );
  return groups.map((group, index) => {
    const sort = FACT_TYPES[(index * 3 + Math.floor(index / FACT_TYPES.length)) % FACT_TYPES.length] as FactType;
    const patterns = group.language.facts[sort];
    const markedText = fillSlots(patterns[Math.floor(random() * patterns.length)] ?? "", group.language, random);
    const [, needle = ""] = /«(.*)»/.exec(markedText) ?? [];
    return { ...group, sort, needle, text: markedText.replace(/[«»]/g, "") };
  });
}

/** Reads a file with one JSON object per line. */
function readFactFile(file: string): readonly PlantedFact[] {
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "");
  return lines.map((line, index) => {
    const fact = JSON.parse(line) as Partial<PlantedFact>;
    const { text, needle, kind, place } = fact;
    if (
      !text ||
      !needle ||
      !text.includes(needle) ||
      !FACT_KINDS.some((each) => each === kind) ||
      !FACT_PLACES.some((each) => each === place)
    )
      throw new Error(
        `--facts ${file}, line ${index + 1}: the object needs text, a needle that is part of the text, kind (${FACT_KINDS.join(", ")}) and place (${FACT_PLACES.join(", ")})`,
      );
    return { text, needle, kind, place, language: detectLanguage(text), sort: "given" } as PlantedFact;
  });
}

function detectLanguage(text: string): Language {
  const [name] = LANGUAGE_PATTERNS.find(([, sign]) => sign.test(text)) ?? ["en"];
  return LANGUAGES.find((language) => language.name === name) as Language;
}

const LANGUAGE_PATTERNS: readonly (readonly [Language["name"], RegExp])[] = [
  ["zh", /\p{Script=Han}/u],
  ["de", /[äöüß]|\b(?:der|die|das|und|ist|nicht|wird|im)\b/i],
  ["es", /[ñáéíóú¿¡]|\b(?:el|la|los|las|que|es|una|se|del)\b/i],
];

/** Words that are written in more than one way: numbers up to twelve, and what is shortened by everybody. */

import { folded } from "../comparing/folded.ts";
import { stem } from "../comparing/stem.ts";

/** Further keys of a unit, under which the other spelling is found. */
export function otherSpelling(word: string): readonly string[] {
  return spellings.get(word) ?? [];
}

/** From two on: `one` is an article in most of them. */
const NUMBERS: readonly string[] = [
  "two three four five six seven eight nine ten eleven twelve",
  "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
  "dos tres cuatro cinco seis siete ocho nueve diez once doce",
  "deux trois quatre cinq six sept huit neuf dix onze douze",
];

const SHORT = "deps/dependencies dep/dependency config/configuration docs/documentation repo/repository db/database";

const spellings: ReadonlyMap<string, readonly string[]> = new Map([
  ...NUMBERS.flatMap((list) =>
    folded(list)
      .split(" ")
      .map((word, at): [string, readonly string[]] => [word, [`=${at + 2}`]]),
  ),
  ...SHORT.split(" ").flatMap((pair): readonly [string, readonly string[]][] => {
    const [short = "", long = ""] = pair.split("/");
    return [
      [short, [stem(long)]],
      [long, [stem(short)]],
    ];
  }),
]);

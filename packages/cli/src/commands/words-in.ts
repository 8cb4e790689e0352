/** What stands behind a command: words, and flags with what belongs to each, up to the next flag. */

import { type Mistake, mistake } from "../asking/mistake.ts";

export interface FlagWish {
  /** What may stand behind it; `words` takes all up to the next flag. */
  readonly takes: "nothing" | "words" | "maybe-words";
}

export type ReadWords<Name extends string> =
  | {
      readonly type: "read";
      /** What stands before the first flag, and behind flags that take nothing. */
      readonly words: string;
      /** True for one without words. */
      readonly flags: Partial<Readonly<Record<Name, string | true>>>;
    }
  | Mistake;

/** A flag begins with two dashes, at the beginning of a word. */
export function wordsIn<Name extends string>(text: string, known: Readonly<Record<Name, FlagWish>>): ReadWords<Name> {
  const [before = "", ...pieces] = ` ${text}`.split(/\s--(?=[a-z])/);
  const words = [before.trim()];
  const flags: Partial<Record<Name, string | true>> = {};
  for (const piece of pieces) {
    const [, name = "", behind = ""] = /^([a-z-]+)(?:=|\s+|$)([\s\S]*)$/.exec(piece) ?? [];
    if (!isKnown(name, known)) return mistake(strange(name || piece, Object.keys(known)));
    const { takes } = known[name];
    const said = behind.trim();
    if (takes === "nothing") words.push(said);
    if (takes === "words" && said === "") return mistake(`--${name} needs words behind it`);
    flags[name] = takes === "nothing" || said === "" ? true : said;
  }
  return { type: "read", words: words.filter((each) => each !== "").join(" "), flags };
}

function isKnown<Name extends string>(name: string, known: Readonly<Record<Name, FlagWish>>): name is Name {
  return Object.hasOwn(known, name);
}

function strange(name: string, known: readonly string[]): string {
  return `there is no --${name} here; there ${known.length === 1 ? "is" : "are"} ${known.map((each) => `--${each}`).join(", ")}`;
}

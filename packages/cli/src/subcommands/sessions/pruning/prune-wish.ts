/** What is to be pruned, and whether it is to be done: without an age of one's own it is only shown. */

import { type Mistake, mistake } from "../../../asking/mistake.ts";
import type { Call } from "../../subcommand.ts";
import { ageIn } from "../wording/read-amounts.ts";

export interface PruneWish {
  readonly type: "wish";
  /** Milliseconds. */
  readonly age: number;
  readonly said: string;
  readonly emptiesTrash: boolean;
  /** Whether it is to be done, not only shown. */
  readonly isMeant: boolean;
}

export function pruneWish(flags: Call["flags"]): PruneWish | Mistake {
  const said = flags["older-than"];
  const isMeant = flags.yes === true;
  if (isMeant && flags["dry-run"] === true)
    return mistake("--dry-run only shows it and --yes does it; write one of them");
  if (isMeant && said === undefined) return mistake("say how old with --yes, such as --older-than 90d");
  const age = ageIn(typeof said === "string" ? said : USUAL);
  if (age === null || age < LEAST)
    return mistake(`--older-than is "${said}"; write an age of at least a day, such as 90d, 12w or 1y`);
  return { type: "wish", age, said: String(said ?? USUAL), emptiesTrash: flags["empty-trash"] === true, isMeant };
}

const USUAL = "90d";
const LEAST = 24 * 3_600_000;

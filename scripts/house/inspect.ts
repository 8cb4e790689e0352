/** Runs all checks: a fault fails the build, a question is for the author to answer. */

import { type Fault, inOrder } from "../fault.ts";
import { cycles } from "./cycles.ts";
import { doors } from "./doors.ts";
import { floors } from "./floors.ts";
import { heart } from "./heart.ts";
import type { Check } from "./house.ts";
import { indexFiles } from "./index-files.ts";
import { names } from "./names.ts";
import { opening } from "./opening.ts";
import { purity } from "./purity.ts";
import { readHouse } from "./read-house.ts";
import { sizes } from "./sizes.ts";

export interface Inspection {
  readonly files: number;
  readonly faults: readonly Fault[];
  readonly questions: readonly Fault[];
}

const checks: readonly Check[] = [doors, heart, floors, cycles, indexFiles, opening, purity];

export function inspect(root: string): Inspection {
  const house = readHouse(root);
  return {
    files: house.sources.length + house.tests.length,
    faults: inOrder(checks.flatMap((check) => check(house))),
    questions: inOrder([...sizes(house), ...names(house)]),
  };
}

/** Runs all checks: a fault fails the build, a question is for the author to answer. */

import { type Fault, inOrder } from "../fault.ts";
import { doors } from "./doors.ts";
import { cycles, indexFiles, opening } from "./file-checks.ts";
import { type Check, type House, readHouse } from "./house.ts";
import { contextDependencies, layers, purity } from "./layers.ts";
import { names, sizes } from "./questions.ts";

export interface Inspection {
  readonly files: number;
  readonly faults: readonly Fault[];
  readonly questions: readonly Fault[];
}

const checks: readonly Check[] = [doors, contextDependencies, layers, cycles, indexFiles, opening, purity];

export function inspect(root: string): Inspection {
  return inspectHouse(readHouse(root));
}

export function inspectHouse(house: House): Inspection {
  return {
    files: house.sources.length + house.tests.length,
    faults: inOrder(checks.flatMap((check) => check(house))),
    questions: inOrder([...sizes(house), ...names(house)]),
  };
}

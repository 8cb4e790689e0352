/** Runs all checks. A fault fails the build; a question is for the author to answer. */

import { type Fault, sortFaults } from "../fault.ts";
import { checkCompactionPath } from "./compaction-path.ts";
import { checkPackageImports } from "./doors.ts";
import { AIMS, measureSources, type SourceFigures } from "./figures.ts";
import { checkCycles, checkIndexFiles, checkOpeningSentences } from "./file-checks.ts";
import { checkContextDependencies, checkPurity } from "./purity.ts";
import { askAboutNames, askAboutSizes } from "./questions.ts";
import { type Check, readWorkspace } from "./workspace.ts";

export interface CheckReport {
  /** The number of checked files. */
  readonly files: number;
  readonly faults: readonly Fault[];
  readonly questions: readonly Fault[];
  readonly figures: SourceFigures;
}

const CHECKS: readonly Check[] = [
  checkPackageImports,
  checkIndexFiles,
  checkCycles,
  checkOpeningSentences,
  checkContextDependencies,
  checkPurity,
  checkCompactionPath,
];

export function runChecks(root: string): CheckReport {
  const workspace = readWorkspace(root);
  const figures = measureSources(workspace);
  return {
    files: workspace.sources.length + workspace.tests.length,
    faults: sortFaults(CHECKS.flatMap((check) => check(workspace))),
    questions: [...sortFaults([...askAboutSizes(workspace), ...askAboutNames(workspace)]), ...askAboutFigures(figures)],
    figures,
  };
}

function askAboutFigures(figures: SourceFigures): readonly Fault[] {
  return Object.entries(AIMS).flatMap(([name, aim]) => {
    const value = figures[name];
    if (typeof value !== "number" || value <= aim) return [];
    return [
      { path: "packages", line: 1, sentence: `${name} is ${value}; the aim is ${aim === 0 ? 0 : `at most ${aim}`}` },
    ];
  });
}

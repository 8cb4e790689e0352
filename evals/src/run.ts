/** Runs `pnpm eval SUITE`: the quality of reading, compacting and summarizing sessions. */

import { runSuites } from "@pith/bench/suite";
import { factsSuite } from "./facts/suite.ts";
import { honestSuite } from "./honest/suite.ts";
import { outdatedSuite } from "./outdated.ts";
import { playedSuite } from "./played/suite.ts";
import { readingSuite } from "./read-sessions.ts";
import { recallSuite } from "./recall/suite.ts";
import { keepingSuite } from "./retention/suite.ts";
import { rulesSuite } from "./rules/suite.ts";
import { survivalSuite } from "./survival/suite.ts";

const suites = [
  readingSuite,
  keepingSuite,
  survivalSuite,
  honestSuite,
  playedSuite,
  outdatedSuite,
  recallSuite,
  rulesSuite,
  factsSuite,
];

await runSuites("eval", suites, process.argv.slice(2));

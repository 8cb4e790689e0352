/** `pnpm eval SUITE`: the quality of what Pith reads, keeps and writes. */

import { runSuites } from "@pith/bench/suite";
import { keepingSuite } from "./keeping/suite.ts";
import { readingSuite } from "./reading/suite.ts";

await runSuites("eval", [readingSuite, keepingSuite], process.argv.slice(2));

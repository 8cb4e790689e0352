/** `pnpm bench SUITE`: measurements, beside peers and beside the limit. */

import { contextSuite } from "./context/suite.ts";
import { runSuites } from "./suite.ts";

await runSuites("bench", [contextSuite], process.argv.slice(2));

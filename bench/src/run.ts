/** `pnpm bench SUITE`: measurements, beside peers and beside the limit. */

import { contextSuite } from "./context/suite.ts";
import { sessionSuite } from "./session/suite.ts";
import { runSuites } from "./suite.ts";

await runSuites("bench", [contextSuite, sessionSuite], process.argv.slice(2));

/** Runs `pnpm bench SUITE`: performance measurements, compared with other programs and with the minimum possible. */

import { compactionSuite } from "./compaction/suite.ts";
import { planSuite } from "./context/plan-suite.ts";
import { contextSuite } from "./context/suite.ts";
import { hostedSuite } from "./hosted/suite.ts";
import { hostedStoreSuite } from "./hosted-store/suite.ts";
import { importSuite } from "./import/suite.ts";
import { loopSuite } from "./loop/suite.ts";
import { overflowSuite } from "./overflow/suite.ts";
import { profileSuite } from "./profile/suite.ts";
import { sandboxSuite } from "./sandbox/suite.ts";
import { screenSuite } from "./screen/suite.ts";
import { searchSuite } from "./search/suite.ts";
import { sessionSuite } from "./session/suite.ts";
import { stallSuite } from "./stall/suite.ts";
import { runSuites } from "./suite.ts";
import { tokensSuite } from "./tokens/suite.ts";

await runSuites(
  "bench",
  [
    compactionSuite,
    contextSuite,
    hostedSuite,
    hostedStoreSuite,
    importSuite,
    loopSuite,
    overflowSuite,
    planSuite,
    profileSuite,
    sandboxSuite,
    screenSuite,
    searchSuite,
    sessionSuite,
    stallSuite,
    tokensSuite,
  ],
  process.argv.slice(2),
);

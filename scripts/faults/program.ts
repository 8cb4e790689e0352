/** Faults of the agent and the program that no test noticed when they were put in by hand. `pnpm mutate:faults` tries each one. */

import type { FixedFault } from "../fixed-faults.ts";

export const programFaults: readonly FixedFault[] = [
  {
    fault: "a summary was prepared and paid for although removing outdated results was enough",
    file: "packages/agent/src/compaction/prepare-summary.ts",
    search: "  if (planElision(session.branch, earlyBudget)?.isEnough) return;\n",
    replace: "",
    test: "packages/agent/test/compaction/remove-outdated.test.ts",
    title: "PREP1 no summary is prepared if removing outdated results will be enough",
  },
  {
    fault: "the cost of a prepared summary that a compaction waited for was in two events",
    file: "packages/agent/src/compaction/prepare-summary.ts",
    search: "return usage && !this.#isTaken ?",
    replace: "return usage ?",
    test: "packages/agent/test/compaction/prepare-summary.test.ts",
    title: "PREP5 EVT5 and the figures agree when a compaction waits for it: its cost is in one event",
  },
  {
    fault: "without a tail, a summary was prepared too late to be ready at the limit",
    file: "packages/agent/src/compaction/thresholds.ts",
    search: "{ share: 0.05, tokens: 5_000 }",
    replace: "{ share: 0.05, tokens: 50 }",
    test: "packages/agent/test/compaction/prepare-summary.test.ts",
    title: "PREP1 %s",
  },
];

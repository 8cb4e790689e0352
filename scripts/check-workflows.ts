/** `node scripts/check-workflows.ts [ROOT]`: checks that workflows pin every action to a commit and have permissions. Prints every fault and fails on any. */

import { resolve } from "node:path";
import { formatCount, formatFault, sortFaults } from "./fault.ts";
import { checkWorkflows, listWorkflowFiles } from "./supply-chain/workflow-faults.ts";

const root = resolve(process.argv[2] ?? `${import.meta.dirname}/..`);
const faults = sortFaults(checkWorkflows(root));

for (const fault of faults) console.log(formatFault(fault));
console.log(
  `workflows: ${formatCount(listWorkflowFiles(root).length, "file")}, ${formatCount(faults.length, "fault")}`,
);
process.exitCode = faults.length > 0 ? 1 : 0;

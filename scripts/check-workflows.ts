/** `node scripts/check-workflows.ts [ROOT]`: checks that workflows pin every action to a commit and have permissions. Prints every fault and fails on any. */

import { resolve } from "node:path";
import { counted, inOrder, printed } from "./fault.ts";
import { workflowFaults, workflowFiles } from "./supply-chain/workflow-faults.ts";

const root = resolve(process.argv[2] ?? `${import.meta.dirname}/..`);
const faults = inOrder(workflowFaults(root));

for (const fault of faults) console.log(printed(fault));
console.log(`workflows: ${counted(workflowFiles(root).length, "file")}, ${counted(faults.length, "fault")}`);
process.exitCode = faults.length > 0 ? 1 : 0;

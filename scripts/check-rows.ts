/** `node scripts/check-rows.ts [ROOT]`: is every row of the documents settled by a rule, or named as still to come? Prints every fault, and fails on any. */

import { resolve } from "node:path";
import { counted, printed } from "./fault.ts";
import { rowFaults } from "./rules/row-faults.ts";

const faults = rowFaults(resolve(process.argv[2] ?? `${import.meta.dirname}/..`));

for (const fault of faults) console.log(printed(fault));
console.log(`rows: 84, ${counted(faults.length, "fault")}`);
process.exitCode = faults.length > 0 ? 1 : 0;

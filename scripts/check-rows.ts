/** `node scripts/check-rows.ts [ROOT]`: checks that every row of the source documents has a rule, or is listed as still to come. Prints every fault and fails on any. */

import { resolve } from "node:path";
import { formatCount, formatFault } from "./fault.ts";
import { checkRows } from "./rules/row-faults.ts";

const faults = checkRows(resolve(process.argv[2] ?? `${import.meta.dirname}/..`));

for (const fault of faults) console.log(formatFault(fault));
console.log(`rows: 84, ${formatCount(faults.length, "fault")}`);
process.exitCode = faults.length > 0 ? 1 : 0;

/** `node scripts/check-rules.ts [ROOT]`: checks that every rule is cited by a test. Prints every fault and fails on any. */

import { resolve } from "node:path";
import { counted, printed } from "./fault.ts";
import { ruleFaults } from "./rules/rule-faults.ts";

const { rules, faults } = ruleFaults(resolve(process.argv[2] ?? `${import.meta.dirname}/..`));

for (const fault of faults) console.log(printed(fault));
const outcome = faults.length > 0 ? counted(faults.length, "fault") : "each cited by a test";
console.log(`rules: ${counted(rules, "rule")}, ${outcome}`);
process.exitCode = faults.length > 0 ? 1 : 0;

/** `node scripts/check-rules.ts [ROOT]`: checks that every rule is cited by a test. Prints every fault and fails on any. */

import { resolve } from "node:path";
import { formatCount, formatFault } from "./fault.ts";
import { checkRules } from "./rules/rule-faults.ts";

const { rules, faults } = checkRules(resolve(process.argv[2] ?? `${import.meta.dirname}/..`));

for (const fault of faults) console.log(formatFault(fault));
const outcome = faults.length > 0 ? formatCount(faults.length, "fault") : "each cited by a test";
console.log(`rules: ${formatCount(rules, "rule")}, ${outcome}`);
process.exitCode = faults.length > 0 ? 1 : 0;

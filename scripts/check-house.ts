/** `node scripts/check-house.ts [ROOT]`: does the house stand as it was drawn? Prints every fault, and fails on any. */

import { resolve } from "node:path";
import { counted, printed } from "./fault.ts";
import { inspect } from "./house/inspect.ts";

const root = resolve(process.argv[2] ?? `${import.meta.dirname}/..`);
const { files, faults, questions } = inspect(root);
if (files === 0) throw new Error(`no TypeScript file under ${root}`);

for (const fault of faults) console.log(printed(fault));
if (questions.length > 0) console.log("\nQuestions, not faults:");
for (const question of questions) console.log(printed(question));
console.log(
  `house: ${counted(files, "file")}, ${counted(faults.length, "fault")}, ${counted(questions.length, "question")}`,
);
process.exitCode = faults.length > 0 ? 1 : 0;

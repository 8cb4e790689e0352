/** `node scripts/check-house.ts [ROOT]`: checks doors, layers, cycles and opening sentences. Prints every fault and fails on any. */

import { resolve } from "node:path";
import { counted, printed } from "./fault.ts";
import { inspect } from "./house/inspect.ts";

const root = resolve(process.argv[2] ?? `${import.meta.dirname}/..`);
const { files, faults, questions } = inspect(root);
if (files === 0) throw new Error(`no TypeScript file under ${root}`);

for (const fault of faults) console.log(printed(fault));
const asked = `${counted(questions.length, "question")}${questions.length > 0 ? " (pnpm house lists them)" : ""}`;
console.log(`house: ${counted(files, "file")}, ${counted(faults.length, "fault")}, ${asked}`);
process.exitCode = faults.length > 0 ? 1 : 0;

/** `node scripts/check-docs.ts [ROOT]`: checks links, paths, shown code and generated parts of the documents. Prints every fault and fails on any. */

import { resolve } from "node:path";
import { docFaults } from "./docs/doc-faults.ts";
import { counted, printed } from "./fault.ts";

const { pages, faults } = docFaults(resolve(process.argv[2] ?? `${import.meta.dirname}/..`));

for (const fault of faults) console.log(printed(fault));
console.log(`docs: ${counted(pages, "page")}, ${counted(faults.length, "fault")}`);
process.exitCode = faults.length > 0 ? 1 : 0;

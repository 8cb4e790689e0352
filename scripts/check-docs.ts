/** `node scripts/check-docs.ts [ROOT]`: links in our documents lead somewhere, and the code in them is the code that runs. */

import { resolve } from "node:path";
import { docFaults } from "./docs/doc-faults.ts";
import { counted, printed } from "./fault.ts";

const { pages, faults } = docFaults(resolve(process.argv[2] ?? `${import.meta.dirname}/..`));

for (const fault of faults) console.log(printed(fault));
console.log(`docs: ${counted(pages, "page")}, ${counted(faults.length, "fault")}`);
process.exitCode = faults.length > 0 ? 1 : 0;

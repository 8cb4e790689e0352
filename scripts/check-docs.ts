/** `node scripts/check-docs.ts [ROOT]`: checks links, paths, shown code and generated parts of the documents. Prints every fault and fails on any. */

import { resolve } from "node:path";
import { checkDocs } from "./docs/doc-faults.ts";
import { formatCount, formatFault } from "./fault.ts";

const { pages, faults } = checkDocs(resolve(process.argv[2] ?? `${import.meta.dirname}/..`));

for (const fault of faults) console.log(formatFault(fault));
console.log(`docs: ${formatCount(pages, "page")}, ${formatCount(faults.length, "fault")}`);
process.exitCode = faults.length > 0 ? 1 : 0;

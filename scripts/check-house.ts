/** `node scripts/check-house.ts [ROOT]`: checks doors, layers, cycles and opening sentences. `pnpm house` also lists questions and figures, `--json` the figures alone. */

import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { counted, printed } from "./fault.ts";
import { measureSources } from "./house/figures.ts";
import { readHouse } from "./house/house.ts";
import { inspectHouse } from "./house/inspect.ts";

const options = { list: { type: "boolean" }, json: { type: "boolean" } } as const;
const { values, positionals } = parseArgs({ options, allowPositionals: true });
const root = resolve(positionals[0] ?? `${import.meta.dirname}/..`);
const house = readHouse(root);
const { files, faults, questions } = inspectHouse(house);
if (files === 0) throw new Error(`no TypeScript file under ${root}`);
process.exitCode = faults.length > 0 ? 1 : 0;

if (values.json) console.log(JSON.stringify(measureSources(house)));
else {
  for (const fault of [...faults, ...(values.list ? questions : [])]) console.log(printed(fault));
  for (const [name, value] of values.list ? Object.entries(measureSources(house)) : [])
    console.log(`  ${name.padEnd(20)}${Array.isArray(value) ? value.length : value}`);
  const hint = questions.length > 0 && !values.list ? " (pnpm house lists them)" : "";
  console.log(
    `house: ${counted(files, "file")}, ${counted(faults.length, "fault")}, ${counted(questions.length, "question")}${hint}`,
  );
}

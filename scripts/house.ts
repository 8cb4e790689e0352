/** `pnpm house [--json]`: prints what is worth a question in the structure of the sources, and its figures. */

import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { counted, printed } from "./fault.ts";
import { figures } from "./house/figures.ts";
import { readHouse } from "./house/house.ts";
import { inspect } from "./house/inspect.ts";

const { values, positionals } = parseArgs({ options: { json: { type: "boolean" } }, allowPositionals: true });
const root = resolve(positionals[0] ?? `${import.meta.dirname}/..`);
const { faults, questions } = inspect(root);
const measured = figures(readHouse(root));

if (values.json) console.log(JSON.stringify(measured));
else {
  for (const fault of [...faults, ...questions]) console.log(printed(fault));
  for (const [name, value] of Object.entries(measured)) console.log(`  ${name.padEnd(20)}${value}`);
  console.log(`house: ${counted(faults.length, "fault")}, ${counted(questions.length, "question")}`);
}

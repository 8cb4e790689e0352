/**
 * `node scripts/check-house.ts [ROOT]` checks entry points, import cycles, opening sentences and the compaction path. `pnpm house` also
 * lists questions and figures, `pnpm house --json` prints the figures alone.
 */

import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { formatCount, formatFault } from "./fault.ts";
import { AIMS } from "./house/figures.ts";
import { runChecks } from "./house/run-checks.ts";

const options = { list: { type: "boolean" }, json: { type: "boolean" } } as const;
const { values, positionals } = parseArgs({ options, allowPositionals: true });
const root = resolve(positionals[0] ?? `${import.meta.dirname}/..`);
const { files, faults, questions, figures } = runChecks(root);
if (files === 0) throw new Error(`no TypeScript file under ${root}`);
process.exitCode = faults.length > 0 ? 1 : 0;

if (values.json) console.log(JSON.stringify(figures));
else {
  for (const fault of [...faults, ...(values.list ? questions : [])]) console.log(formatFault(fault));
  for (const [name, value] of values.list ? Object.entries(figures) : []) {
    const aim = AIMS[name] === undefined ? "" : `aim: at most ${AIMS[name]}`;
    console.log(`  ${name.padEnd(22)}${String(Array.isArray(value) ? value.length : value).padEnd(8)}${aim}`.trimEnd());
  }
  const hint = questions.length > 0 && !values.list ? " (pnpm house lists them)" : "";
  console.log(
    `house: ${formatCount(files, "file")}, ${formatCount(faults.length, "fault")}, ${formatCount(questions.length, "question")}${hint}`,
  );
}

/** `node scripts/check-inventory.ts`: checks that every flag, command, setting and event is documented and used by an end-to-end test. Run it after the tests, which leave the list. */

import { join, resolve } from "node:path";
import { formatCount } from "./fault.ts";
import { listDocumented, listOffered, readTriggered } from "./inventory.ts";

const root = resolve(import.meta.dirname, "..");
const offered = listOffered();
const documentedNames = listDocumented(join(root, "docs"));
const triggeredNames = readTriggered(join(root, ".triggered"));

const faults = [
  ...listMissing(
    offered,
    documentedNames,
    "is not in docs/commands.md, settings.md, events.md, rpc.md or extensions.md",
  ),
  ...listMissing(documentedNames, offered, "is documented, and is not there"),
  ...listMissing(offered, triggeredNames, "was used by no end-to-end test"),
  ...listMissing(triggeredNames, offered, "was used, and stands in no table"),
];

for (const fault of faults) console.log(fault);
console.log(`inventory: ${offered.size} things, ${formatCount(faults.length, "fault")}`);
process.exitCode = faults.length > 0 ? 1 : 0;

function listMissing(names: ReadonlySet<string>, others: ReadonlySet<string>, sentence: string): readonly string[] {
  return [...names]
    .filter((name) => !others.has(name))
    .sort()
    .map((name) => `${name} ${sentence}`);
}

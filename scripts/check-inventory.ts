/** `node scripts/check-inventory.ts`: checks that every flag, command, setting and event is documented and used by an end-to-end test. Run it after the tests, which leave the list. */

import { join, resolve } from "node:path";
import { counted } from "./fault.ts";
import { documented, thereIs, triggered } from "./inventory.ts";

const root = resolve(import.meta.dirname, "..");
const all = thereIs();
const told = documented(join(root, "docs"));
const used = triggered(join(root, ".triggered"));

const faults = [
  ...without(all, told, "is not in docs/commands.md, settings.md, events.md, rpc.md or extensions.md"),
  ...without(told, all, "is documented, and is not there"),
  ...without(all, used, "was used by no end-to-end test"),
  ...without(used, all, "was used, and stands in no table"),
];

for (const fault of faults) console.log(fault);
console.log(`inventory: ${all.size} things, ${counted(faults.length, "fault")}`);
process.exitCode = faults.length > 0 ? 1 : 0;

function without(one: ReadonlySet<string>, other: ReadonlySet<string>, sentence: string): readonly string[] {
  return [...one]
    .filter((name) => !other.has(name))
    .sort()
    .map((name) => `${name} ${sentence}`);
}

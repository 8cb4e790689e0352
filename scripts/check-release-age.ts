/** `node scripts/check-release-age.ts [ROOT]`: checks that every version of the lockfile was published long enough ago. Asks the configured registry, and fails where it does not answer. */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { formatCount, formatFault, sortFaults } from "./fault.ts";
import {
  checkReleaseAges,
  findReleaseTimes,
  LOCKFILE,
  listLockedVersions,
  parseAgeSettings,
} from "./supply-chain/release-age.ts";

const root = resolve(process.argv[2] ?? `${import.meta.dirname}/..`);
const settings = parseAgeSettings(readFileSync(join(root, "pnpm-workspace.yaml"), "utf8"));
const versions = listLockedVersions(readFileSync(join(root, LOCKFILE), "utf8"));
const registry = execFileSync("pnpm", ["config", "get", "registry"], { cwd: root, encoding: "utf8" }).trim();
const registryOptions = { registry: registry.replace(/\/*$/, "/"), cache: join(root, ".tools", "release-times.json") };
const releaseTimes = await findReleaseTimes(versions, registryOptions);
const faults = sortFaults(checkReleaseAges({ ...settings, ...releaseTimes, versions, now: Date.now() }));

for (const fault of faults.slice(0, 40)) console.log(formatFault(fault));
if (faults.length > 40) console.log(`and ${faults.length - 40} more`);
const days = settings.minimumMinutes / (24 * 60);
console.log(
  `release age: ${formatCount(versions.length, "version")}, at least ${days} days old, ${formatCount(faults.length, "fault")}`,
);
process.exitCode = faults.length > 0 ? 1 : 0;

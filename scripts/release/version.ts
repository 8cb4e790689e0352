/** `pnpm release:version`: gives all packages the version that the changesets ask for, and writes their summaries into CHANGELOG.md. */

import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readChangesets } from "@changesets/read";
import { listPublishedPackages, readVersion } from "../build/packages.ts";
import { addRelease, type ChangelogItem, isUnreleased } from "./changelog.ts";

const root = resolve(process.argv[2] ?? join(import.meta.dirname, "../.."));
const file = join(root, "CHANGELOG.md");
const changelog = readFileSync(file, "utf8");
const changesets = await readChangesets(root);
const current = readVersion(root);
const isCurrentUnreleased = isUnreleased(changelog, current);

if (changesets.length === 0 && !isCurrentUnreleased) {
  console.error("There is no changeset, so there is nothing to release. Add one with pnpm changeset.");
  process.exit(1);
}
const packageNames = listPublishedPackages(root).map(({ manifest }) => manifest.name);
for (const { id, releases } of changesets)
  for (const { name } of releases)
    if (!packageNames.includes(name))
      throw new Error(`.changeset/${id}.md names ${name}; the published packages are ${packageNames.join(", ")}`);

const changes = changesets
  .toSorted((a, b) => (a.id < b.id ? -1 : 1))
  .map(({ summary, releases }): ChangelogItem => ({ summary, bump: largestBump(releases.map(({ type }) => type)) }));
// A version that the changelog calls unreleased is the one to release: it is not raised once more.
if (isCurrentUnreleased) for (const { id } of changesets) rmSync(join(root, ".changeset", `${id}.md`));
else
  execFileSync(process.execPath, [findChangesetCli(), "version"], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
const version = readVersion(root);
writeFileSync(file, addRelease(changelog, version, changes));
console.log(
  `${current} -> ${version}, ${changes.length} changesets, in CHANGELOG.md and ${packageNames.length} packages`,
);

function largestBump(bumps: readonly string[]): ChangelogItem["bump"] {
  if (bumps.includes("major")) return "major";
  return bumps.includes("minor") ? "minor" : "patch";
}

function findChangesetCli(): string {
  return join(import.meta.dirname, "../../node_modules/@changesets/cli/bin.js");
}

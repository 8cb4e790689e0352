/** `node scripts/release/check-release.ts TAG`: checks that the checkout is the release that its tag names. Prints its section of the changelog. */

import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { listPublishedPackages, readVersion } from "../build/packages.ts";
import { readVersionSection } from "./changelog.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { repository: { type: "string" }, root: { type: "string", default: join(import.meta.dirname, "../..") } },
});
const [tag] = positionals;
if (tag === undefined) {
  console.error("usage: node scripts/release/check-release.ts TAG [--repository OWNER/NAME] [--root FOLDER]");
  process.exit(2);
}
const root = resolve(values.root);
const faults = [...checkTag(tag), ...(values.repository ? checkRepository(values.repository) : [])];
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exit(1);
console.log(readVersionSection(readFileSync(join(root, "CHANGELOG.md"), "utf8"), tag.slice(1)));

function checkTag(tag: string): readonly string[] {
  const version = readVersion(root);
  const changesets = readdirSync(join(root, ".changeset")).filter(
    (name) => name.endsWith(".md") && name !== "README.md",
  );
  return [
    ...(tag === `v${version}`
      ? []
      : [`The tag is ${tag}, and the packages have version ${version}; the tag must be v${version}.`]),
    ...changesets.map(
      (name) => `.changeset/${name} is not in this version. Run pnpm release:version, commit, and tag that commit.`,
    ),
  ];
}

/** Provenance names the repository, and npm refuses a package whose manifest names another. */
function checkRepository(repository: string): readonly string[] {
  return listPublishedPackages(root).flatMap(({ folder, manifest }) => {
    if (manifest.repository?.url.replace(/\.git$/, "").endsWith(`/${repository}`)) return [];
    return [
      `${relative(root, folder)}/package.json does not name the repository ${repository}; npm refuses its provenance. Write "repository".`,
    ];
  });
}

/**
 * `pnpm release:version`: gives all packages the version that the changesets ask for, and writes their summaries into CHANGELOG.md.
 * `node scripts/release/version.ts --check TAG [--repository OWNER/NAME]` checks that the checkout is the release that the tag names, and prints
 * its section of the changelog. Both take another checkout as an argument.
 */

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { readChangesets } from "@changesets/read";
import { listPublishedPackages, readVersion } from "../packages.ts";

async function runScript(): Promise<void> {
  const options = { check: { type: "string" }, repository: { type: "string" } } as const;
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const root = resolve(positionals[0] ?? join(import.meta.dirname, "../.."));
  if (values.check === undefined) await raiseVersion(root);
  else checkRelease(root, values.check, values.repository);
}

async function raiseVersion(root: string): Promise<void> {
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
  // The version that the changelog calls unreleased is released as it is, without raising it again.
  if (isCurrentUnreleased) for (const { id } of changesets) rmSync(join(root, ".changeset", `${id}.md`));
  else
    execFileSync(process.execPath, [CHANGESET_CLI, "version"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  const version = readVersion(root);
  writeFileSync(file, addRelease(changelog, version, changes));
  console.log(
    `${current} -> ${version}, ${changes.length} changesets, in CHANGELOG.md and ${packageNames.length} packages`,
  );
}

const CHANGESET_CLI = join(import.meta.dirname, "../../node_modules/@changesets/cli/bin.js");

function largestBump(bumps: readonly string[]): ChangelogItem["bump"] {
  if (bumps.includes("major")) return "major";
  return bumps.includes("minor") ? "minor" : "patch";
}

function checkRelease(root: string, tag: string, repository: string | undefined): void {
  const faults = [...checkTag(root, tag), ...(repository ? checkRepository(root, repository) : [])];
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exit(1);
  console.log(readVersionSection(readFileSync(join(root, "CHANGELOG.md"), "utf8"), tag.slice(1)));
}

function checkTag(root: string, tag: string): readonly string[] {
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
function checkRepository(root: string, repository: string): readonly string[] {
  return listPublishedPackages(root).flatMap(({ folder, manifest }) => {
    if (manifest.repository?.url.replace(/\.git$/, "").endsWith(`/${repository}`)) return [];
    return [
      `${relative(root, folder)}/package.json does not name the repository ${repository}; npm refuses its provenance. Write "repository".`,
    ];
  });
}

export interface ChangelogItem {
  readonly summary: string;
  /** The largest bump that the changeset asks for. */
  readonly bump: "major" | "minor" | "patch";
}

const HEADINGS: Readonly<Record<ChangelogItem["bump"], string>> = {
  major: "### Breaking",
  minor: "### Added and changed",
  patch: "### Fixed",
};

/** Whether the newest section is of this version and is marked as unreleased. */
export function isUnreleased(changelog: string, version: string): boolean {
  return findNewestHeading(changelog)?.text === `## ${version} (unreleased)`;
}

/**
 * Adds the changes as the newest section. An unreleased section of the same version is completed and marked as released instead: what it
 * already lists stays below the summaries of the changesets.
 */
export function addRelease(changelog: string, version: string, changes: readonly ChangelogItem[]): string {
  const list = formatChanges(changes);
  const newest = findNewestHeading(changelog);
  if (!newest) throw new Error('CHANGELOG.md has no section; it needs a line such as "## 0.1.0 (unreleased)"');
  const before = changelog.slice(0, newest.index);
  const rest = changelog.slice(newest.index);
  if (!isUnreleased(changelog, version)) return `${before}## ${version}\n\n${list}\n${rest}`;
  const existing = rest.slice(newest.text.length).trimStart();
  return `${before}## ${version}\n\n${[list, existing].filter((part) => part !== "").join("\n")}`;
}

/** The text below the heading of a version, for the page of the release. */
export function readVersionSection(changelog: string, version: string): string {
  const sections = changelog.split(/^(?=## )/m);
  const section = sections.find((text) => text.split("\n", 1)[0] === `## ${version}`);
  if (section === undefined)
    throw new Error(`CHANGELOG.md has no section "## ${version}"; run pnpm release:version, and commit what it writes`);
  return section.slice(section.indexOf("\n")).trim();
}

function findNewestHeading(changelog: string): { readonly index: number; readonly text: string } | null {
  const match = /^## .*$/m.exec(changelog);
  return match ? { index: match.index, text: match[0].trimEnd() } : null;
}

function formatChanges(changes: readonly ChangelogItem[]): string {
  const bumps: readonly ChangelogItem["bump"][] = ["major", "minor", "patch"];
  return bumps
    .flatMap((bump) => {
      const items = changes.filter((change) => change.bump === bump).map(({ summary }) => formatItem(summary));
      return items.length === 0 ? [] : [`${HEADINGS[bump]}\n${items.join("\n")}\n`];
    })
    .join("\n");
}

function formatItem(summary: string): string {
  return `- ${summary.trim().replace(/\n(?=.)/g, "\n  ")}`;
}

if (import.meta.main) await runScript();

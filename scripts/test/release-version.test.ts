/** Tests release/version.ts: changesets become one version of all packages and its section of the changelog. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listPublishedPackages, PROGRAM_NAME, readVersion, SCOPE } from "../packages.ts";
import { addRelease, isUnreleased, readVersionSection } from "../release/version.ts";
import { runScript, writeTree } from "./run-script.ts";

const root = join(import.meta.dirname, "../..");
const manifest = (name: string, more: object = {}): string => JSON.stringify({ name, version: "0.1.0", ...more });
const changeset = (name: string, bump: string, text: string): string => `---\n"${name}": ${bump}\n---\n\n${text}\n`;
const repository = (changelog: string, changesets: Readonly<Record<string, string>>): string =>
  writeTree({
    "package.json": manifest("workspace", { private: true }),
    "pnpm-workspace.yaml": "packages:\n  - packages/*\n",
    "pnpm-lock.yaml": "lockfileVersion: '9.0'\n",
    "packages/a/package.json": manifest("a"),
    "packages/b/package.json": manifest("b", { dependencies: { a: "workspace:^" } }),
    "packages/own/package.json": manifest("own", { private: true }),
    "CHANGELOG.md": changelog,
    ".changeset/README.md": "# Changesets\n",
    ".changeset/config.json": JSON.stringify({
      ...JSON.parse(readFileSync(join(root, ".changeset/config.json"), "utf8")),
      fixed: [["a", "b"]],
    }),
    ...changesets,
  });
const versions = (place: string): readonly string[] =>
  ["a", "b", "own"].map(
    (name) => JSON.parse(readFileSync(join(place, "packages", name, "package.json"), "utf8")).version,
  );
const changelogOf = (place: string): string => readFileSync(join(place, "CHANGELOG.md"), "utf8");

test("REL4 changesets raise all packages to one version, and their summaries become its section of the changelog", () => {
  const place = repository("# Changelog\n\nAbout.\n\n## 0.1.0\n\n### Added\n- The beginning.\n", {
    ".changeset/one.md": changeset("a", "minor", "A new thing.\n\nIt has a second paragraph."),
    ".changeset/two.md": changeset("b", "patch", "A fix."),
  });
  expect(runScript("release/version.ts", place)).toEqual({
    status: 0,
    lines: ["0.1.0 -> 0.2.0, 2 changesets, in CHANGELOG.md and 2 packages"],
  });
  expect(versions(place)).toEqual(["0.2.0", "0.2.0", "0.1.0"]);
  expect(changelogOf(place)).toBe(`# Changelog

About.

## 0.2.0

### Added and changed
- A new thing.

  It has a second paragraph.

### Fixed
- A fix.

## 0.1.0

### Added
- The beginning.
`);
  expect(readdirSync(join(place, ".changeset")).sort()).toEqual(["README.md", "config.json"]);
  expect(readdirSync(join(place, "packages/a"))).toEqual(["package.json"]);
});

test("REL4 a version that the changelog calls unreleased is released as it is, with what it already lists", () => {
  const place = repository("# Changelog\n\n## 0.1.0 (unreleased)\n\n### Added\n- The beginning.\n", {
    ".changeset/one.md": changeset("a", "minor", "A new thing."),
  });
  expect(runScript("release/version.ts", place).status).toBe(0);
  expect(versions(place)).toEqual(["0.1.0", "0.1.0", "0.1.0"]);
  expect(changelogOf(place)).toBe(
    "# Changelog\n\n## 0.1.0\n\n### Added and changed\n- A new thing.\n\n### Added\n- The beginning.\n",
  );
  expect(readdirSync(join(place, ".changeset")).sort()).toEqual(["README.md", "config.json"]);
});

test("REL4 without a changeset nothing is released, and one that names an unknown package changes nothing", () => {
  const text = "# Changelog\n\n## 0.1.0\n\n- The beginning.\n";
  const empty = repository(text, {});
  expect(runScript("release/version.ts", empty).status).toBe(1);
  const wrong = repository(text, { ".changeset/one.md": changeset("unknown", "minor", "A thing.") });
  expect(runScript("release/version.ts", wrong).status).toBe(1);
  for (const place of [empty, wrong]) {
    expect(versions(place)).toEqual(["0.1.0", "0.1.0", "0.1.0"]);
    expect(changelogOf(place)).toBe(text);
  }
});

const checkRelease = (place: string, tag: string, ...more: readonly string[]) =>
  runScript("release/version.ts", place, "--check", tag, ...more);

test("REL4 a tag that differs from the version, and a remaining changeset, are refused", () => {
  const place = repository("# Changelog\n\n## 0.1.0\n\n- The beginning.\n", {});
  expect(checkRelease(place, "v0.1.0")).toEqual({ status: 0, lines: ["- The beginning."] });
  expect(checkRelease(place, "v0.1.1").status).toBe(1);
  const withChangeset = repository("## 0.1.0\n", { ".changeset/one.md": changeset("a", "patch", "A fix.") });
  expect(checkRelease(withChangeset, "v0.1.0").status).toBe(1);
  const unreleased = repository("## 0.1.0 (unreleased)\n", {});
  expect(checkRelease(unreleased, "v0.1.0").status).toBe(1);
});

test("REL4 a package that does not name the repository of the workflow is refused", () => {
  const named = { repository: { type: "git", url: "git+https://github.com/owner/name.git" } };
  const both = { "packages/a/package.json": manifest("a", named), "packages/b/package.json": manifest("b", named) };
  const text = "## 0.1.0\n\n- The beginning.\n";
  expect(checkRelease(repository(text, both), "v0.1.0", "--repository", "owner/name").status).toBe(0);
  expect(checkRelease(repository(text, both), "v0.1.0", "--repository", "other/name").status).toBe(1);
  expect(checkRelease(repository(text, {}), "v0.1.0", "--repository", "owner/name").status).toBe(1);
});

test("REL4 sections of the changelog are found by their whole version", () => {
  const text = addRelease("# Changelog\n\n## 0.1.0\n\n- Old.\n", "0.1.0-next", [{ summary: "New.", bump: "major" }]);
  expect(readVersionSection(text, "0.1.0-next")).toBe("### Breaking\n- New.");
  expect(readVersionSection(text, "0.1.0")).toBe("- Old.");
  expect(isUnreleased(text, "0.1.0")).toBe(false);
  expect(() => readVersionSection(text, "0.1")).toThrow('no section "## 0.1"');
});

test("REL5 the names and the version in the manifests, the changesets and the documents agree", () => {
  const names = listPublishedPackages(root).map(({ manifest: { name } }) => name);
  const program = JSON.parse(readFileSync(join(root, "packages/cli/package.json"), "utf8"));
  expect(program.name).toBe(PROGRAM_NAME);
  expect(names.filter((name) => name !== PROGRAM_NAME && !name.startsWith(`${SCOPE}/`))).toEqual([]);
  expect(readVersion(root)).toMatch(/^\d+\.\d+\.\d+/);
  const { fixed } = JSON.parse(readFileSync(join(root, ".changeset/config.json"), "utf8"));
  expect(fixed.map((group: readonly string[]) => group.toSorted())).toEqual([names.toSorted()]);
  for (const page of ["README.md", "packages/cli/README.md", "docs/releasing.md"]) {
    const installs = readFileSync(join(root, page), "utf8").matchAll(
      /npm (?:install|i) (?:-g|--global) ([^\s./]\S*?)(?:@[\w.-]+)?(?=[\s`])/g,
    );
    for (const [line, name = ""] of installs) expect([...names, "npm"], `${page}: ${line}`).toContain(name);
  }
});

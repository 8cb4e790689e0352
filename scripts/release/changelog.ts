/** Turns the summaries of changesets into the section of a version in CHANGELOG.md. */

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

/** Whether the newest section is of this version and says that it is not released yet. */
export function isUnreleased(changelog: string, version: string): boolean {
  return findNewestHeading(changelog)?.text === `## ${version} (unreleased)`;
}

/**
 * Adds the changes as the newest section. A section of the same version that is not released yet is completed instead, and released: what it
 * already lists stays below what the changesets say.
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

/** Writes the text file with the licences of everything in a bundle that is not ours. */

import type { BundleContent } from "./bundled-packages.ts";

export interface NamedVersion {
  readonly name: string;
  readonly version: string;
}

export function formatNotices({ name, version }: NamedVersion, { packages, data }: BundleContent): string {
  const parts = [
    ...packages.map((each) => ({ ...each, says: [each.author, each.repository] })),
    ...data.map((each) => ({ ...each, texts: [each.text], says: [each.repository, each.description] })),
  ];
  const texts = [...new Set(parts.flatMap((part) => part.texts))];
  const formatTitle = (part: { name: string; version: string | null }): string =>
    [part.name, part.version].filter(Boolean).join(" ");
  const lines = parts.flatMap((part) => [
    `${formatTitle(part)}: ${part.licence}, text ${part.texts.map((text) => texts.indexOf(text) + 1).join(", ")}`,
    ...part.says.filter((each) => each !== null).map((each) => `    ${each}`),
  ]);
  const sections = texts.map((text, index) => {
    const users = parts.filter((part) => part.texts.includes(text)).map(formatTitle);
    return [SEPARATOR, `Text ${index + 1}: ${users.join(", ")}`, SEPARATOR, "", text, ""].join("\n");
  });
  const opening = `${name} ${version} contains the following software and data of others. The licence of ${name} itself is in the file LICENSE of the package.`;
  return [`Third-party notices of ${name} ${version}`, "", opening, "", ...lines, "", ...sections].join("\n");
}

const SEPARATOR = "-".repeat(80);

/** Names the licences that may be in a bundle, the packages whose licence text has to be found elsewhere, and the data that our modules are generated from. */

/** SPDX ids of licences that permit distribution under MIT with a notice. */
export const PERMITTED_LICENCES: readonly string[] = [
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "ISC",
  "MIT",
];

export interface LicenceException {
  readonly name: string;
  /** Why it is right. */
  readonly reason: string;
  /** In place of the `license` in its package.json. */
  readonly licence?: string;
  /** Where its licence text is: in another package of the bundle, or quoted in a NOTICE.md of ours. */
  readonly text?: { readonly package: string } | QuotedLicence;
  /** Files that look like licences of the package, and do not apply to what is bundled of it. */
  readonly omit?: readonly string[];
}

/** A licence that a NOTICE.md of ours quotes. */
export interface QuotedLicence {
  readonly notice: string;
  /** The line of the licence that says whose work it is. */
  readonly copyright: string;
}

export const LICENCE_EXCEPTIONS: readonly LicenceException[] = [
  {
    name: "@ai-sdk/provider-utils",
    reason: "published without a licence file, from the same repository as @ai-sdk/provider",
    text: { package: "@ai-sdk/provider" },
  },
  {
    name: "@earendil-works/pi-tui",
    reason: "published without a licence file, from the same repository as pi-ai",
    text: { notice: "packages/models/src/catalogue/NOTICE.md", copyright: "Copyright (c) 2025 Mario Zechner" },
  },
  {
    name: "rolldown",
    reason: "only its runtime helpers are in the bundle; what it was built from is not",
    omit: ["THIRD-PARTY-LICENSE"],
  },
];

export interface GeneratedData extends QuotedLicence {
  /** The module of ours that was generated from it, relative to the repository. */
  readonly module: string;
  readonly name: string;
  /** Finds the version in the opening sentence of the module, where it is known. */
  readonly version?: RegExp;
  readonly description: string;
  readonly licence: string;
  readonly repository: string;
  /** Without a version. */
  readonly purl: string;
}

const CATALOGUE = {
  module: "packages/models/src/catalogue/snapshot-data.ts",
  notice: "packages/models/src/catalogue/NOTICE.md",
};

export const GENERATED_DATA: readonly GeneratedData[] = [
  {
    module: "packages/context/src/secrets/gitleaks-patterns.ts",
    name: "gitleaks",
    description: "rules that find secrets; the patterns of some kinds of secrets are generated from them",
    licence: "MIT",
    notice: "packages/context/src/secrets/NOTICE.md",
    copyright: "Copyright (c) 2019 Zachary Rice",
    repository: "https://github.com/gitleaks/gitleaks",
    purl: "pkg:github/gitleaks/gitleaks",
  },
  {
    ...CATALOGUE,
    name: "@earendil-works/pi-ai",
    version: /pi-ai (\d+\.\d+\.\d+)/,
    description: "lists of models; the snapshot of windows, limits and prices is generated from them",
    licence: "MIT",
    copyright: "Copyright (c) 2025 Mario Zechner",
    repository: "https://github.com/earendil-works/pi",
    purl: "pkg:npm/%40earendil-works/pi-ai",
  },
  {
    ...CATALOGUE,
    name: "models.dev",
    description: "lists of models; pi-ai takes a part of its lists from them",
    licence: "MIT",
    copyright: "Copyright (c) 2025 spin.dev",
    repository: "https://github.com/anomalyco/models.dev",
    purl: "pkg:github/anomalyco/models.dev",
  },
];

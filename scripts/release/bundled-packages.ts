/**
 * Finds the packages and data of others that a bundle contains, with their licences. A package without a permitted licence and its text fails
 * the build. The permitted licences, the exceptions and the sources of generated data are in the tables at the top.
 */

import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** SPDX ids of licences that permit distribution under MIT with a notice. */
const PERMITTED_LICENCES: readonly string[] = [
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
  /** Why the exception is right. */
  readonly reason: string;
  /** Replaces the `license` of its package.json. */
  readonly licence?: string;
  /** Where its licence text is: in another package of the bundle, or quoted in a NOTICE.md of ours. */
  readonly text?: { readonly package: string } | QuotedLicence;
  /** Files that look like licences of the package but do not apply to the bundled part. */
  readonly omit?: readonly string[];
}

/** A licence that a NOTICE.md of ours quotes. */
export interface QuotedLicence {
  readonly notice: string;
  /** The copyright line of the licence. */
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
    reason: "only its runtime helpers are in the bundle, not the code that it was built from",
    omit: ["THIRD-PARTY-LICENSE"],
  },
];

export interface GeneratedData extends QuotedLicence {
  /** The module of ours that was generated from it, relative to the repository. */
  readonly module: string;
  readonly name: string;
  /** Finds the version in the opening sentence of the module, if it is known. */
  readonly version?: RegExp;
  readonly description: string;
  readonly licence: string;
  readonly repository: string;
  /** The package URL without a version. */
  readonly purl: string;
}

const CATALOGUE = {
  module: "packages/models/src/catalogue/snapshot-data.ts",
  notice: "packages/models/src/catalogue/NOTICE.md",
};

const GENERATED_DATA: readonly GeneratedData[] = [
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

export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** Its folder, with links resolved. */
  readonly folder: string;
  /** An SPDX id. */
  readonly licence: string;
  /** Its licence first, then its notices and the licences of code that it contains itself. */
  readonly texts: readonly string[];
  readonly author: string | null;
  readonly repository: string | null;
  /** The names in its `dependencies`. */
  readonly dependencies: readonly string[];
}

export interface BundleContent {
  /** Sorted by name, then by version. */
  readonly packages: readonly BundledPackage[];
  readonly data: readonly BundledData[];
  /** The folders of the packages that our own manifests name. */
  readonly directFolders: readonly string[];
}

export interface BundledData extends Omit<GeneratedData, "version"> {
  readonly version: string | null;
  readonly text: string;
}

export interface BundleInput {
  /** The `moduleIds` of all chunks that rolldown wrote. */
  readonly moduleIds: readonly string[];
  /** The root of the repository. */
  readonly root: string;
  readonly exceptions?: readonly LicenceException[];
}

export function readBundleContent({ moduleIds, root, exceptions = LICENCE_EXCEPTIONS }: BundleInput): BundleContent {
  const files = moduleIds.map((id) => id.replace(/\?.*$/, ""));
  const foreignFiles = files.filter((file) => file.startsWith("\0") || file.split(sep).includes("node_modules"));
  const ownFiles = files
    .filter((file) => !foreignFiles.includes(file))
    .map((file) => relative(root, file).split(sep).join("/"));
  const folders = [...new Set(foreignFiles.map(findPackageFolder))];
  const manifests = folders.map((folder) => ({ folder, manifest: readManifest(folder) }));
  const textOf = (exception: LicenceException): string => exceptionText(exception, { folders, root });
  const packages = manifests.map(({ folder, manifest }) => {
    const exception = exceptions.find(({ name }) => name === manifest.name);
    return describePackage({ folder, manifest, exception, textOf });
  });
  const data = readGeneratedData(ownFiles, root);
  // Some packages contain only the short notice of this licence, which refers to the full text.
  if (
    packages.some(({ licence }) => licence === "Apache-2.0") &&
    !packages.some(({ texts }) => texts.some(isFullApacheText))
  )
    throw new Error("packages under Apache-2.0 are in the bundle, and none of them has the whole text of the licence");
  return {
    packages: packages.sort((a, b) => compareText(a.name, b.name) || compareText(a.version, b.version)),
    data,
    directFolders: listDirectDependencies(ownFiles, root),
  };
}

function isFullApacheText(text: string): boolean {
  return text.includes("TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION");
}

function listDirectDependencies(ownFiles: readonly string[], root: string): readonly string[] {
  const folders = new Set(ownFiles.flatMap((file) => /^packages\/[^/]+/.exec(file) ?? []));
  const dependencyFolders = [...folders].flatMap((folder) => {
    const { dependencies = {}, devDependencies = {} } = readManifest(join(root, folder));
    return Object.keys({ ...dependencies, ...devDependencies }).map((name) => findDependency(join(root, folder), name));
  });
  return dependencyFolders.filter((folder) => folder !== null);
}

/** Resolves a package name from a folder. Returns the folder with links resolved, or null. */
export function findDependency(start: string, name: string): string | null {
  for (let folder = start; dirname(folder) !== folder; folder = dirname(folder)) {
    const candidate = join(folder, "node_modules", name);
    if (existsSync(candidate)) return realpathSync(candidate);
  }
  return null;
}

/** Returns the folder of the package that a module belongs to: the nearest one whose package.json has a name and a version. */
function findPackageFolder(file: string): string {
  // Helpers that the bundler adds to its output are part of its own package.
  if (file.startsWith("\0rolldown/")) return findPackageFolder(fileURLToPath(import.meta.resolve("rolldown")));
  if (file.startsWith("\0"))
    throw new Error(`the bundle contains ${JSON.stringify(file)}, and its package is not known`);
  for (let folder = dirname(file); dirname(folder) !== folder; folder = dirname(folder)) {
    if (folder.endsWith(`${sep}node_modules`)) break;
    if (existsSync(join(folder, "package.json"))) {
      const { name, version } = readManifest(folder);
      if (name && version) return realpathSync(folder);
    }
  }
  throw new Error(`no package.json with a name and a version was found for ${file}`);
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: unknown;
  readonly author?: string | { readonly name?: string };
  readonly repository?: string | { readonly url?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

interface PackageInput {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly exception: LicenceException | undefined;
  readonly textOf: (exception: LicenceException) => string;
}

function describePackage({ folder, manifest, exception, textOf }: PackageInput): BundledPackage {
  const { name, version, license, author, repository, dependencies = {} } = manifest;
  const title = `${name} ${version}`;
  const licence = exception?.licence ?? license;
  if (typeof licence !== "string" || !PERMITTED_LICENCES.includes(licence))
    throw new Error(
      `${title} is in the bundle, and its licence ${JSON.stringify(licence ?? null)} is not one of PERMITTED_LICENCES in scripts/release/bundled-packages.ts. Leave the package out, or add the licence there after reading it.`,
    );
  const files = listLicenceFiles(folder).filter((file) => !exception?.omit?.includes(file));
  const hasLicence = files.some((file) => !file.includes("/") && /^(?:un)?licen[cs]e|^copying/i.test(file));
  if (!hasLicence && !exception?.text)
    throw new Error(
      `${title} is in the bundle, and its folder has no licence file. Leave the package out, or name the text of its licence in LICENCE_EXCEPTIONS in scripts/release/bundled-packages.ts.`,
    );
  if (hasLicence && exception?.text)
    throw new Error(
      `${title} has a licence file now; remove its text from LICENCE_EXCEPTIONS in scripts/release/bundled-packages.ts.`,
    );
  const ownTexts = files.map((file) => tidyText(readFileSync(join(folder, file), "utf8")));
  return {
    ...{ name, version, folder, licence },
    texts: exception?.text ? [textOf(exception), ...ownTexts] : ownTexts,
    author: (typeof author === "string" ? author : author?.name)?.replace(/\s*[<(].*$/, "") ?? null,
    repository: repositoryUrl(typeof repository === "string" ? repository : repository?.url),
    dependencies: Object.keys(dependencies),
  };
}

const LICENCE_FILE =
  /^(?:(?:un)?licen[cs]e|copying|notice|third-?party-?(?:licen[cs]e|notice)s?)(?:[-.](?!.*(?:js|ts|map|json)$).*)?$/i;

/** Lists paths relative to the package, its own licence first. Licences in subfolders belong to code that it contains. */
function listLicenceFiles(folder: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && LICENCE_FILE.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((path) => !path.split("/").includes("node_modules"));
  const depth = (path: string): number => path.split("/").length;
  return names.sort((a, b) => depth(a) - depth(b) || compareText(a, b));
}

function exceptionText({ name, text }: LicenceException, search: { folders: readonly string[]; root: string }): string {
  if (!text) throw new Error(`the exception for ${name} names no text`);
  if ("notice" in text) return readQuotedLicence(text, search.root);
  const folder = search.folders.find((each) => readManifest(each).name === text.package);
  const file = folder && listLicenceFiles(folder)[0];
  if (!file)
    throw new Error(`the licence text of ${name} is that of ${text.package}, which is not in the bundle or has none`);
  return tidyText(readFileSync(join(folder, file), "utf8"));
}

/** Reads the data that our own modules were generated from. A module that names a NOTICE.md must be in GENERATED_DATA. */
function readGeneratedData(ownFiles: readonly string[], root: string): readonly BundledData[] {
  // The declarations of our modules are generated by the bundler. They are not files and contain no data.
  const files = ownFiles.filter((file) => !file.endsWith(".d.ts"));
  return files.toSorted(compareText).flatMap((file) => {
    const [opening = ""] = readFileSync(join(root, file), "utf8").split("\n", 1);
    const sources = GENERATED_DATA.filter(({ module }) => module === file);
    if (/see NOTICE\.md/.test(opening) && sources.length === 0)
      throw new Error(
        `${file} is generated from the work of others; add it to GENERATED_DATA in scripts/release/bundled-packages.ts.`,
      );
    return sources.map((data) => ({
      ...data,
      version: data.version?.exec(opening)?.[1] ?? null,
      text: readQuotedLicence(data, root),
    }));
  });
}

function readQuotedLicence({ notice, copyright }: QuotedLicence, root: string): string {
  const quotes = readFileSync(join(root, notice), "utf8").match(/^>.*(?:\n>.*)*/gm) ?? [];
  const quote = quotes.find((each) => each.includes(copyright));
  if (!quote) throw new Error(`${notice} quotes no licence with the line "${copyright}"`);
  return tidyText(quote.replace(/^> ?/gm, ""));
}

function tidyText(text: string): string {
  return text
    .replace(/^\uFEFF/, "")
    .replace(/\r\n?/g, "\n")
    .replace(/[ \t]+$/gm, "")
    .replace(/^\n+|\n+$/g, "");
}

function repositoryUrl(declared: string | undefined): string | null {
  if (!declared) return null;
  if (/^[\w.-]+\/[\w.-]+$/.test(declared)) return `https://github.com/${declared}`;
  return declared
    .replace(/^git\+/, "")
    .replace(/^(?:git|ssh):\/\/(?:git@)?/, "https://")
    .replace(/\.git$/, "");
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

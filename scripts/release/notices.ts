/**
 * Writes the third-party notices of a bundle beside it, and the software bill of materials of the program in the CycloneDX 1.6 format. The
 * same bundle gives the same bytes: no time, no randomness.
 */

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LOCKFILE, listLockedVersions } from "../check-supply-chain.ts";
import {
  type BundleContent,
  type BundledData,
  type BundledPackage,
  findDependency,
  readBundleContent,
} from "./bundled-packages.ts";

export const NOTICES_FILE = "THIRD-PARTY-NOTICES";
export const SBOM_FILE = "sbom.cdx.json";

export interface NoticesOptions {
  /** The output of rolldown. */
  readonly chunks: readonly { readonly moduleIds: readonly string[] }[];
  /** Where the files are written. */
  readonly folder: string;
  /** The folder of the package that is bundled, such as packages/cli. */
  readonly packageFolder: string;
}

const root = join(import.meta.dirname, "../..");

/** Writes both files for the program, which bundles all its dependencies. */
export function writeNoticesAndSbom(options: NoticesOptions): void {
  const content = writeNotices(options);
  const { name, version, license, description } = readManifest(options.packageFolder);
  const program = { name, version, licence: license, description };
  const sbom = createSbom({ program, ...content, lockfile: readFileSync(join(root, LOCKFILE), "utf8") });
  writeFileSync(join(options.folder, SBOM_FILE), `${JSON.stringify(sbom, null, 2)}\n`);
}

/** Writes nothing for a library that bundles nothing of others. Its dependencies are installed with their own licences. */
export function writeNotices({ chunks, folder, packageFolder }: NoticesOptions): BundleContent {
  const content = readBundleContent({ moduleIds: chunks.flatMap(({ moduleIds }) => moduleIds), root });
  if (content.packages.length + content.data.length > 0)
    writeFileSync(join(folder, NOTICES_FILE), formatNotices(readManifest(packageFolder), content));
  return content;
}

function readManifest(folder: string): Readonly<Record<"name" | "version" | "license" | "description", string>> {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

export interface NamedVersion {
  readonly name: string;
  readonly version: string;
}

export function formatNotices({ name, version }: NamedVersion, { packages, data }: BundleContent): string {
  const parts = [
    ...packages.map((each) => ({ ...each, details: [each.author, each.repository] })),
    ...data.map((each) => ({ ...each, texts: [each.text], details: [each.repository, each.description] })),
  ];
  const texts = [...new Set(parts.flatMap((part) => part.texts))];
  const formatTitle = (part: { name: string; version: string | null }): string =>
    [part.name, part.version].filter(Boolean).join(" ");
  const lines = parts.flatMap((part) => [
    `${formatTitle(part)}: ${part.licence}, text ${part.texts.map((text) => texts.indexOf(text) + 1).join(", ")}`,
    ...part.details.filter((each) => each !== null).map((each) => `    ${each}`),
  ]);
  const sections = texts.map((text, index) => {
    const users = parts.filter((part) => part.texts.includes(text)).map(formatTitle);
    return [SEPARATOR, `Text ${index + 1}: ${users.join(", ")}`, SEPARATOR, "", text, ""].join("\n");
  });
  const opening = `${name} ${version} contains the following software and data of others. The licence of ${name} itself is in the file LICENSE of the package.`;
  return [`Third-party notices of ${name} ${version}`, "", opening, "", ...lines, "", ...sections].join("\n");
}

const SEPARATOR = "-".repeat(80);

export interface SbomOptions extends BundleContent {
  readonly program: NamedVersion & { readonly licence: string; readonly description: string };
  /** The text of pnpm-lock.yaml, which has the hashes of the packages. */
  readonly lockfile: string;
}

export function createSbom({
  program,
  packages,
  data,
  directFolders,
  lockfile,
}: SbomOptions): Readonly<Record<string, unknown>> {
  const { name, version, licence, description } = program;
  const reference = formatPackageUrl(name, version);
  const hashes = readLockedHashes(lockfile);
  const components = [
    ...packages.map((each) => createPackageComponent(each, hashes)),
    ...data.map(createDataComponent),
  ];
  const dependencyEntries = packages.map((each) => ({
    ref: packageReference(each),
    dependsOn: listBundledDependencies(each, packages),
  }));
  const dependedOn = new Set(dependencyEntries.flatMap(({ dependsOn }) => dependsOn));
  // Packages without a dependent belong to the program too: the helpers of the bundler.
  const directPackages = packages.filter(
    (each) => directFolders.includes(each.folder) || !dependedOn.has(packageReference(each)),
  );
  const content = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      lifecycles: [{ phase: "build" }],
      component: {
        ...{ type: "application", "bom-ref": reference, ...splitName(name), version, description },
        ...{ licenses: [{ license: { id: licence } }], purl: reference },
      },
    },
    components,
    dependencies: [
      { ref: reference, dependsOn: [...directPackages.map(packageReference), ...data.map(dataReference)] },
      ...dependencyEntries,
      ...data.map((each) => ({ ref: dataReference(each) })),
    ],
  };
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    serialNumber: createSerialNumber(content),
    ...content,
  };
}

function createPackageComponent(each: BundledPackage, hashes: ReadonlyMap<string, string>): object {
  const { name, version, licence, author, repository } = each;
  const hash = hashes.get(`${name}@${version}`);
  return {
    ...{ type: "library", "bom-ref": packageReference(each), ...splitName(name), version },
    ...(author === null ? {} : { authors: [{ name: author }] }),
    // The hash is that of the published package; the bundle contains only the parts that are used.
    ...(hash ? { hashes: [{ alg: "SHA-512", content: hash }] } : {}),
    licenses: [{ license: { id: licence } }],
    purl: packageReference(each),
    ...(repository === null ? {} : { externalReferences: [{ type: "vcs", url: repository }] }),
  };
}

function createDataComponent(each: BundledData): object {
  const { name, version, description, licence, repository, purl, copyright } = each;
  return {
    ...{ type: "data", "bom-ref": dataReference(each), ...splitName(name) },
    ...(version === null ? {} : { version }),
    description,
    licenses: [{ license: { id: licence } }],
    copyright,
    purl: version === null ? purl : `${purl}@${version}`,
    externalReferences: [{ type: "vcs", url: repository }],
  };
}

function dataReference({ name, version }: BundledData): string {
  return ["data:", name, version === null ? "" : `@${version}`].join("");
}

function packageReference({ name, version }: NamedVersion): string {
  return formatPackageUrl(name, version);
}

function formatPackageUrl(name: string, version: string): string {
  return `pkg:npm/${name.replace(/^@/, "%40")}@${encodeURIComponent(version)}`;
}

function splitName(name: string): { readonly group?: string; readonly name: string } {
  const [, group, rest] = /^(@[^/]+)\/(.+)$/.exec(name) ?? [];
  return group && rest ? { group, name: rest } : { name };
}

/** Lists the packages of the bundle that this one resolves by the names in its `dependencies`. */
function listBundledDependencies(
  { folder, dependencies }: BundledPackage,
  packages: readonly BundledPackage[],
): readonly string[] {
  const folders = dependencies.map((name) => findDependency(folder, name));
  return packages.filter((each) => folders.includes(each.folder)).map(packageReference);
}

/** Returns the SHA-512 in hexadecimal by `name@version`. */
function readLockedHashes(lockfile: string): ReadonlyMap<string, string> {
  const lines = lockfile.split("\n");
  const hashes = listLockedVersions(lockfile).flatMap(({ name, version, line }) => {
    const hash = /integrity: sha512-([\w+/=]+)/.exec(lines[line] ?? "")?.[1];
    return hash ? [[`${name}@${version}`, Buffer.from(hash, "base64").toString("hex")] as const] : [];
  });
  return new Map(hashes);
}

/** Derives a UUID of version 8 from the content. */
function createSerialNumber(content: object): string {
  const bytes = createHash("sha256").update(JSON.stringify(content)).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return `urn:uuid:${bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")}`;
}

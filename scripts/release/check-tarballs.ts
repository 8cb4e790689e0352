/**
 * `node scripts/release/check-tarballs.ts FOLDER`: checks the packed packages of a folder before they are published. They must have one version,
 * no workspace ranges, no installation scripts, every file that their manifest names, and notices beside bundles.
 *
 * publish.ts imports this file in a job without installed dependencies, so it must not import npm packages.
 */

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatCount } from "../fault.ts";
import { isProgram, listPublishedPackages, readVersion } from "../packages.ts";
import { NOTICES_FILE, SBOM_FILE } from "./notices.ts";

function printReport(folder: string | undefined): void {
  if (folder === undefined || !existsSync(folder)) {
    console.error("usage: node scripts/release/check-tarballs.ts FOLDER   the folder with the packed packages (*.tgz)");
    process.exit(2);
  }
  const names = listPublishedPackages().map(({ manifest }) => manifest.name);
  const tarballs = readTarballs(folder);
  const faults = checkTarballs(tarballs, { version: readVersion(), names });
  for (const fault of faults) console.log(fault);
  console.log(`packed: ${formatCount(tarballs.length, "package")}, ${formatCount(faults.length, "fault")}`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}

export interface Tarball {
  readonly file: string;
  readonly bytes: number;
  readonly manifest: PackedManifest;
  /** Paths in the package, such as `dist/index.js`. */
  readonly files: readonly string[];
  /** The bill of materials; null if there is none. */
  readonly sbom: Sbom | null;
}

interface PackedManifest extends Readonly<Record<string, unknown>> {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
}

export interface Sbom {
  readonly metadata: { readonly component: { readonly name: string; readonly version: string } };
  readonly components: readonly unknown[];
}

/** Reads every tarball of a folder, sorted by name. */
export function readTarballs(folder: string): readonly Tarball[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
  return names.sort().map((name) => readTarball(join(folder, name)));
}

export function readTarball(file: string): Tarball {
  const folder = mkdtempSync(join(tmpdir(), "pith-tarball-"));
  try {
    execFileSync("tar", ["-xzf", file, "-C", folder]);
    const packageFolder = join(folder, "package");
    const files = readdirSync(packageFolder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) =>
        join(entry.parentPath, entry.name)
          .slice(packageFolder.length + 1)
          .replaceAll("\\", "/"),
      );
    const sbom = files.find((path) => path.endsWith(SBOM_FILE));
    return {
      file,
      bytes: statSync(file).size,
      manifest: JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")),
      files: files.sort(),
      sbom: sbom ? JSON.parse(readFileSync(join(packageFolder, sbom), "utf8")) : null,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export interface ExpectedPackages {
  readonly version: string;
  /** The names of all published packages. */
  readonly names: readonly string[];
}

/** Returns one sentence for each fault. */
export function checkTarballs(tarballs: readonly Tarball[], { version, names }: ExpectedPackages): readonly string[] {
  const packed = tarballs.map(({ manifest }) => manifest.name);
  return [
    ...names.filter((name) => !packed.includes(name)).map((name) => `${name} was not packed`),
    ...packed
      .filter((name) => !names.includes(name))
      .map((name) => `${name} was packed, but is not a published package`),
    ...tarballs.flatMap((tarball) =>
      checkPackage(tarball, { version, names }).map((sentence) => `${tarball.manifest.name}: ${sentence}`),
    ),
  ];
}

/** Checks one package. Returns one sentence for each fault. */
export function checkPackage(tarball: Tarball, expected: ExpectedPackages): readonly string[] {
  return [
    ...checkVersions(tarball, expected),
    ...checkFiles(tarball),
    ...(isProgram(tarball) ? checkProgram(tarball, expected.version) : []),
  ];
}

const INSTALL_SCRIPTS = ["preinstall", "install", "postinstall", "prepare"];

function checkVersions({ manifest }: Tarball, { version, names }: ExpectedPackages): readonly string[] {
  const { dependencies, optionalDependencies, peerDependencies, scripts = {} } = manifest;
  const ranges = Object.entries({ ...dependencies, ...optionalDependencies, ...peerDependencies });
  const ownRanges = ranges.filter(([name]) => names.includes(name));
  return [
    ...(manifest.version === version ? [] : [`its version is ${manifest.version}, not ${version}`]),
    ...(/":"(?:workspace|file|link|catalog):/.test(JSON.stringify(manifest))
      ? ["its package.json has a range that works only in the workspace"]
      : []),
    ...ownRanges
      .filter(([, range]) => range !== `^${version}`)
      .map(([name, range]) => `it depends on ${name} ${range}, not on ^${version}`),
    ...INSTALL_SCRIPTS.filter((name) => name in scripts).map((name) => `it runs a script at installation (${name})`),
  ];
}

function checkFiles({ manifest, files }: Tarball): readonly string[] {
  const { bin, exports, main, types } = manifest;
  const namedPaths = listPaths([bin, exports, main, types]);
  return [
    ...["LICENSE", "README.md"].filter((name) => !files.includes(name)).map((name) => `it has no ${name}`),
    ...namedPaths
      .filter((path) => !files.includes(path))
      .map((path) => `its package.json names ${path}, which it does not have`),
    ...files
      .filter((path) => /\.ts$/.test(path) && !/\.d\.ts$/.test(path))
      .slice(0, 1)
      .map((path) => `it has the source ${path}`),
  ];
}

function listPaths(value: unknown): readonly string[] {
  if (typeof value === "string") return value.includes("*") ? [] : [value.replace(/^\.\//, "")];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(listPaths) : [];
}

function checkProgram({ manifest, files, sbom }: Tarball, version: string): readonly string[] {
  const { dependencies = {} } = manifest;
  return [
    ...(files.some((path) => path.endsWith(NOTICES_FILE)) ? [] : [`it has no ${NOTICES_FILE}`]),
    ...(sbom ? [] : [`it has no ${SBOM_FILE}`]),
    ...(sbom && sbom.metadata.component.version !== version ? [`its ${SBOM_FILE} is of another version`] : []),
    ...Object.keys(dependencies).map((name) => `it depends on ${name}, which should be in its bundle`),
  ];
}

/** Sorts dependencies before their dependents, so that a published package can be installed at once. */
export function sortForPublishing(tarballs: readonly Tarball[]): readonly Tarball[] {
  const order: Tarball[] = [];
  const add = (tarball: Tarball): void => {
    if (order.includes(tarball)) return;
    const names = Object.keys({ ...tarball.manifest.dependencies, ...tarball.manifest.peerDependencies });
    for (const next of tarballs) if (next !== tarball && names.includes(next.manifest.name)) add(next);
    order.push(tarball);
  };
  // The program is last, because users install it.
  for (const tarball of tarballs) if (!isProgram(tarball)) add(tarball);
  for (const tarball of tarballs) add(tarball);
  return order;
}

if (import.meta.main) printReport(process.argv[2]);

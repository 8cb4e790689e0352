/**
 * `node scripts/release/publish.ts FOLDER`: publishes the packed packages of a folder with npm, dependencies first. A tarball that the registry
 * already has is skipped, so a run that failed halfway is finished by running it again. With `--placeholders` it writes an empty package 0.0.0
 * for each published name into the folder, to reserve the names once, and publishes nothing.
 *
 * The workflow runs this file without installed dependencies, so it must not import npm packages.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { listPublishedPackages } from "../packages.ts";
import { readTarballs, sortForPublishing, type Tarball } from "./check-tarballs.ts";

const isTrusted = process.env.GITHUB_ACTIONS === "true";
const { values, positionals } = parseArgs({ allowPositionals: true, options: { placeholders: { type: "boolean" } } });
const [folder] = positionals;
if (folder === undefined || !(values.placeholders || existsSync(folder))) {
  console.error("usage: node scripts/release/publish.ts FOLDER   the folder with the packed packages (*.tgz)");
  console.error("       node scripts/release/publish.ts --placeholders FOLDER   the folder for the empty packages");
  process.exit(2);
}
if (values.placeholders) writePlaceholders(resolve(folder));
else publishFolder(resolve(folder));

function publishFolder(folder: string): void {
  if (isTrusted) requireTrustedNpm();
  const tarballs = sortForPublishing(readTarballs(folder));
  if (tarballs.length === 0) throw new Error(`${folder} has no packed packages (*.tgz)`);
  for (const [index, tarball] of tarballs.entries()) {
    const { name, version } = tarball.manifest;
    const fault = publishOnce(tarball);
    if (fault === null) continue;
    const missing = tarballs.slice(index).map(({ manifest }) => manifest.name);
    console.error(
      `${name} ${version} ${fault}\nOn the registry: ${index} of ${tarballs.length}. Missing: ${missing.join(", ")}.`,
    );
    process.exit(1);
  }
}

/** Publishes a tarball unless the registry has it already. Returns what went wrong, or null. */
function publishOnce(tarball: Tarball): string | null {
  const { name, version } = tarball.manifest;
  const published = fetchIntegrity(name, version);
  if (published !== null && published !== computeIntegrity(tarball))
    return "is on the registry with other content. A version is published once: release a new one.";
  if (published === null && !publishTarball(tarball))
    return "could not be published. Fix the cause, and run this again with the same tarballs.";
  console.log(`${name} ${version}: ${published === null ? "published" : "published before"}`);
  return null;
}

/** Since 11.5.1 npm exchanges the token of the workflow for one of the registry. An older npm asks for a login. */
function requireTrustedNpm(): void {
  const version = execFileSync("npm", ["--version"], { encoding: "utf8" }).trim();
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  if (major * 1e6 + minor * 1e3 + patch >= 11_005_001) return;
  throw new Error(`npm ${version} cannot publish without a token; trusted publishing needs npm 11.5.1 or newer`);
}

/** Returns null if the registry does not have this version. */
function fetchIntegrity(name: string, version: string): string | null {
  const args = ["view", `${name}@${version}`, "dist.integrity", "--json", "--prefer-online"];
  const { status, stdout, stderr } = spawnSync("npm", args, { encoding: "utf8" });
  if (status === 0) return stdout.trim() === "" ? null : JSON.parse(stdout);
  if (/E404/.test(stdout + stderr)) return null;
  throw new Error(`the registry did not answer whether it has ${name} ${version}:\n${stderr.trim()}`);
}

function computeIntegrity({ file }: Tarball): string {
  return `sha512-${createHash("sha512").update(readFileSync(file)).digest("base64")}`;
}

function publishTarball({ file, manifest }: Tarball): boolean {
  const tag = manifest.version.includes("-") ? "next" : "latest";
  const provenance = isTrusted ? ["--provenance"] : [];
  const args = ["publish", file, "--access", "public", "--tag", tag, ...provenance];
  return spawnSync("npm", args, { stdio: ["ignore", "inherit", "inherit"] }).status === 0;
}

function writePlaceholders(folder: string): void {
  for (const { manifest } of listPublishedPackages()) {
    const { name, repository } = manifest;
    const packageFolder = join(folder, name.replace(/^@/, "").replace("/", "-"));
    mkdirSync(packageFolder, { recursive: true });
    const placeholder = {
      name,
      version: "0.0.0",
      description: "Reserved; the first release follows.",
      license: "MIT",
      repository,
    };
    writeFileSync(join(packageFolder, "package.json"), `${JSON.stringify(placeholder, null, 2)}\n`);
    writeFileSync(join(packageFolder, "README.md"), `# ${name}\n\nThis name is reserved. The first release follows.\n`);
    console.log(`npm publish ${packageFolder} --access public`);
  }
}

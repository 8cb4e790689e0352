/**
 * `node scripts/release/publish.ts FOLDER`: publishes the packed packages of a folder with npm, dependencies first. What the registry has already
 * is left alone if it is the same tarball, so that a run that broke off is finished by running it again.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { readTarballs, sortForPublishing, type Tarball } from "./tarballs.ts";

const folder = process.argv[2];
if (folder === undefined || !existsSync(folder)) {
  console.error("usage: node scripts/release/publish.ts FOLDER   the folder with the packed packages (*.tgz)");
  process.exit(2);
}
const isTrusted = process.env.GITHUB_ACTIONS === "true";
if (isTrusted) requireTrustedNpm();
const tarballs = sortForPublishing(readTarballs(resolve(folder)));
if (tarballs.length === 0) throw new Error(`${folder} has no packed packages (*.tgz)`);
for (const [index, tarball] of tarballs.entries()) {
  const { name, version } = tarball.manifest;
  const published = fetchIntegrity(name, version);
  if (published === computeIntegrity(tarball)) console.log(`${name} ${version}: published before`);
  else if (published !== null)
    failPublishing(
      `${name} ${version} is on the registry with other content. A version is published once: release a new one.`,
      index,
    );
  else if (publishTarball(tarball)) console.log(`${name} ${version}: published`);
  else
    failPublishing(
      `${name} ${version} could not be published. Run this again with the same tarballs when the cause is mended.`,
      index,
    );
}

/** npm exchanges the token of the workflow for one of the registry since 11.5.1; an older one asks for a login. */
function requireTrustedNpm(): void {
  const version = execFileSync("npm", ["--version"], { encoding: "utf8" }).trim();
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  if (major * 1e6 + minor * 1e3 + patch >= 11_005_001) return;
  throw new Error(`npm ${version} cannot publish without a token; trusted publishing needs npm 11.5.1 or newer`);
}

/** null where the registry does not have this version. */
function fetchIntegrity(name: string, version: string): string | null {
  const args = ["view", `${name}@${version}`, "dist.integrity", "--json", "--prefer-online"];
  const { status, stdout, stderr } = spawnSync("npm", args, { encoding: "utf8" });
  if (status === 0) return stdout.trim() === "" ? null : JSON.parse(stdout);
  if (/E404/.test(stdout + stderr)) return null;
  throw new Error(`the registry does not say whether it has ${name} ${version}:\n${stderr.trim()}`);
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

function failPublishing(sentence: string, publishedCount: number): never {
  const missing = tarballs.slice(publishedCount).map(({ manifest }) => manifest.name);
  console.error(
    `${sentence}\nOn the registry: ${publishedCount} of ${tarballs.length}. Missing: ${missing.join(", ")}.`,
  );
  process.exit(1);
}

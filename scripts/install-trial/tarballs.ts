/** Packs all published packages into a folder, and checks each tarball with publint and are-the-types-wrong. */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { isProgram, listPublishedPackages, type Package, root } from "../build/packages.ts";
import { checkPackage, readTarball } from "../release/tarballs.ts";
import type { InstallTrial } from "./trial.ts";

export interface PackedPackage extends Package {
  readonly file: string;
}

export function packPackages(folder: string): readonly PackedPackage[] {
  const pack = join(root, "scripts/pack-packages.ts");
  const stdout = execFileSync(process.execPath, [pack, folder], { encoding: "utf8", stdio: ["ignore", "pipe", 2] });
  const files = stdout.trim().split("\n");
  return listPublishedPackages().map((each, index) => ({ ...each, file: files[index] ?? "" }));
}

export async function checkTarball(tarball: PackedPackage, trial: InstallTrial): Promise<void> {
  const { name } = tarball.manifest;
  await trial.runStep(`${name}: manifest`, () => checkManifest(tarball));
  await trial.runStep(`${name}: publint`, async () => {
    const { messages, pkg } = await publint({ pack: { tarball: readBytes(tarball.file) }, strict: true });
    if (messages.length > 0) throw new Error(messages.map((message) => formatMessage(message, pkg)).join("\n"));
    return undefined;
  });
  if (isProgram(tarball)) return;
  await trial.runStep(`${name}: are the types wrong`, () => {
    const cli = join(root, "node_modules/@arethetypeswrong/cli/dist/index.js");
    // For ESM only: `require` of an ES module works in every Node that is supported, and old resolvers are not.
    const args = [cli, tarball.file, "--profile", "esm-only", "--format", "ascii", "--no-color", "--no-emoji"];
    execFileSync(process.execPath, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
    return undefined;
  });
}

function readBytes(file: string): ArrayBuffer {
  const { buffer, byteOffset, byteLength } = readFileSync(file);
  return (buffer as ArrayBuffer).slice(byteOffset, byteOffset + byteLength);
}

function checkManifest({ file, manifest }: PackedPackage): string {
  const contents = readTarball(file);
  const names = listPublishedPackages().map((each) => each.manifest.name);
  const faults = checkPackage(contents, { version: manifest.version, names });
  if (faults.length > 0) throw new Error(faults.join("; "));
  return `${contents.files.length} files`;
}

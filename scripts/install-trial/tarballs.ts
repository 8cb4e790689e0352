/** Packs all published packages into a folder, and checks each tarball with publint and are-the-types-wrong. */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { isProgram, type Package, publishedPackages, root } from "../build/packages.ts";
import { packageFaults, readTarball } from "../release/tarballs.ts";
import type { Trial } from "./trial.ts";

export interface Tarball extends Package {
  readonly file: string;
}

export function packAll(folder: string): readonly Tarball[] {
  const pack = join(root, "scripts/pack-packages.ts");
  const printed = execFileSync(process.execPath, [pack, folder], { encoding: "utf8", stdio: ["ignore", "pipe", 2] });
  const files = printed.trim().split("\n");
  return publishedPackages().map((each, at) => ({ ...each, file: files[at] ?? "" }));
}

export async function checkTarball(tarball: Tarball, trial: Trial): Promise<void> {
  const { name } = tarball.manifest;
  await trial.step(`${name}: manifest`, () => checkManifest(tarball));
  await trial.step(`${name}: publint`, async () => {
    const { messages, pkg } = await publint({ pack: { tarball: bytesOf(tarball.file) }, strict: true });
    if (messages.length > 0) throw new Error(messages.map((message) => formatMessage(message, pkg)).join("\n"));
    return undefined;
  });
  if (isProgram(tarball)) return;
  await trial.step(`${name}: are the types wrong`, () => {
    const cli = join(root, "node_modules/@arethetypeswrong/cli/dist/index.js");
    // For ESM only: `require` of an ES module works in every Node that is supported, and old resolvers are not.
    const args = [cli, tarball.file, "--profile", "esm-only", "--format", "ascii", "--no-color", "--no-emoji"];
    execFileSync(process.execPath, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
    return undefined;
  });
}

function bytesOf(file: string): ArrayBuffer {
  const { buffer, byteOffset, byteLength } = readFileSync(file);
  return (buffer as ArrayBuffer).slice(byteOffset, byteOffset + byteLength);
}

function checkManifest({ file, manifest }: Tarball): string {
  const packed = readTarball(file);
  const names = publishedPackages().map((each) => each.manifest.name);
  const faults = packageFaults(packed, { version: manifest.version, names });
  if (faults.length > 0) throw new Error(faults.join("; "));
  return `${packed.files.length} files`;
}

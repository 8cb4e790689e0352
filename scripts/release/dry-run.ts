/** `pnpm release:dry-run`: makes the next release in a copy of the checkout, and publishes nothing. The last line is JSON with the version, the packages and the faults. */

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Spec, Validation } from "@cyclonedx/cyclonedx-library";
import { copyCheckout } from "../copy-checkout.ts";
import { isProgram, listPublishedPackages, PROGRAM_NAME, readVersion } from "../packages.ts";
import { checkTarballs, readTarballs, type Tarball } from "./check-tarballs.ts";
import { NOTICES_FILE } from "./notices.ts";
import { isUnreleased, readVersionSection } from "./version.ts";

const CHANGE_SUMMARY = "A change that the dry run invents.";
const startTime = Date.now();
const copyFolder = mkdtempSync(join(tmpdir(), "pith-release-"));
const keepsCopy = process.argv.includes("--keep");
let faults: readonly string[] = [];
try {
  const result = await runDryRun();
  faults = result.faults;
  for (const fault of faults) console.log(`fault: ${fault}`);
  const seconds = Math.round((Date.now() - startTime) / 1000);
  console.log(JSON.stringify({ ...result, seconds, ...(keepsCopy ? { folder: copyFolder } : {}) }));
} finally {
  if (!keepsCopy) rmSync(copyFolder, { recursive: true });
}
process.exitCode = faults.length > 0 ? 1 : 0;

async function runDryRun() {
  copyCheckout(join(import.meta.dirname, "../.."), copyFolder);
  runCommand("pnpm", ["install", "--frozen-lockfile", "--ignore-scripts", "--prefer-offline", "--silent"]);
  const previousVersion = readVersion(copyFolder);
  // An unreleased version is released as it is. The version after it comes from the changeset below.
  if (isUnreleased(readChangelog(), previousVersion)) runCommand("pnpm", ["--silent", "release:version"]);
  writeFileSync(join(copyFolder, ".changeset/dry-run.md"), `---\n"${PROGRAM_NAME}": patch\n---\n\n${CHANGE_SUMMARY}\n`);
  runCommand("pnpm", ["--silent", "release:version"]);
  const version = readVersion(copyFolder);
  runCommand(process.execPath, ["scripts/release/version.ts", "--check", `v${version}`]);
  const folder = join(copyFolder, "packed");
  mkdirSync(folder);
  runCommand("pnpm", ["--silent", "pack:packages", folder]);
  const tarballs = readTarballs(folder);
  const names = listPublishedPackages(copyFolder).map(({ manifest }) => manifest.name);
  return {
    ...{ before: previousVersion, version },
    packages: tarballs.map(({ manifest, bytes, files }) => ({
      ...{ name: manifest.name, bytes, files: files.length },
      hasNotices: files.some((path) => path.endsWith(NOTICES_FILE)),
    })),
    components: tarballs.find(isProgram)?.sbom?.components.length ?? 0,
    faults: [
      ...(previousVersion === version ? ["the changeset did not raise the version"] : []),
      ...(readVersionSection(readChangelog(), version).includes(CHANGE_SUMMARY)
        ? []
        : ["the changelog does not have the summary"]),
      ...checkTarballs(tarballs, { version, names }),
      ...(await checkSbom(tarballs)),
    ],
  };
}

function runCommand(command: string, args: readonly string[]): void {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: copyFolder, encoding: "utf8" });
  if (status === 0) return;
  throw new Error(`${[command, ...args].join(" ")} failed:\n${error?.message ?? stdout + stderr}`);
}

function readChangelog(): string {
  return readFileSync(join(copyFolder, "CHANGELOG.md"), "utf8");
}

async function checkSbom(tarballs: readonly Tarball[]): Promise<readonly string[]> {
  const sbom = tarballs.find(isProgram)?.sbom;
  if (!sbom) return [];
  const error = await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(JSON.stringify(sbom));
  return error === null ? [] : [`the bill of materials is not valid CycloneDX 1.6: ${JSON.stringify(error)}`];
}

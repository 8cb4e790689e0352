/** `scripts/try-install`: packs every package, installs it as users do on each supported Node, and tries it. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { isProgram } from "../build/packages.ts";
import { installLibraries, tryJavaScript, tryTypeScript } from "./libraries.ts";
import { findNode, SUPPORTED_NODES } from "./nodes.ts";
import { type InstallFigures, tryPnpm, tryProgram } from "./program.ts";
import { checkTarball, packPackages } from "./tarballs.ts";
import { InstallTrial } from "./trial.ts";

const MAX_PACKAGES = 3;
const MAX_MEGABYTES = 12;

const { values } = parseArgs({
  options: { node: { type: "string", default: SUPPORTED_NODES.join(",") }, json: { type: "boolean", default: false } },
});
const trial = new InstallTrial((line) => console.error(line));
const folder = mkdtempSync(join(tmpdir(), "pith-install-"));
const installFigures: InstallFigures[] = [];
try {
  const tarballs = packPackages(folder);
  for (const tarball of tarballs) await checkTarball(tarball, trial);
  const program = tarballs.find(isProgram);
  if (!program) throw new Error("no package is the program");
  const nodes = values.node.split(",").map(findNode);
  const libraries = await installLibraries(join(folder, "consumer"), tarballs);
  await tryTypeScript(libraries, trial);
  if (process.platform === "win32") trial.skip("pnpm", "its programs are scripts of cmd there");
  else await tryPnpm({ folder: join(folder, "pnpm"), tarball: program }, trial);
  for (const node of nodes) {
    await tryJavaScript(node, libraries, trial);
    installFigures.push(await tryProgram(node, { folder: join(folder, node.version), tarball: program }, trial));
  }
  const figures = {
    nodes: nodes.map(({ version }) => version),
    packages: Math.max(...installFigures.map(({ packages }) => packages)),
    installed_mb: Number(Math.max(...installFigures.map(({ megabytes }) => megabytes)).toFixed(2)),
    failed: trial.failedSteps,
  };
  // A step that failed before it measured leaves NaN, which is null in JSON and not within a limit.
  const isWithinLimits = figures.packages <= MAX_PACKAGES && figures.installed_mb <= MAX_MEGABYTES;
  if (!isWithinLimits) console.error(`limits: ${MAX_PACKAGES} packages, ${MAX_MEGABYTES} MB`);
  console.log(values.json ? JSON.stringify(figures) : figures);
  process.exitCode = trial.failedSteps === 0 && isWithinLimits ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Installs the sandbox runtime with Pith's own install command, once, into a folder that is not committed. */

import { execSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  formatInstallCommand,
  type InstalledRuntime,
  RUNTIME_VERSION,
} from "../../../src/node/sandbox-runtime/install.ts";

const peers = join(import.meta.dirname, "../../../../../.peers");

/** Fails where the registry cannot be reached. Tests that run at the same time may fetch it twice; one of them is kept. */
export function installedRuntime(): InstalledRuntime {
  const folder = join(peers, `sandbox-runtime-${RUNTIME_VERSION}`);
  if (!existsSync(folder)) fetchRuntime(folder);
  return { folder, version: RUNTIME_VERSION };
}

function fetchRuntime(folder: string): void {
  mkdirSync(peers, { recursive: true });
  const fresh = mkdtempSync(join(peers, "fetching-"));
  execSync(`${formatInstallCommand(fresh)} --no-audit --no-fund --silent`, { stdio: ["ignore", "ignore", "inherit"] });
  if (existsSync(folder)) rmSync(fresh, { recursive: true });
  else renameSync(fresh, folder);
}

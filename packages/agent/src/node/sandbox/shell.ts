/** Runs commands that write only the workspace and private folders. A command whose sandbox cannot be made does not run. */

import type { ShellOptions, ShellResult, WorkspaceShell } from "../../ports.ts";
import type { SandboxNetwork } from "../sandbox-network/network.ts";
import { bashArguments, runInGroup } from "../shell.ts";
import { findRootProblem } from "./detect.ts";
import { SandboxLauncher } from "./launch.ts";
import { MOUNTS_MOVED } from "./mounts.ts";
import { existingRealPath, type SandboxOptions } from "./options.ts";
import { openThrowawayFolders } from "./private-folders.ts";

/** What is shown may be moved between the look at it and the mount. */
const MAX_TRIES = 3;
const MAX_ERROR_CHARS = 4_096;

export function sandboxedShell(sandbox: SandboxOptions): WorkspaceShell {
  const launcher = new SandboxLauncher(sandbox);
  return {
    run: async (command, options) => {
      const rootProblem = findRootProblem(existingRealPath(sandbox.root) ?? sandbox.root, sandbox.home);
      if (rootProblem !== null) return notStartedResult(rootProblem);
      const homeProblem = await tryFillHome(sandbox);
      if (homeProblem !== null) return notStartedResult(homeProblem);
      return hasSecrets(options)
        ? await runWithSecrets(command, sandbox, options)
        : await runWithRetries(launcher, command, options);
    },
  };
}

/** Why it could not be done, or null. */
async function tryFillHome(sandbox: SandboxOptions): Promise<string | null> {
  try {
    await sandbox.fillHome?.();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function hasSecrets({ environment = {}, credentialFiles = [] }: ShellOptions): boolean {
  return Object.keys(environment).length > 0 || credentialFiles.length > 0;
}

/** In folders and a network of its own: nothing that other commands left or started gets hold of the secret. */
async function runWithSecrets(command: string, sandbox: SandboxOptions, options: ShellOptions): Promise<ShellResult> {
  const folders = await openThrowawayFolders(sandbox);
  let network: SandboxNetwork | null = null;
  try {
    network = (await sandbox.network?.openSeparate()) ?? null;
    const separate = { ...sandbox, network, privateHome: folders.home, temporary: folders.temporary };
    return await runWithRetries(new SandboxLauncher(separate), command, options);
  } catch (error) {
    return notStartedResult(error instanceof Error ? error.message : String(error));
  } finally {
    await network?.close();
    await folders.close();
  }
}

async function runWithRetries(launcher: SandboxLauncher, command: string, options: ShellOptions): Promise<ShellResult> {
  for (let tries = 1; ; tries += 1) {
    const end = await runOnce(command, launcher, options);
    if (end.type !== "not-started" || tries === MAX_TRIES) return end;
  }
}

async function runOnce(command: string, launcher: SandboxLauncher, options: ShellOptions): Promise<ShellResult> {
  const prepared = launcher.prepare({ ...options, argv: bashArguments(command), commandText: command });
  if (prepared.type === "failed") return notStartedResult(prepared.why);
  const { filter, release, ...launch } = prepared.launch;
  const captured = { status: "", complaint: "" };
  const wrapper = {
    onStatus: (text: string): void => {
      captured.status = (captured.status + text).slice(-MAX_ERROR_CHARS);
    },
    onErrorOutput: (text: string): void => {
      captured.complaint = (captured.complaint + text).slice(-MAX_ERROR_CHARS);
    },
    filter,
  };
  const end = await runInGroup({ ...launch, wrapper }, options).finally(release);
  const haveMountsMoved = captured.complaint.trim() === MOUNTS_MOVED;
  if (end.type === "ended" && (haveMountsMoved || !captured.status.includes(EXIT_CODE_KEY)))
    return notStartedResult(captured.complaint.trim());
  if (captured.complaint) options.onOutput(new TextEncoder().encode(captured.complaint));
  return end;
}

/** Bubblewrap tells its third file how a command ended, and only of one that was started. */
const EXIT_CODE_KEY = '"exit-code"';

function notStartedResult(why: string): ShellResult {
  return { type: "not-started", message: `the command was not run, because its sandbox could not be made: ${why}` };
}

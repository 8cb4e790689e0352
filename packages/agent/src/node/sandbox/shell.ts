/** Runs commands in bubblewrap: they write only the workspace and private folders. A command whose sandbox cannot be created does not run. */

import type { ShellOptions, ShellResult, WorkspaceShell } from "../../ports.ts";
import type { SandboxNetwork } from "../sandbox-network/network.ts";
import { bashArguments, createCommandTimer, runInGroup, type Wrapper } from "../shell.ts";
import type { NameCatcher } from "./catch-names.ts";
import { findRootProblem } from "./detect.ts";
import { createCatcher, SandboxLauncher } from "./launcher.ts";
import { MOUNTS_MOVED } from "./mounts.ts";
import { resolveExistingPath, type SandboxOptions } from "./options.ts";
import { openThrowawayFolders } from "./private-folders.ts";

/** A visible folder may be moved between the check and the mount. */
const MAX_TRIES = 3;

/** Creates a shell that runs each command in bubblewrap. */
export function sandboxedShell(sandbox: SandboxOptions): WorkspaceShell {
  const catcher = createCatcher(sandbox);
  const launcher = new SandboxLauncher(sandbox, catcher);
  return {
    run: async (command, options) => {
      const rootProblem = findRootProblem(resolveExistingPath(sandbox.root) ?? sandbox.root, sandbox.home);
      if (rootProblem !== null) return notStartedResult(rootProblem);
      const homeProblem = await tryFillHome(sandbox);
      if (homeProblem !== null) return notStartedResult(homeProblem);
      return hasSecrets(options)
        ? await runWithSecrets(command, { sandbox, catcher }, options)
        : await runWithRetries(launcher, command, options);
    },
  };
}

/** Returns the reason of a failure, or null. */
async function tryFillHome(sandbox: SandboxOptions): Promise<string | null> {
  try {
    await sandbox.fillHome?.();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Whether a command is given secrets, so that it must run apart from other commands. */
export function hasSecrets({ environment = {}, credentialFiles = [] }: ShellOptions): boolean {
  return Object.keys(environment).length > 0 || credentialFiles.length > 0;
}

/** Uses separate folders and a separate network, so that nothing other commands left or started can read the secret. */
async function runWithSecrets(
  command: string,
  { sandbox, catcher }: { readonly sandbox: SandboxOptions; readonly catcher: NameCatcher },
  options: ShellOptions,
): Promise<ShellResult> {
  const folders = await openThrowawayFolders(sandbox);
  let network: SandboxNetwork | null = null;
  try {
    network = (await sandbox.network?.openSeparate()) ?? null;
    const separate = { ...sandbox, network, privateHome: folders.home, temporary: folders.temporary };
    return await runWithRetries(new SandboxLauncher(separate, catcher), command, options);
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
  const timer = createCommandTimer(options);
  const { waitForUser } = timer;
  const prepared = launcher.prepare({ ...options, argv: bashArguments(command), commandText: command, waitForUser });
  if (prepared.type === "failed") return notStartedResult(prepared.why);
  const { filter, findLimitProblem, findRestriction, release, ...launch } = prepared.launch;
  options.onSandbox?.(findRestriction);
  const output = captureWrapperOutput();
  const { timeoutGraceMs } = launcher;
  const spawnOptions = { ...launch, wrapper: { ...output.listeners, filter }, timer, timeoutGraceMs };
  const end = await runInGroup(spawnOptions, options)
    .then((result) => explainKill(result, findLimitProblem()))
    .finally(release);
  const errorOutput = output.errorOutput();
  const haveMountsMoved = errorOutput.trim() === MOUNTS_MOVED;
  if (end.type === "ended" && (haveMountsMoved || !output.status().includes(EXIT_CODE_KEY)))
    return notStartedResult(errorOutput.trim());
  if (errorOutput) options.onOutput(new TextEncoder().encode(errorOutput));
  return end;
}

function explainKill(result: ShellResult, limitProblem: string | null): ShellResult {
  if (limitProblem === null || result.type !== "killed" || result.cause !== "signal") return result;
  return { ...result, cause: "limit", message: limitProblem };
}

/** Bubblewrap writes the exit code to file descriptor 3, and only of a command that was started. */
const EXIT_CODE_KEY = '"exit-code"';

const MAX_WRAPPER_CHARS = 4_096;

export interface WrapperOutput {
  readonly listeners: Pick<Wrapper, "onStatus" | "onErrorOutput">;
  status(): string;
  errorOutput(): string;
}

/** Keeps the end of what the program around a command writes. */
export function captureWrapperOutput(): WrapperOutput {
  let [status, errorOutput] = ["", ""];
  return {
    listeners: {
      onStatus: (text) => {
        status = (status + text).slice(-MAX_WRAPPER_CHARS);
      },
      onErrorOutput: (text) => {
        errorOutput = (errorOutput + text).slice(-MAX_WRAPPER_CHARS);
      },
    },
    status: () => status,
    errorOutput: () => errorOutput,
  };
}

export function notStartedResult(why: string): ShellResult {
  return { type: "not-started", message: `the command was not run, because its sandbox could not be created: ${why}` };
}

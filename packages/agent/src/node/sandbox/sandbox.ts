/** Runs commands that write only the workspace and private folders. A command whose sandbox cannot be made does not run. */

import type { ShellAct, ShellEnd, WorkspaceShell } from "../../ports.ts";
import { inBash, runInGroup } from "../shell.ts";
import { type Box, presentPath } from "./box.ts";
import { unfitRoot } from "./detect.ts";
import { SandboxLauncher } from "./launch.ts";
import { MOVED } from "./mounts.ts";
import type { SandboxNetwork } from "./network/network.ts";
import { openThrowawayFolders } from "./private-folders.ts";

/** What is shown may be moved between the look at it and the mount. */
const MOST_TRIES = 3;
const LONGEST_WORD = 4_096;

export function sandboxedShell(box: Box): WorkspaceShell {
  const launcher = new SandboxLauncher(box);
  return {
    run: async (command, act) => {
      const unfit = unfitRoot(presentPath(box.root) ?? box.root, box.home);
      if (unfit !== null) return notStarted(unfit);
      const unfilled = await fillHome(box);
      if (unfilled !== null) return notStarted(unfilled);
      return hasSecrets(act) ? await runWithSecrets(command, box, act) : await runIn(launcher, command, act);
    },
  };
}

/** Why it could not be done, or null. */
async function fillHome(box: Box): Promise<string | null> {
  try {
    await box.fillHome?.();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function hasSecrets({ environment = {}, credentialFiles = [] }: ShellAct): boolean {
  return Object.keys(environment).length > 0 || credentialFiles.length > 0;
}

/** In folders and a network of its own: nothing that other commands left or started gets hold of the secret. */
async function runWithSecrets(command: string, box: Box, act: ShellAct): Promise<ShellEnd> {
  const folders = await openThrowawayFolders(box);
  let network: SandboxNetwork | null = null;
  try {
    network = (await box.network?.openSeparate()) ?? null;
    const own = { ...box, network, privateHome: folders.home, temporary: folders.temporary };
    return await runIn(new SandboxLauncher(own), command, act);
  } catch (error) {
    return notStarted(error instanceof Error ? error.message : String(error));
  } finally {
    await network?.close();
    await folders.close();
  }
}

async function runIn(launcher: SandboxLauncher, command: string, act: ShellAct): Promise<ShellEnd> {
  for (let tries = 1; ; tries += 1) {
    const end = await tried(command, launcher, act);
    if (end.type !== "not-started" || tries === MOST_TRIES) return end;
  }
}

async function tried(command: string, launcher: SandboxLauncher, act: ShellAct): Promise<ShellEnd> {
  const prepared = launcher.prepare({ ...act, words: inBash(command), text: command });
  if (prepared.type === "failed") return notStarted(prepared.why);
  const { filter, release, ...launch } = prepared.launch;
  const said = { status: "", complaint: "" };
  const wrapper = {
    status: (text: string): void => {
      said.status = (said.status + text).slice(-LONGEST_WORD);
    },
    complaint: (text: string): void => {
      said.complaint = (said.complaint + text).slice(-LONGEST_WORD);
    },
    filter,
  };
  const end = await runInGroup({ ...launch, wrapper }, act).finally(release);
  const isMoved = said.complaint.trim() === MOVED;
  if (end.type === "ended" && (isMoved || !said.status.includes(STARTED))) return notStarted(said.complaint.trim());
  if (said.complaint) act.output(new TextEncoder().encode(said.complaint));
  return end;
}

/** Bubblewrap tells its third file how a command ended, and only of one that was started. */
const STARTED = '"exit-code"';

function notStarted(why: string): ShellEnd {
  return { type: "not-started", message: `the command was not run, because its sandbox could not be made: ${why}` };
}

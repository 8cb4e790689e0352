/** Checks for `pith doctor` what holds commands on this machine, and which settings loosen it. */

import { execFile } from "node:child_process";
import { homedir } from "node:os";
import { promisify } from "node:util";
import { type CommandSandbox, findCommandSandbox, findForeignFiles, type InstalledRuntime } from "@pith/agent/node";
import type { Call } from "../../args/subcommand.ts";
import { runtimeFolder } from "../../sandbox/sandbox.ts";
import { choose } from "../../settings/resolve.ts";
import type { Settings } from "../../settings/settings.ts";
import { type Check, ok, warning } from "./checks.ts";

export async function sandboxChecks(
  { cwd, environment, home }: Call,
  platform: NodeJS.Platform = process.platform,
): Promise<readonly Check[]> {
  const folder = runtimeFolder(home);
  const here = await findCommandSandbox({ environment, root: cwd, home: homedir(), runtimeFolder: folder, platform });
  const chosen = await choose({}, { home, environment });
  // Settings with a mistake are named by a check of their own.
  const choices = chosen.type === "mistake" ? {} : chosen.choices;
  const network = here.type === "available" ? [networkCheck(here.networkProblem, choices)] : [];
  return [await programCheck(here), ...network, protectionCheck(here, choices)];
}

async function programCheck(here: CommandSandbox): Promise<Check> {
  if (here.type === "unavailable")
    return warning("sandbox", here.why, here.advice ?? "without a sandbox each command needs your yes or --allow");
  if (here.type === "runtime") return await runtimeCheck(here.runtime);
  const { path } = here.program;
  if (here.networkProblem !== null)
    return warning(
      "sandbox",
      `commands are held by ${path}, without a network: ${here.networkProblem}`,
      NETWORK_ADVICE,
    );
  return ok("sandbox", `commands are held by ${path} (${await versionOf(path)})`);
}

/** Its files are compared here as before the first command, and nothing of it is loaded. */
async function runtimeCheck(runtime: InstalledRuntime): Promise<Check> {
  const foreign = await findForeignFiles(runtime);
  if (foreign === null)
    return ok("sandbox", `commands are held by sandbox-runtime ${runtime.version}, in ${runtime.folder}`);
  return warning("sandbox", `${foreign.why}; commands are refused until it is`, foreign.advice);
}

const NETWORK_ADVICE = "install util-linux, which has nsenter; docs/network.md says what it is for";

async function versionOf(path: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(path, ["--version"], { timeout: LONGEST_MS });
    return stdout.trim();
  } catch {
    // It made a sandbox a moment ago; a version that is not told is no reason to distrust it.
    return "of an unknown version";
  }
}

const LONGEST_MS = 10_000;

/** The namespace was made and entered, and a filter loaded, where there is no problem. */
function networkCheck(problem: string | null, { network = "hosts" }: Settings): Check {
  if (problem !== null)
    return warning(
      "network",
      `commands have none: ${problem}`,
      "install util-linux; docs/network.md says what is needed",
    );
  const decided = { off: "commands have none, as you set", open: "every public host is reached without a question" };
  const says = network === "off" || network === "open" ? decided[network] : "each host of a command is decided by you";
  return ok("network", `${says}; it is a namespace of its own, and system calls are filtered`);
}

/** By the rows of docs/security.md. */
export function protectionCheck(here: CommandSandbox, choices: Settings): Check {
  const loosened = looseSettings(choices);
  const isHeld = here.type !== "unavailable" && choices.sandbox !== "off";
  const held = here.type === "runtime" ? FOR_COMMANDS_ON_MACOS : FOR_COMMANDS;
  const says = isHeld ? `for commands: ${held}; ` : "nothing holds a command that you allow; ";
  const all = `${says}for every tool: ${FOR_TOOLS}`;
  if (!isHeld) return warning("protections", all, "docs/security.md says what is missing; a container can hold it");
  if (loosened.length === 0) return ok("protections", all);
  return warning("protections", `${all}; loosened by ${loosened.join(", ")}`, "pith settings shows where each is set");
}

const FOR_COMMANDS =
  "hidden home and variables, writable places, guarded names, network by host, private addresses, unix sockets, ports";
const FOR_COMMANDS_ON_MACOS =
  "hidden home and variables, writable places, guarded names, network by host, private addresses, unix sockets, no port of localhost";
const FOR_TOOLS = "fetch by host, placeholders, restore, trust, redaction, permissions";

function looseSettings(choices: Settings): readonly string[] {
  const { network, unixSockets, permissionMode, secrets } = choices;
  const lists = ["sandboxRead", "sandboxWrite", "sandboxEnvironment"] as const;
  return [
    ...(network === "open" ? ["network open"] : []),
    ...(unixSockets === "on" ? ["unixSockets on"] : []),
    ...lists.filter((name) => choices[name]?.length),
    ...(permissionMode === "all" ? ["permissionMode all"] : []),
    ...(secrets?.redact === "off" ? ["secrets.redact off"] : []),
  ];
}

/** Checks the sandbox for `pith doctor`: how commands are isolated on this machine, and which settings weaken it. */

import { execFile } from "node:child_process";
import { homedir } from "node:os";
import { promisify } from "node:util";
import {
  BYTES_PER_GB,
  type CommandSandbox,
  findCommandSandbox,
  findForeignFiles,
  findKernelLimits,
  type InstalledRuntime,
  type KernelLimits,
} from "@pith/agent/node";
import { buildLimits, runtimeFolderPath } from "@pith/host/sandbox/sandbox";
import type { Settings } from "@pith/host/settings/settings";
import type { SubcommandCall } from "../../args/subcommand.ts";
import { loadSettings } from "../../settings/resolve.ts";
import { type Check, ok, warning } from "./checks.ts";

export async function checkSandbox(
  { cwd, environment, home }: SubcommandCall,
  platform: NodeJS.Platform = process.platform,
): Promise<readonly Check[]> {
  const folder = runtimeFolderPath(home);
  const sandbox = await findCommandSandbox({
    environment,
    root: cwd,
    home: homedir(),
    runtimeFolder: folder,
    platform,
  });
  const resolved = await loadSettings({}, { home, environment });
  // `checkConfiguration` reports invalid settings.
  const settings = resolved.type === "mistake" ? {} : resolved.settings;
  const networkChecks = sandbox.type === "available" ? [checkNetwork(sandbox.networkProblem, settings)] : [];
  const limitChecks = sandbox.type === "unavailable" ? [] : [checkLimits(sandbox.type, settings)];
  return [await checkSandboxProgram(sandbox), ...networkChecks, ...limitChecks, checkProtections(sandbox, settings)];
}

/** Says what one command may use, and what the kernel enforces of it. */
function checkLimits(sandboxType: "available" | "runtime", settings: Settings): Check {
  const { memoryBytes, processes, temporaryBytes } = buildLimits(settings);
  const temporaryText = `${formatGB(temporaryBytes)} of files in ${sandboxType === "runtime" ? "$TMPDIR" : "/tmp"}`;
  if (sandboxType === "runtime")
    return ok("limits", `commands may have ${temporaryText}; their memory and processes are not limited on macOS`);
  const kernelText = describeKernelLimits(findKernelLimits());
  const amounts = `${formatGB(memoryBytes)} of memory, ${processes} processes and threads, and ${temporaryText}`;
  return ok(
    "limits",
    `each command may use ${amounts}; Pith checks this while it runs and kills a command that uses more. ${kernelText}`,
  );
}

function describeKernelLimits({ memory, processes }: KernelLimits): string {
  if (memory) return "The kernel enforces memory and processes (cgroup)";
  if (processes) return "The kernel enforces processes; memory has no cgroup here";
  return "The kernel enforces neither here: there is no cgroup that Pith may use, and Pith runs as root or on Linux before 5.14";
}

function formatGB(bytes: number): string {
  return `${Number((bytes / BYTES_PER_GB).toPrecision(3))} GB`;
}

async function checkSandboxProgram(sandbox: CommandSandbox): Promise<Check> {
  if (sandbox.type === "unavailable")
    return warning(
      "sandbox",
      sandbox.why,
      sandbox.advice ?? "without a sandbox, each command needs your approval or --allow",
    );
  if (sandbox.type === "runtime") return await checkRuntime(sandbox.runtime);
  const { path } = sandbox.program;
  if (sandbox.networkProblem !== null)
    return warning(
      "sandbox",
      `commands are sandboxed by ${path} and have no network: ${sandbox.networkProblem}`,
      NETWORK_ADVICE,
    );
  return ok("sandbox", `commands are sandboxed by ${path} (${await readVersion(path)})`);
}

/** Compares the files of the runtime, as before the first command, without loading them. */
async function checkRuntime(runtime: InstalledRuntime): Promise<Check> {
  const foreignFiles = await findForeignFiles(runtime);
  if (foreignFiles === null)
    return ok("sandbox", `commands are sandboxed by sandbox-runtime ${runtime.version}, in ${runtime.folder}`);
  return warning("sandbox", `${foreignFiles.why}; commands are refused until this is fixed`, foreignFiles.advice);
}

const NETWORK_ADVICE = "install util-linux, which includes nsenter; see docs/network.md";

async function readVersion(path: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(path, ["--version"], { timeout: VERSION_TIMEOUT_MS });
    return stdout.trim();
  } catch {
    // The sandbox was just tested, so an unknown version is not a problem.
    return "unknown version";
  }
}

const VERSION_TIMEOUT_MS = 10_000;

/** `problem` is null if the detection created and entered a network namespace and loaded the system call filter. */
function checkNetwork(problem: string | null, { network = "hosts" }: Settings): Check {
  if (problem !== null)
    return warning("network", `commands have no network: ${problem}`, "install util-linux; see docs/network.md");
  const descriptions = {
    off: "commands have no network, as set in your settings",
    open: "commands can reach any public host without asking",
  };
  const message =
    network === "off" || network === "open" ? descriptions[network] : "commands need your approval for each host";
  return ok("network", `${message}; commands run in a separate network namespace, and system calls are filtered`);
}

/** Lists the protections of docs/security.md that apply. */
function checkProtections(sandbox: CommandSandbox, settings: Settings): Check {
  const looseSettingNames = listLooseSettings(settings);
  const isSandboxed = sandbox.type !== "unavailable" && settings.sandbox !== "off";
  const commandProtections = sandbox.type === "runtime" ? COMMAND_PROTECTIONS_ON_MACOS : COMMAND_PROTECTIONS;
  const commandText = isSandboxed ? `commands ${commandProtections}. ` : "commands you allow run unrestricted. ";
  const message = `${commandText}${TOOL_PROTECTIONS}`;
  if (!isSandboxed)
    return warning(
      "protections",
      message,
      "docs/security.md lists what is missing; for isolation, run Pith in a container",
    );
  if (looseSettingNames.length === 0) return ok("protections", message);
  return warning(
    "protections",
    `${message}. Weakened by ${looseSettingNames.join(", ")}`,
    "pith settings shows where each is set",
  );
}

const FILE_PROTECTIONS =
  "cannot see your home folder, folders beside the workspace or secret environment variables, can write only to the workspace, cannot change files that programs execute (such as .git/hooks), and need your approval for each host";
const COMMAND_PROTECTIONS = `${FILE_PROTECTIONS}; they cannot reach private addresses, Unix sockets or ports on your machine`;
const COMMAND_PROTECTIONS_ON_MACOS = `${FILE_PROTECTIONS}; they cannot reach private addresses or Unix sockets, or use localhost at all`;
const TOOL_PROTECTIONS =
  "Tools: fetch needs your approval for each host, secrets are redacted and reach commands only as placeholders, going back in the tree restores only files that the agent may write, and this folder's own settings and extensions are used only if you trust the folder";

function listLooseSettings(settings: Settings): readonly string[] {
  const { network, unixSockets, permissionMode, secrets } = settings;
  const listSettings = ["sandboxRead", "sandboxWrite", "sandboxEnvironment"] as const;
  return [
    ...(network === "open" ? ["network open"] : []),
    ...(unixSockets === "on" ? ["unixSockets on"] : []),
    ...listSettings.filter((name) => settings[name]?.length),
    ...(permissionMode === "all" ? ["permissionMode all"] : []),
    ...(secrets?.redact === "off" ? ["secrets.redact off"] : []),
  ];
}

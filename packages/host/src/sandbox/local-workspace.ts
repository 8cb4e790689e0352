/** Implements a workspace on this machine: commands run in bubblewrap, or in the sandbox runtime on macOS. */

import type { NetworkSetting, Rule, WorkspaceShell } from "@pith/agent";
import { nodeShell, type RuntimeShell, runtimeShell, type SandboxNetwork, sandboxedShell } from "@pith/agent/node";
import type { HostContext } from "../host-context.ts";
import { listKeyVariables } from "../settings/provider-keys.ts";
import type { Settings } from "../settings/settings.ts";
import type { OpenShellOptions, OpenShellResult, SandboxStatus, Workspace } from "../workspace.ts";
import { createCatchDecisions, describeLeftFiles } from "./caught.ts";
import { createGitSettingsCheck } from "./git-settings.ts";
import { createLazyNetwork, describeNetworkProblem, networkSetting } from "./network.ts";
import { buildSandboxOptions, closeSandbox, type OpenSandbox, openSandbox } from "./sandbox.ts";

export interface LocalWorkspaceOptions extends HostContext {
  /** Shows a notice to the user. */
  readonly notify?: (line: string) => void;
}

/** Does not wait until the sandbox was tried, so that the caller can go on. */
export function openLocalWorkspace({ notify = () => {}, ...context }: LocalWorkspaceOptions): Workspace {
  const opened = openSandbox(context);
  void opened.then(async (sandbox) => {
    if (sandbox.type !== "unavailable") for (const line of describeLeftFiles(await sandbox.cleanup)) notify(line);
  });
  return {
    folder: context.cwd,
    userHome: context.userHome,
    sandbox: opened.then(describeSandbox),
    openShell: async (options) => await openShell(await opened, { ...context, ...options }),
    close: async () => await closeSandbox(await opened),
  };
}

function describeSandbox(sandbox: OpenSandbox): SandboxStatus {
  if (sandbox.type === "unavailable") return sandbox;
  // The sandbox runtime mounts nothing: its commands use the `/tmp` of the machine.
  const isMounted = sandbox.type === "available";
  return { type: "available", temporaryFolder: sandbox.folders.temporary, isMounted };
}

export type LocalShellOptions = HostContext & OpenShellOptions;

/** Opens the shell of a workspace in a sandbox that was opened before, or without one. */
export async function openShell(openedSandbox: OpenSandbox, options: LocalShellOptions): Promise<OpenShellResult> {
  const { cwd: root, environment, settings, mayWrite, deniedPaths } = options;
  const unconfined = nodeShell({ root, environment, withheld: listKeyVariables() });
  if (openedSandbox.type === "unavailable") {
    const notes = [
      ...describeMissingSandbox(openedSandbox, settings),
      ...describeUnenforcedRules([...deniedPaths.enforcedRules, ...deniedPaths.unenforcedRules]),
    ];
    return { shell: unconfined, notes, close: async () => {} };
  }
  const network = createLazyNetwork(openedSandbox, options);
  const shells = await createSandboxShells(openedSandbox, options);
  const setting: NetworkSetting = network ? networkSetting(settings) : "off";
  return {
    shell: network ? network.createShell(shells.create) : shells.create(null),
    sandbox: {
      unconfined,
      mayWrite,
      network: setting,
      temporary: shells.temporary,
      hasLocalhost: openedSandbox.type === "available",
      ...(network?.ports && { ports: network.ports }),
    },
    notes: [
      ...describeNetworkProblem(openedSandbox, settings),
      ...describeUnenforcedRules(deniedPaths.unenforcedRules),
    ],
    close: async () => {
      await shells.close();
      await network?.close();
    },
  };
}

interface SandboxShells {
  create(network: SandboxNetwork | null): WorkspaceShell;
  /** The temporary folder, as commands refer to it. */
  readonly temporary: string;
  close(): Promise<void>;
}

async function createSandboxShells(
  sandbox: Exclude<OpenSandbox, { type: "unavailable" }>,
  options: LocalShellOptions,
): Promise<SandboxShells> {
  const { permissions } = options;
  const common = await buildSandboxOptions(sandbox.folders, { ...options, caught: createCatchDecisions(permissions) });
  const sandboxOptions = { ...common, permitGitSettings: createGitSettingsCheck(permissions) };
  if (sandbox.type === "available") {
    const { program } = sandbox;
    return {
      create: (network) => sandboxedShell({ ...sandboxOptions, program, network }),
      temporary: "/tmp",
      close: async () => {},
    };
  }
  const { runtime } = sandbox;
  const shells: RuntimeShell[] = [];
  return {
    create: (network) => {
      const shell = runtimeShell({ ...sandboxOptions, runtime, network });
      shells.push(shell);
      return shell;
    },
    temporary: "$TMPDIR",
    close: async () => void (await Promise.all(shells.map((shell) => shell.close()))),
  };
}

function describeUnenforcedRules(rules: readonly Rule[]): readonly string[] {
  if (rules.length === 0) return [];
  const names = rules.map(({ text }) => text).join(", ");
  const subject = rules.length === 1 ? `the rule ${names} is` : `the rules ${names} are`;
  return [`${subject} enforced for tools but not for shell commands`];
}

/** Returns no note about the sandbox if the user switched it off. */
function describeMissingSandbox(
  { why, advice }: Extract<OpenSandbox, { type: "unavailable" }>,
  { sandbox, network }: Settings,
): readonly string[] {
  const reason = advice === undefined ? why : `${why}; ${advice}`;
  const notes =
    sandbox === "off"
      ? []
      : [`no sandbox is available, so each shell command needs --allow or --permission-mode all: ${reason}`];
  return network === "off" ? [...notes, "--network off applies only in the sandbox"] : notes;
}

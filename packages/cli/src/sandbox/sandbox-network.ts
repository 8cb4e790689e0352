/** Opens the network of a session's sandbox with its first command, and lets the permissions decide about hosts and ports. */

import { homedir, tmpdir } from "node:os";
import type { PermissionCheck, SandboxPorts, WorkspaceShell } from "@pith/agent";
import { type CommandSandbox, SandboxNetwork } from "@pith/agent/node";
import type { Settings } from "../settings/settings.ts";
import { NetworkPermissions, networkSetting } from "./network-permissions.ts";
import { packageHosts } from "./package-hosts.ts";
import type { SandboxContext } from "./sandbox.ts";

type WorkingSandbox = Extract<CommandSandbox, { type: "available" | "runtime" }>;

export interface NetworkPlace extends Pick<SandboxContext, "cwd" | "environment" | "choices"> {
  readonly permissions: PermissionCheck;
}

export interface LazyNetwork {
  /** A shell on the network; both are made with the first command. */
  shell(create: (network: SandboxNetwork) => WorkspaceShell): WorkspaceShell;
  /** Null where the sandbox has no ports to open. */
  readonly ports: SandboxPorts | null;
  close(): Promise<void>;
}

/** Null where commands have no network: the settings say so, or the machine cannot give them one. */
export function lazyNetwork(sandbox: WorkingSandbox, place: NetworkPlace): LazyNetwork | null {
  const { cwd, environment, choices, permissions } = place;
  const program = sandbox.type === "available" ? sandbox.program : null;
  if (networkSetting(choices) === "off" || program?.nsenter === null) return null;
  const isPackageHost = packageHosts({ environment, home: homedir(), writable: [cwd, tmpdir()] });
  const deciding = new NetworkPermissions({ permissions, isPackageHost });
  const open = once(() =>
    SandboxNetwork.open({
      ...{ program, environment, permitHost: deciding.permitHost, privateHosts: choices.fetchHosts ?? [] },
    }),
  );
  return {
    shell: (create) => deciding.forgetWhenEnded(lazyShell(once(async () => create(await open.get())))),
    ports:
      program === null
        ? null
        : deciding.ports({
            reachHostPort: async (port) => await (await open.get()).reachHostPort(port),
            publishPort: async (port) => await (await open.get()).publishPort(port),
          }),
    close: async () => await (await open.known()?.catch(() => null))?.close(),
  };
}

/** For people: why commands have no network although the settings let them. */
export function networkNotes(sandbox: WorkingSandbox, choices: Settings): readonly string[] {
  const networkProblem = sandbox.type === "available" ? sandbox.networkProblem : null;
  if (networkProblem === null || networkSetting(choices) === "off") return [];
  return [`commands in the sandbox have no network: ${networkProblem}`];
}

interface Once<Value> {
  get(): Promise<Value>;
  /** Null where it was not asked for yet. */
  known(): Promise<Value> | null;
}

/** What failed is tried again when it is asked for again. */
function once<Value>(create: () => Promise<Value>): Once<Value> {
  let made: Promise<Value> | null = null;
  const get = (): Promise<Value> => {
    made ??= create().catch((error: unknown) => {
      made = null;
      throw error;
    });
    return made;
  };
  return { get, known: () => made };
}

function lazyShell(shell: Once<WorkspaceShell>): WorkspaceShell {
  return {
    run: async (command, act) => {
      const opened = await shell
        .get()
        .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
      if (!(opened instanceof Error)) return await opened.run(command, act);
      const message = `the command was not run, because the network of its sandbox could not be made: ${opened.message}`;
      return { type: "not-started", message };
    },
  };
}

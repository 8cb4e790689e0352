/** Opens the network of a session's sandbox with its first command, and lets the permissions decide about hosts and ports. */

import { homedir, tmpdir } from "node:os";
import type { PermissionCheck, SandboxPorts, WorkspaceShell } from "@pith/agent";
import { type CommandSandbox, SandboxNetwork } from "@pith/agent/node";
import type { Settings } from "../settings/settings.ts";
import { NetworkPermissions, networkSetting } from "./network-permissions.ts";
import { createPackageHostCheck } from "./package-hosts.ts";
import type { SandboxContext } from "./sandbox.ts";

type WorkingSandbox = Extract<CommandSandbox, { type: "available" | "runtime" }>;

export interface LazyNetworkOptions extends Pick<SandboxContext, "cwd" | "environment" | "settings"> {
  readonly permissions: PermissionCheck;
}

export interface LazyNetwork {
  /** A shell on the network; both are made with the first command. */
  createShell(create: (network: SandboxNetwork) => WorkspaceShell): WorkspaceShell;
  /** Null where the sandbox has no ports to open. */
  readonly ports: SandboxPorts | null;
  close(): Promise<void>;
}

/** Null where commands have no network: the settings say so, or the machine cannot give them one. */
export function createLazyNetwork(sandbox: WorkingSandbox, options: LazyNetworkOptions): LazyNetwork | null {
  const { cwd, environment, settings, permissions } = options;
  const program = sandbox.type === "available" ? sandbox.program : null;
  if (networkSetting(settings) === "off" || program?.nsenter === null) return null;
  const isPackageHost = createPackageHostCheck({ environment, home: homedir(), writable: [cwd, tmpdir()] });
  const networkPermissions = new NetworkPermissions({ permissions, isPackageHost });
  const network = lazy(() =>
    SandboxNetwork.open({
      program,
      environment,
      permitHost: networkPermissions.permitHost,
      privateHosts: settings.fetchHosts ?? [],
    }),
  );
  return {
    createShell: (create) =>
      networkPermissions.forgetAfterCommand(createLazyShell(lazy(async () => create(await network.get())))),
    ports:
      program === null
        ? null
        : networkPermissions.createPorts({
            reachHostPort: async (port) => await (await network.get()).reachHostPort(port),
            publishPort: async (port) => await (await network.get()).publishPort(port),
          }),
    close: async () => await (await network.peek()?.catch(() => null))?.close(),
  };
}

/** For people: why commands have no network although the settings let them. */
export function describeNetworkProblem(sandbox: WorkingSandbox, settings: Settings): readonly string[] {
  const networkProblem = sandbox.type === "available" ? sandbox.networkProblem : null;
  if (networkProblem === null || networkSetting(settings) === "off") return [];
  return [`commands in the sandbox have no network: ${networkProblem}`];
}

interface Lazy<Value> {
  get(): Promise<Value>;
  /** Null where it was not asked for yet. */
  peek(): Promise<Value> | null;
}

/** What failed is tried again when it is asked for again. */
function lazy<Value>(create: () => Promise<Value>): Lazy<Value> {
  let promise: Promise<Value> | null = null;
  const get = (): Promise<Value> => {
    promise ??= create().catch((error: unknown) => {
      promise = null;
      throw error;
    });
    return promise;
  };
  return { get, peek: () => promise };
}

function createLazyShell(shell: Lazy<WorkspaceShell>): WorkspaceShell {
  return {
    run: async (command, options) => {
      const shellOrError = await shell
        .get()
        .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
      if (!(shellOrError instanceof Error)) return await shellOrError.run(command, options);
      const message = `the command was not run, because the network of its sandbox could not be made: ${shellOrError.message}`;
      return { type: "not-started", message };
    },
  };
}

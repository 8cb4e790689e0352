/** Opens the network of a session's sandbox on the first command. `network-permissions.ts` decides about its hosts and ports. */

import { tmpdir } from "node:os";
import type { NetworkSetting, PermissionCheck, SandboxPorts, WorkspaceShell } from "@pith/agent";
import { type CommandSandbox, SandboxNetwork } from "@pith/agent/node";
import type { HostContext } from "../host-context.ts";
import type { Settings } from "../settings/settings.ts";
import { NetworkPermissions } from "./network-permissions.ts";
import { createPackageHostCheck } from "./package-hosts.ts";

type WorkingSandbox = Extract<CommandSandbox, { type: "available" | "runtime" }>;

export interface LazyNetworkOptions extends Pick<HostContext, "cwd" | "userHome" | "environment" | "settings"> {
  readonly permissions: PermissionCheck;
}

export interface LazyNetwork {
  /** Returns a shell that uses the network. Both are created on the first command. */
  createShell(create: (network: SandboxNetwork) => WorkspaceShell): WorkspaceShell;
  /** Null if the sandbox has no ports of its own. */
  readonly ports: SandboxPorts | null;
  close(): Promise<void>;
}

/** Null if commands have no network: it is off in the settings, or the machine does not support it. */
export function createLazyNetwork(sandbox: WorkingSandbox, options: LazyNetworkOptions): LazyNetwork | null {
  const { cwd, userHome, environment, settings, permissions } = options;
  const program = sandbox.type === "available" ? sandbox.program : null;
  if (networkSetting(settings) === "off" || program?.nsenter === null) return null;
  const isPackageHost = createPackageHostCheck({ environment, home: userHome, writable: [cwd, tmpdir()] });
  const networkPermissions = new NetworkPermissions({ permissions, isPackageHost });
  const network = lazy(() =>
    SandboxNetwork.open({
      program,
      environment,
      permitHost: networkPermissions.permitHost,
      privateHosts: settings.fetchHosts ?? [],
      isRegistry: isPackageHost,
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

/** Returns a note for the user if commands have no network although the settings allow it. */
export function describeNetworkProblem(sandbox: WorkingSandbox, settings: Settings): readonly string[] {
  const networkProblem = sandbox.type === "available" ? sandbox.networkProblem : null;
  if (networkProblem === null || networkSetting(settings) === "off") return [];
  return [`sandboxed commands have no network: ${networkProblem}`];
}

interface Lazy<Value> {
  get(): Promise<Value>;
  /** Null if `get` was not called yet. */
  peek(): Promise<Value> | null;
}

/** Creates the value on the first `get`. After a failure, the next `get` tries again. */
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
      const message = `the command was not run, because its sandbox network could not be created: ${shellOrError.message}`;
      return { type: "not-started", message };
    },
  };
}

/** Returns which hosts commands can reach. `on` is the old name of `hosts`. */
export function networkSetting({ network = "hosts" }: Pick<Settings, "network">): NetworkSetting {
  return network === "on" ? "hosts" : network;
}

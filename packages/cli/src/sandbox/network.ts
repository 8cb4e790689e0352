/** Opens the network of a session's sandbox on the first command, and checks hosts and ports against the permissions. */

import { homedir, tmpdir } from "node:os";
import type { NetworkSetting, PermissionCheck, PortResult, SandboxPorts, WorkspaceShell } from "@pith/agent";
import { type CommandSandbox, type HostDecision, type HostRequest, SandboxNetwork } from "@pith/agent/node";
import type { Settings } from "../settings/settings.ts";
import { createPackageHostCheck } from "./package-hosts.ts";
import type { SandboxContext } from "./sandbox.ts";

type WorkingSandbox = Extract<CommandSandbox, { type: "available" | "runtime" }>;

export interface LazyNetworkOptions extends Pick<SandboxContext, "cwd" | "environment" | "settings"> {
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

export interface NetworkPermissionsOptions {
  readonly permissions: PermissionCheck;
  /** Whether the user's configuration of a package manager names the host. */
  readonly isPackageHost: (host: string) => Promise<boolean>;
}

interface AskOptions {
  readonly signal: AbortSignal;
}

/** Opens ports after they are permitted. */
export interface PortOpener {
  reachHostPort(port: number): Promise<PortResult>;
  publishPort(port: number): Promise<PortResult>;
}

/**
 * Decides about the connections of a sandbox. Each connection is decided separately, so that a change of the mode applies to the next
 * one. A refused host stays refused until its command ends: a program that retries does not cause another question.
 */
export class NetworkPermissions {
  readonly #options: NetworkPermissionsOptions;
  /** Open questions and refusals, by command line, then by host. */
  readonly #decisions = new Map<string, Map<string, Promise<HostDecision>>>();

  constructor(options: NetworkPermissionsOptions) {
    this.#options = options;
  }

  readonly permitHost = (request: HostRequest, options: AskOptions): Promise<HostDecision> => {
    const { host, command } = request;
    if (command === null) return this.#decide(request, options);
    const hosts = this.#decisions.get(command) ?? new Map<string, Promise<HostDecision>>();
    this.#decisions.set(command, hosts);
    const pending = hosts.get(host);
    if (pending) return pending;
    const decision = this.#decide(request, options);
    hosts.set(host, decision);
    const forget = (): void => void hosts.delete(host);
    // An aborted question has no answer.
    decision.then(({ type }) => (type === "allowed" || options.signal.aborted) && forget(), forget);
    return decision;
  };

  /** Wraps the shell: the refusals of a command are forgotten when it ends. */
  forgetAfterCommand(shell: WorkspaceShell): WorkspaceShell {
    return {
      run: (command, options) => shell.run(command, options).finally(() => this.#decisions.delete(command)),
    };
  }

  createPorts(opener: PortOpener): SandboxPorts {
    return {
      connect: (port, options) =>
        this.#openPort({ port, direction: "host" }, options, () => opener.reachHostPort(port)),
      publish: (port, options) =>
        this.#openPort({ port, direction: "publish" }, options, () => opener.publishPort(port)),
    };
  }

  async #decide({ host, port, command }: HostRequest, options: AskOptions): Promise<HostDecision> {
    const isPackageHost = await this.#options.isPackageHost(host);
    const request = {
      tool: "bash",
      arguments: { ...(command !== null && { command }), host },
      intent: { type: "network", host, port, command, ...(isPackageHost && { isPackageHost }) },
    } as const;
    const result = await this.#options.permissions.permit(request, options);
    return result.type === "permitted" ? { type: "allowed" } : result;
  }

  async #openPort(
    { port, direction }: { readonly port: number; readonly direction: "host" | "publish" },
    options: AskOptions,
    open: () => Promise<PortResult>,
  ): Promise<PortResult> {
    const request = { tool: "bash", arguments: { port }, intent: { type: "port", port, direction } } as const;
    const result = await this.#options.permissions.permit(request, options);
    return result.type === "permitted" ? await open() : { type: "failed", why: result.why };
  }
}

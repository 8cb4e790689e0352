/** Asks the permissions about hosts and ports that commands in the sandbox want to reach. */

import type { NetworkSetting, PermissionCheck, PortResult, SandboxPorts, WorkspaceShell } from "@pith/agent";
import type { HostDecision, HostRequest } from "@pith/agent/node";
import type { Settings } from "../settings/settings.ts";

/** What commands reach; `on` is what `hosts` was called once. */
export function networkSetting({ network = "hosts" }: Pick<Settings, "network">): NetworkSetting {
  return network === "on" ? "hosts" : network;
}

export interface NetworkPermissionsOptions {
  readonly permissions: PermissionCheck;
  /** Whether the user's own configuration names it as a place for packages. */
  readonly isPackageHost: (host: string) => Promise<boolean>;
}

interface AskOptions {
  readonly signal: AbortSignal;
}

/** What opens the ports, once they are permitted. */
export interface PortOpener {
  reachHostPort(port: number): Promise<PortResult>;
  publishPort(port: number): Promise<PortResult>;
}

/**
 * For the network of a sandbox. Every connection is decided anew, so that a change of the mode counts for the next one. A host that was
 * refused stays so for the rest of its command: a program that tries again does not ask again.
 */
export class NetworkPermissions {
  readonly #options: NetworkPermissionsOptions;
  /** By command line, then by host: what is being asked, and what was refused. */
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
    // What was broken off has not been answered.
    decision.then(({ type }) => (type === "allowed" || options.signal.aborted) && forget(), forget);
    return decision;
  };

  /** The same shell; what was refused to a command is forgotten when it ends. */
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

/** Asks the permissions about hosts and ports that commands in the sandbox want to reach. */

import type { NetworkSetting, PermissionCheck, PortResult, SandboxPorts, WorkspaceShell } from "@pith/agent";
import type { HostDecision, HostRequest } from "@pith/agent/node";
import type { Settings } from "../settings/settings.ts";

/** What commands reach; `on` is what `hosts` was called once. */
export function networkSetting({ network = "hosts" }: Pick<Settings, "network">): NetworkSetting {
  return network === "on" ? "hosts" : network;
}

export interface NetworkPermissionsParts {
  readonly permissions: PermissionCheck;
  /** Whether the user's own configuration names it as a place for packages. */
  readonly isPackageHost: (host: string) => Promise<boolean>;
}

interface Asking {
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
  readonly #parts: NetworkPermissionsParts;
  /** By command line, then by host: what is being asked, and what was refused. */
  readonly #decisions = new Map<string, Map<string, Promise<HostDecision>>>();

  constructor(parts: NetworkPermissionsParts) {
    this.#parts = parts;
  }

  readonly permitHost = (request: HostRequest, asking: Asking): Promise<HostDecision> => {
    const { host, command } = request;
    if (command === null) return this.#decide(request, asking);
    const hosts = this.#decisions.get(command) ?? new Map<string, Promise<HostDecision>>();
    this.#decisions.set(command, hosts);
    const known = hosts.get(host);
    if (known) return known;
    const decision = this.#decide(request, asking);
    hosts.set(host, decision);
    const forget = (): void => void hosts.delete(host);
    // What was broken off has not been answered.
    decision.then(({ type }) => (type === "allowed" || asking.signal.aborted) && forget(), forget);
    return decision;
  };

  /** The same shell; what was refused to a command is forgotten when it ends. */
  forgetWhenEnded(shell: WorkspaceShell): WorkspaceShell {
    return {
      run: (command, act) => shell.run(command, act).finally(() => this.#decisions.delete(command)),
    };
  }

  ports(opener: PortOpener): SandboxPorts {
    return {
      connect: (port, asking) => this.#open({ port, direction: "host" }, asking, () => opener.reachHostPort(port)),
      publish: (port, asking) => this.#open({ port, direction: "publish" }, asking, () => opener.publishPort(port)),
    };
  }

  async #decide({ host, port, command }: HostRequest, asking: Asking): Promise<HostDecision> {
    const isPackageHost = await this.#parts.isPackageHost(host);
    const act = {
      ...{ tool: "bash", arguments: { ...(command !== null && { command }), host } },
      intent: { type: "network", host, port, command, ...(isPackageHost && { isPackageHost }) },
    } as const;
    const permit = await this.#parts.permissions.permit(act, asking);
    return permit.type === "permitted" ? { type: "allowed" } : permit;
  }

  async #open(
    { port, direction }: { readonly port: number; readonly direction: "host" | "publish" },
    asking: Asking,
    open: () => Promise<PortResult>,
  ): Promise<PortResult> {
    const act = { tool: "bash", arguments: { port }, intent: { type: "port", port, direction } } as const;
    const permit = await this.#parts.permissions.permit(act, asking);
    return permit.type === "permitted" ? await open() : { type: "failed", why: permit.why };
  }
}

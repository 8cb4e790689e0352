/** Asks whether a sandboxed command may connect to a host, or open a port, and remembers a refusal until the command ends. */

import type { PermissionCheck, PortResult, SandboxPorts, WorkspaceShell } from "@pith/agent";
import type { HostDecision, HostRequest } from "@pith/agent/node";

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

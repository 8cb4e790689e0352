/** Decides which hosts the program of an MCP server reaches: those of its settings, those of packages for launchers, and what the user says yes to. */

import type { NetworkConnection } from "@pith/agent";
import type { HostDecision, PermitHost } from "@pith/agent/node";
import { getHostRefusal } from "../policy/permitted-parts.ts";
import type { Policy } from "../policy/policy.ts";
import type { NamedProgram } from "./plan-launch.ts";
import { isLauncher } from "./program-files.ts";
import { type Confirm, sanitizeLine } from "./trust-question.ts";

export interface ServerHostsOptions {
  readonly namedServer: NamedProgram;
  /** Whether the user's own configuration names it as a place for packages. */
  readonly isPackageHost: (host: string) => Promise<boolean>;
  /** Null where nobody is there. */
  readonly confirm: () => Confirm | null;
  readonly policy?: Policy | undefined;
}

/** An answer holds for the session. What the server reached last is kept for `/mcp`. */
export class ServerHosts {
  readonly #options: ServerHostsOptions;
  readonly #answers = new Map<string, HostDecision>();
  readonly #recentConnections = new Map<string, string>();
  readonly #refusals = new Set<string>();

  constructor(options: ServerHostsOptions) {
    this.#options = options;
  }

  readonly permitHost: PermitHost = async (request, options) => {
    const decision = await this.#decide(request, options);
    this.recordConnection({ ...request, outcome: decision.type });
    if (decision.type === "refused") this.#refusals.add(decision.why);
    return decision;
  };

  async #decide(...[{ host, port }, { signal }]: Parameters<PermitHost>): Promise<HostDecision> {
    const { namedServer, isPackageHost, policy } = this.#options;
    const refusal = getHostRefusal(policy, host);
    if (refusal !== null) return { type: "refused", why: refusal };
    const { command, hosts = [] } = namedServer.server;
    if (hosts.some((pattern) => matchesHost(pattern, { host, port }))) return { type: "allowed" };
    if (isLauncher(command) && (await isPackageHost(host))) return { type: "allowed" };
    const previousAnswer = this.#answers.get(host);
    if (previousAnswer) return previousAnswer;
    const answer = await this.#askUser(host, port, signal);
    // A question that was broken off has not been answered.
    if (!signal.aborted) this.#answers.set(host, answer);
    return answer;
  }

  /** Also called when a connection ends or is refused for another reason, such as a private address. */
  readonly recordConnection = ({ host, port, outcome }: Pick<NetworkConnection, "host" | "port" | "outcome">): void => {
    const address = `${host}:${port}`;
    // The last ones stand at the end.
    this.#recentConnections.delete(address);
    this.#recentConnections.set(address, outcome === "allowed" ? address : `${address} (refused)`);
    const [oldest] = this.#recentConnections.keys();
    if (this.#recentConnections.size > MAX_RECENT_HOSTS && oldest !== undefined) this.#recentConnections.delete(oldest);
  };

  /** The last first. */
  get recentHosts(): readonly string[] {
    return [...this.#recentConnections.values()].toReversed().map((connection) => sanitizeLine(connection, 120));
  }

  /** Why hosts were refused since this was last called: most programs do not say it. */
  takeRefusals(): readonly string[] {
    const refusals = [...this.#refusals].slice(0, MAX_RECENT_HOSTS);
    this.#refusals.clear();
    return refusals;
  }

  async #askUser(host: string, port: number, signal: AbortSignal): Promise<HostDecision> {
    const { name } = this.#options.namedServer;
    const hint = `to allow it always, add it to mcpServers.${name}.hosts in your settings`;
    const confirm = this.#options.confirm();
    if (confirm === null)
      return {
        type: "refused",
        why: `${host} is refused to the MCP server ${name}, and nobody is here to ask; ${hint}`,
      };
    const title = `The MCP server ${name} wants to connect to ${sanitizeLine(host, 260)}:${port}.`;
    const isAllowed = await confirm(title, hint, { signal, yes: "Yes, in this session" });
    if (isAllowed) return { type: "allowed" };
    return { type: "refused", why: `the user does not let the MCP server ${name} reach ${host}` };
  }
}

const MAX_RECENT_HOSTS = 12;

/** `api.example.com`, `api.example.com:8443`, or `*.example.com` for all below a name. */
function matchesHost(pattern: string, { host, port }: { readonly host: string; readonly port: number }): boolean {
  const [, name = "", portText] = /^(.*?)(?::(\d+))?$/.exec(pattern.toLowerCase()) ?? [];
  if (portText !== undefined && Number(portText) !== port) return false;
  return name.startsWith("*.") ? host.endsWith(name.slice(1)) : host === name;
}

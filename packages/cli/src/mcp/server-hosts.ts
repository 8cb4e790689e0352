/** Decides which hosts the program of an MCP server reaches: those of its settings, those of packages for launchers, and what the user says yes to. */

import type { NetworkConnection } from "@pith/agent";
import type { HostDecision, PermitHost } from "@pith/agent/node";
import { refuseHost } from "../policy/permitted-parts.ts";
import type { Policy } from "../policy/policy.ts";
import type { NamedProgram } from "./plan-launch.ts";
import { isLauncher } from "./program-files.ts";
import { type Confirm, plainLine } from "./trust-question.ts";

export interface ServerHostsParts {
  readonly named: NamedProgram;
  /** Whether the user's own configuration names it as a place for packages. */
  readonly isPackageHost: (host: string) => Promise<boolean>;
  /** Null where nobody is there. */
  readonly confirm: () => Confirm | null;
  readonly policy?: Policy | undefined;
}

/** An answer holds for the session. What the server reached last is kept for `/mcp`. */
export class ServerHosts {
  readonly #parts: ServerHostsParts;
  readonly #answers = new Map<string, HostDecision>();
  readonly #reached = new Map<string, string>();
  readonly #refusals = new Set<string>();

  constructor(parts: ServerHostsParts) {
    this.#parts = parts;
  }

  readonly permitHost: PermitHost = async (request, asking) => {
    const decision = await this.#decide(request, asking);
    this.record({ ...request, outcome: decision.type });
    if (decision.type === "refused") this.#refusals.add(decision.why);
    return decision;
  };

  async #decide(...[{ host, port }, { signal }]: Parameters<PermitHost>): Promise<HostDecision> {
    const { named, isPackageHost, policy } = this.#parts;
    const refusal = refuseHost(policy, host);
    if (refusal !== null) return { type: "refused", why: refusal };
    const { command, hosts = [] } = named.server;
    if (hosts.some((pattern) => matchesHost(pattern, { host, port }))) return { type: "allowed" };
    if (isLauncher(command) && (await isPackageHost(host))) return { type: "allowed" };
    const known = this.#answers.get(host);
    if (known) return known;
    const answer = await this.#ask(host, port, signal);
    // A question that was broken off has not been answered.
    if (!signal.aborted) this.#answers.set(host, answer);
    return answer;
  }

  /** Also called when a connection ends or is refused for another reason, such as a private address. */
  readonly record = ({ host, port, outcome }: Pick<NetworkConnection, "host" | "port" | "outcome">): void => {
    const address = `${host}:${port}`;
    // The last ones stand at the end.
    this.#reached.delete(address);
    this.#reached.set(address, outcome === "allowed" ? address : `${address} (refused)`);
    const [oldest] = this.#reached.keys();
    if (this.#reached.size > MOST_REACHED && oldest !== undefined) this.#reached.delete(oldest);
  };

  /** The last first. */
  get reached(): readonly string[] {
    return [...this.#reached.values()].toReversed().map((each) => plainLine(each, 120));
  }

  /** Why hosts were refused since this was last called: most programs do not say it. */
  takeRefusals(): readonly string[] {
    const refusals = [...this.#refusals].slice(0, MOST_REACHED);
    this.#refusals.clear();
    return refusals;
  }

  async #ask(host: string, port: number, signal: AbortSignal): Promise<HostDecision> {
    const { name } = this.#parts.named;
    const setting = `to allow it always, add it to mcpServers.${name}.hosts in your settings`;
    const confirm = this.#parts.confirm();
    if (confirm === null)
      return {
        type: "refused",
        why: `${host} is refused to the MCP server ${name}, and nobody is here to ask; ${setting}`,
      };
    const title = `The MCP server ${name} wants to connect to ${plainLine(host, 260)}:${port}.`;
    const isAllowed = await confirm(title, setting, { signal, yes: "Yes, in this session" });
    if (isAllowed) return { type: "allowed" };
    return { type: "refused", why: `the user does not let the MCP server ${name} reach ${host}` };
  }
}

const MOST_REACHED = 12;

/** `api.example.com`, `api.example.com:8443`, or `*.example.com` for all below a name. */
function matchesHost(pattern: string, { host, port }: { readonly host: string; readonly port: number }): boolean {
  const [, name = "", digits] = /^(.*?)(?::(\d+))?$/.exec(pattern.toLowerCase()) ?? [];
  if (digits !== undefined && Number(digits) !== port) return false;
  return name.startsWith("*.") ? host.endsWith(name.slice(1)) : host === name;
}

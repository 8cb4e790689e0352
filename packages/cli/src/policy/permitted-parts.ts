/** Decides which extensions may be loaded and which MCP servers may be used, and makes rules and limits for the permissions from a policy. */

import { realpathSync } from "node:fs";
import { sep } from "node:path";
import { type PolicyLimits, parseRule, type Rule, type Rules } from "@pith/agent";
import type { CommandSandbox } from "@pith/agent/node";
import type { McpServer, NamedServer } from "../settings/settings.ts";
import {
  forbidden,
  type PermittedServer,
  type Policy,
  permittedModes,
  policySource,
  requiresSandbox,
} from "./policy.ts";
import { isHeldByOwner, type PolicyPlace } from "./policy-file.ts";

interface ExtensionFile {
  readonly name: string;
  readonly path: string;
  /** The bytes of a project's extension: no policy allows one. */
  readonly held?: ReadonlyMap<string, Uint8Array>;
}

interface FoundFiles<Found> {
  readonly found: readonly Found[];
  readonly notes: readonly string[];
}

/** What may be loaded is loaded from the file that was looked at, and not from a link to it. */
export function permitExtensions<Found extends ExtensionFile>(
  { found, notes }: FoundFiles<Found>,
  policy: Policy | undefined,
  place?: PolicyPlace,
): FoundFiles<Found> {
  const allow = policy?.extensions?.allow;
  if (policy === undefined || allow === undefined) return { found, notes };
  const judged = found.map((each) => ({ each, real: permittedPath(each, allow, place) }));
  return {
    found: judged.flatMap(({ each, real }) => (real === null ? [] : [{ ...each, path: real }])),
    notes: [
      ...notes,
      ...judged.flatMap(({ each, real }) => (real === null ? [forbidden(policy, `the extension ${each.name}`)] : [])),
    ],
  };
}

/** Null where it is not allowed, or where others than root could change it. */
function permittedPath({ path, held }: ExtensionFile, allow: readonly string[], place?: PolicyPlace): string | null {
  if (held) return null;
  try {
    const real = realpathSync(path);
    const isNamed = allow.some((each) => real === each || real.startsWith(each.endsWith(sep) ? each : `${each}${sep}`));
    return isNamed && isHeldByOwner(real, place) ? real : null;
  } catch {
    // It is gone, or closed to this user.
    return null;
  }
}

/** A required sandbox is made by programs that root alone can change: `PATH` may name a folder of the user's own. */
export function requireHeldSandbox<Here extends CommandSandbox>(
  policy: Policy | undefined,
  here: Here,
): Here | NoSandbox {
  if (here.type === "unavailable" || !requiresSandbox(policy)) return here;
  if (here.type === "runtime")
    return { type: "unavailable", why: `${here.runtime.folder} can be changed by others than root` };
  const programs = [here.program.path, here.program.nsenter].filter((path) => path !== null);
  const loose = programs.find((path) => !isHeldByOwner(realpathSync(path)));
  return loose === undefined ? here : { type: "unavailable", why: `${loose} can be changed by others than root` };
}

type NoSandbox = Extract<CommandSandbox, { type: "unavailable" }>;

/** Null where it may be used. */
export function refuseServer(
  policy: Policy | undefined,
  { name, server }: Pick<NamedServer, "name" | "server">,
): string | null {
  if (policy === undefined) return null;
  const allow = policy.mcp?.allow;
  if (allow?.some((each) => each.name === name && isSameServer(each, server))) return null;
  const refusal = forbidden(policy, `the MCP server ${name}`);
  if (allow !== undefined)
    return allow.some((each) => each.name === name)
      ? `${refusal} It allows one of this name that is set up otherwise.`
      : refusal;
  const isRefused = "url" in server && refuseHost(policy, new URL(server.url).hostname) !== null;
  return isRefused ? refusal : null;
}

function isSameServer(permitted: PermittedServer, server: McpServer): boolean {
  if ("url" in server) return permitted.url !== undefined && isSameAddress(permitted.url, server.url);
  const { args = [], env = [] } = permitted;
  const isNamed = Object.keys(server.env ?? {}).every((name) => env.includes(name));
  // Both could change what the same words start. Whether it may leave the sandbox is another item.
  const isPlain = server.cwd === undefined && server.folders === undefined;
  return permitted.command === server.command && isPlain && isNamed && areSameWords(args, server.args ?? []);
}

function areSameWords(permitted: readonly string[], words: readonly string[]): boolean {
  const isOpen = permitted.at(-1) === "*";
  const wanted = isOpen ? permitted.slice(0, -1) : permitted;
  return wanted.every((word, at) => word === words[at]) && (isOpen || words.length === wanted.length);
}

/** As they are reached: `..` and odd spellings are gone. */
function isSameAddress(permitted: string, url: string): boolean {
  const [wanted, asked] = [new URL(permitted.replace(/\*$/, "")).href, new URL(url).href];
  return permitted.endsWith("*") ? asked.startsWith(wanted) : asked === wanted;
}

/** Null where the policy lets it be reached, or says nothing about it. */
export function refuseHost(policy: Policy | undefined, host: string, port?: number): string | null {
  if (policy?.network === undefined) return null;
  const { deny = [] } = policy.network;
  const hosts = onlyHosts(policy);
  const isNamed = (patterns: readonly string[]): boolean => patterns.some((pattern) => fitsHost(pattern, host, port));
  return isNamed(deny) || (hosts !== null && !isNamed(hosts)) ? forbidden(policy, `the host ${host}`) : null;
}

function fitsHost(pattern: string, host: string, port: number | undefined): boolean {
  const parsed = parseRule(`network(${pattern})`);
  const found = parsed.type === "rule" ? parsed.rule.pattern : null;
  if (found?.type === "port") return host === "localhost" && found.port === port;
  if (found?.type !== "host") return false;
  const plain = host.toLowerCase().replace(/\.$/, "");
  return found.isSubdomain ? plain.endsWith(`.${found.host}`) : plain === found.host || `[${plain}]` === found.host;
}

/** Null: any. */
function onlyHosts({ network }: Policy): readonly string[] | null {
  return network?.mode === "off" ? [] : (network?.hosts ?? null);
}

/** They stand before the user's: a refusal names the policy. */
export function policyRules(policy: Policy | undefined): Pick<Rules, "ask" | "deny"> {
  if (policy === undefined) return { ask: [], deny: [] };
  const { permissions = {}, network } = policy;
  const hosts = (network?.deny ?? []).map((host) => `network(${host})`);
  const outside = requiresSandbox(policy) ? ["outside"] : [];
  const rules = (texts: readonly string[] = []): readonly Rule[] => texts.flatMap((text) => ruleOf(text, policy));
  return { ask: rules(permissions.ask), deny: rules([...(permissions.deny ?? []), ...hosts, ...outside]) };
}

/** Rules on other tools than Pith's own were refused when the policy was read. */
function ruleOf(text: string, policy: Policy): readonly Rule[] {
  const name = /^\s*([\w.-]+)/.exec(text)?.[1] ?? "";
  const parsed = parseRule(text, { tools: [name] });
  if (parsed.type === "mistake") throw new Error(`${policy.path} has a rule that is none: ${text}`);
  return [{ ...parsed.rule, source: "policy" }];
}

/** For the permissions of a run; undefined where there is no policy. */
export function policyLimits(policy: Policy | undefined): PolicyLimits | undefined {
  if (policy === undefined) return undefined;
  const hosts = onlyHosts(policy);
  return {
    source: policySource(policy),
    modes: permittedModes(policy),
    ...(hosts !== null && { hosts: hosts.flatMap((host) => ruleOf(`network(${host})`, policy)) }),
  };
}

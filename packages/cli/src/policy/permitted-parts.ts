/** Decides which extensions may be loaded and which MCP servers may be used, and makes rules and limits for the permissions from a policy. */

import { realpathSync } from "node:fs";
import { sep } from "node:path";
import { type PolicyLimits, parseRule, type Rule, type Rules } from "@pith/agent";
import type { CommandSandbox } from "@pith/agent/node";
import type { McpServer, NamedServer } from "../settings/settings.ts";
import {
  formatRefusal,
  listPermittedModes,
  type PermittedServer,
  type Policy,
  policySource,
  requiresSandbox,
} from "./policy.ts";
import { isWritableOnlyByOwner, type PolicyLocation } from "./policy-file.ts";

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
export function filterExtensions<Found extends ExtensionFile>(
  { found, notes }: FoundFiles<Found>,
  policy: Policy | undefined,
  location?: PolicyLocation,
): FoundFiles<Found> {
  const allow = policy?.extensions?.allow;
  if (policy === undefined || allow === undefined) return { found, notes };
  const checkedExtensions = found.map((each) => ({ each, real: resolvePermittedPath(each, allow, location) }));
  return {
    found: checkedExtensions.flatMap(({ each, real }) => (real === null ? [] : [{ ...each, path: real }])),
    notes: [
      ...notes,
      ...checkedExtensions.flatMap(({ each, real }) =>
        real === null ? [formatRefusal(policy, `the extension ${each.name}`)] : [],
      ),
    ],
  };
}

/** Null where it is not allowed, or where others than root could change it. */
function resolvePermittedPath(
  { path, held }: ExtensionFile,
  allow: readonly string[],
  location?: PolicyLocation,
): string | null {
  if (held) return null;
  try {
    const realPath = realpathSync(path);
    const isListed = allow.some(
      (allowedPath) =>
        realPath === allowedPath ||
        realPath.startsWith(allowedPath.endsWith(sep) ? allowedPath : `${allowedPath}${sep}`),
    );
    return isListed && isWritableOnlyByOwner(realPath, location) ? realPath : null;
  } catch {
    // It is gone, or closed to this user.
    return null;
  }
}

/** A required sandbox is made by programs that root alone can change: `PATH` may name a folder of the user's own. */
export function requireRootOwnedSandbox<Here extends CommandSandbox>(
  policy: Policy | undefined,
  sandbox: Here,
): Here | UnavailableSandbox {
  if (sandbox.type === "unavailable" || !requiresSandbox(policy)) return sandbox;
  if (sandbox.type === "runtime")
    return { type: "unavailable", why: `${sandbox.runtime.folder} can be changed by others than root` };
  const programs = [sandbox.program.path, sandbox.program.nsenter].filter((path) => path !== null);
  const unprotectedPath = programs.find((path) => !isWritableOnlyByOwner(realpathSync(path)));
  return unprotectedPath === undefined
    ? sandbox
    : { type: "unavailable", why: `${unprotectedPath} can be changed by others than root` };
}

type UnavailableSandbox = Extract<CommandSandbox, { type: "unavailable" }>;

/** Null where it may be used. */
export function getServerRefusal(
  policy: Policy | undefined,
  { name, server }: Pick<NamedServer, "name" | "server">,
): string | null {
  if (policy === undefined) return null;
  const allow = policy.mcp?.allow;
  if (allow?.some((permitted) => permitted.name === name && matchesServer(permitted, server))) return null;
  const refusal = formatRefusal(policy, `the MCP server ${name}`);
  if (allow !== undefined)
    return allow.some((permitted) => permitted.name === name)
      ? `${refusal} It allows one of this name that is set up otherwise.`
      : refusal;
  const isRefused = "url" in server && getHostRefusal(policy, new URL(server.url).hostname) !== null;
  return isRefused ? refusal : null;
}

function matchesServer(permitted: PermittedServer, server: McpServer): boolean {
  if ("url" in server) return permitted.url !== undefined && matchesUrl(permitted.url, server.url);
  const { args = [], env = [] } = permitted;
  const hasOnlyListedVariables = Object.keys(server.env ?? {}).every((name) => env.includes(name));
  // Both could change what the same words start. Whether it may leave the sandbox is another item.
  const hasNoFolderSettings = server.cwd === undefined && server.folders === undefined;
  return (
    permitted.command === server.command &&
    hasNoFolderSettings &&
    hasOnlyListedVariables &&
    matchesArguments(args, server.args ?? [])
  );
}

function matchesArguments(permitted: readonly string[], args: readonly string[]): boolean {
  const allowsMore = permitted.at(-1) === "*";
  const expectedArgs = allowsMore ? permitted.slice(0, -1) : permitted;
  return expectedArgs.every((arg, index) => arg === args[index]) && (allowsMore || args.length === expectedArgs.length);
}

/** As they are reached: `..` and odd spellings are gone. */
function matchesUrl(permitted: string, url: string): boolean {
  const [permittedUrl, requestedUrl] = [new URL(permitted.replace(/\*$/, "")).href, new URL(url).href];
  return permitted.endsWith("*") ? requestedUrl.startsWith(permittedUrl) : requestedUrl === permittedUrl;
}

/** Null where the policy lets it be reached, or says nothing about it. */
export function getHostRefusal(policy: Policy | undefined, host: string, port?: number): string | null {
  if (policy?.network === undefined) return null;
  const { deny = [] } = policy.network;
  const hosts = listAllowedHosts(policy);
  const isListed = (patterns: readonly string[]): boolean =>
    patterns.some((pattern) => matchesHost(pattern, host, port));
  return isListed(deny) || (hosts !== null && !isListed(hosts)) ? formatRefusal(policy, `the host ${host}`) : null;
}

function matchesHost(pattern: string, host: string, port: number | undefined): boolean {
  const parsed = parseRule(`network(${pattern})`);
  const rulePattern = parsed.type === "rule" ? parsed.rule.pattern : null;
  if (rulePattern?.type === "port") return host === "localhost" && rulePattern.port === port;
  if (rulePattern?.type !== "host") return false;
  const normalizedHost = host.toLowerCase().replace(/\.$/, "");
  return rulePattern.isSubdomain
    ? normalizedHost.endsWith(`.${rulePattern.host}`)
    : normalizedHost === rulePattern.host || `[${normalizedHost}]` === rulePattern.host;
}

/** Null: any. */
function listAllowedHosts({ network }: Policy): readonly string[] | null {
  return network?.mode === "off" ? [] : (network?.hosts ?? null);
}

/** They stand before the user's: a refusal names the policy. */
export function buildPolicyRules(policy: Policy | undefined): Pick<Rules, "ask" | "deny"> {
  if (policy === undefined) return { ask: [], deny: [] };
  const { permissions = {}, network } = policy;
  const hostRules = (network?.deny ?? []).map((host) => `network(${host})`);
  const outsideRules = requiresSandbox(policy) ? ["outside"] : [];
  const parseRules = (texts: readonly string[] = []): readonly Rule[] =>
    texts.flatMap((text) => parsePolicyRule(text, policy));
  return {
    ask: parseRules(permissions.ask),
    deny: parseRules([...(permissions.deny ?? []), ...hostRules, ...outsideRules]),
  };
}

/** Rules on other tools than Pith's own were refused when the policy was read. */
function parsePolicyRule(text: string, policy: Policy): readonly Rule[] {
  const toolName = /^\s*([\w.-]+)/.exec(text)?.[1] ?? "";
  const parsed = parseRule(text, { tools: [toolName] });
  if (parsed.type === "mistake") throw new Error(`${policy.path} has a rule that is none: ${text}`);
  return [{ ...parsed.rule, source: "policy" }];
}

/** For the permissions of a run; undefined where there is no policy. */
export function buildPolicyLimits(policy: Policy | undefined): PolicyLimits | undefined {
  if (policy === undefined) return undefined;
  const hosts = listAllowedHosts(policy);
  return {
    source: policySource(policy),
    modes: listPermittedModes(policy),
    ...(hosts !== null && { hosts: hosts.flatMap((host) => parsePolicyRule(`network(${host})`, policy)) }),
  };
}

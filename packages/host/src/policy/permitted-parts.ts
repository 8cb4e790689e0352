/** Applies a policy to extensions, MCP servers, hosts and the sandbox, and builds the permission rules and limits from it. */

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
import { isWritableOnlyByOwner, type PolicyLocation, WRITABLE_BY_OTHERS } from "./policy-file.ts";

interface ExtensionFile {
  readonly name: string;
  readonly path: string;
  /** The bytes of a project's extension. No policy allows such an extension. */
  readonly trustedBytes?: ReadonlyMap<string, Uint8Array>;
}

interface FoundFiles<Found> {
  readonly found: readonly Found[];
  readonly notes: readonly string[];
}

/** Removes extensions that the policy does not allow. The others get their real path, so that the checked file is loaded, not a link. */
export function filterExtensions<Found extends ExtensionFile>(
  { found, notes }: FoundFiles<Found>,
  policy: Policy | undefined,
  location?: PolicyLocation,
): FoundFiles<Found> {
  const allow = policy?.extensions?.allow;
  if (policy === undefined || allow === undefined) return { found, notes };
  const checkedExtensions = found.map((extension) => ({
    extension,
    realPath: resolvePermittedPath(extension, allow, location),
  }));
  return {
    found: checkedExtensions.flatMap(({ extension, realPath }) =>
      realPath === null ? [] : [{ ...extension, path: realPath }],
    ),
    notes: [
      ...notes,
      ...checkedExtensions.flatMap(({ extension, realPath }) =>
        realPath === null ? [formatRefusal(policy, `the extension ${extension.name}`)] : [],
      ),
    ],
  };
}

/** Null if the extension is not allowed, or if users other than root can change it. */
function resolvePermittedPath(
  { path, trustedBytes }: ExtensionFile,
  allow: readonly string[],
  location?: PolicyLocation,
): string | null {
  if (trustedBytes) return null;
  try {
    const realPath = realpathSync(path);
    const isListed = allow.some(
      (allowedPath) =>
        realPath === allowedPath ||
        realPath.startsWith(allowedPath.endsWith(sep) ? allowedPath : `${allowedPath}${sep}`),
    );
    return isListed && isWritableOnlyByOwner(realPath, location) ? realPath : null;
  } catch {
    // The file does not exist, or this user may not read it.
    return null;
  }
}

/** Rejects a required sandbox whose programs users other than root can change: `PATH` may contain a folder of the user. */
export function requireRootOwnedSandbox<Sandbox extends CommandSandbox>(
  policy: Policy | undefined,
  sandbox: Sandbox,
): Sandbox | UnavailableSandbox {
  if (sandbox.type === "unavailable" || !requiresSandbox(policy)) return sandbox;
  if (sandbox.type === "runtime")
    return { type: "unavailable", why: `${sandbox.runtime.folder} ${WRITABLE_BY_OTHERS}` };
  const programs = [sandbox.program.path, sandbox.program.nsenter].filter((path) => path !== null);
  const unprotectedPath = programs.find((path) => !isWritableOnlyByOwner(realpathSync(path)));
  return unprotectedPath === undefined
    ? sandbox
    : { type: "unavailable", why: `${unprotectedPath} ${WRITABLE_BY_OTHERS}` };
}

type UnavailableSandbox = Extract<CommandSandbox, { type: "unavailable" }>;

/** Null if the server may be used. */
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
      ? `${refusal} It allows a server with this name but a different configuration.`
      : refusal;
  const isRefused = "url" in server && getHostRefusal(policy, new URL(server.url).hostname) !== null;
  return isRefused ? refusal : null;
}

function matchesServer(permitted: PermittedServer, server: McpServer): boolean {
  if ("url" in server) return permitted.url !== undefined && matchesUrl(permitted.url, server.url);
  const { args = [], env = [] } = permitted;
  const hasOnlyListedVariables = Object.keys(server.env ?? {}).every((name) => env.includes(name));
  // Both can change what the same command line starts. The item `sandbox` decides whether a server may run outside the sandbox.
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

/** Compares the normalized URLs, without `..` segments and alternative spellings. */
function matchesUrl(permitted: string, url: string): boolean {
  const [permittedUrl, requestedUrl] = [new URL(permitted.replace(/\*$/, "")).href, new URL(url).href];
  return permitted.endsWith("*") ? requestedUrl.startsWith(permittedUrl) : requestedUrl === permittedUrl;
}

/** Null if the policy allows the host or does not restrict the network. */
export function getHostRefusal(policy: Policy | undefined, host: string, port?: number): string | null {
  if (policy?.network === undefined) return null;
  const { deny = [] } = policy.network;
  const hosts = listAllowedHosts(policy);
  const isListed = (patterns: readonly string[]): boolean =>
    patterns.some((pattern) => matchesHost(pattern, host, port));
  return isListed(deny) || (hosts !== null && !isListed(hosts)) ? formatRefusal(policy, `the host ${host}`) : null;
}

function matchesHost(pattern: string, host: string, port: number | undefined): boolean {
  const result = parseRule(`network(${pattern})`);
  const rulePattern = result.type === "rule" ? result.rule.pattern : null;
  if (rulePattern?.type === "port") return host === "localhost" && rulePattern.port === port;
  if (rulePattern?.type !== "host") return false;
  const normalizedHost = host.toLowerCase().replace(/\.$/, "");
  return rulePattern.isSubdomain
    ? normalizedHost.endsWith(`.${rulePattern.host}`)
    : normalizedHost === rulePattern.host || `[${normalizedHost}]` === rulePattern.host;
}

/** Null if every host is allowed. */
function listAllowedHosts({ network }: Policy): readonly string[] | null {
  return network?.mode === "off" ? [] : (network?.hosts ?? null);
}

/** The caller puts these rules before the user's rules, so that a refusal names the policy. */
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

/** The parser of the policy has already rejected rules for tools that are not part of Pith. */
function parsePolicyRule(text: string, policy: Policy): readonly Rule[] {
  const toolName = /^\s*([\w.-]+)/.exec(text)?.[1] ?? "";
  const result = parseRule(text, { tools: [toolName] });
  if (result.type === "mistake") throw new Error(`${policy.path} contains an invalid rule: ${text}`);
  return [{ ...result.rule, source: "policy" }];
}

/** Undefined if there is no policy. */
export function buildPolicyLimits(policy: Policy | undefined): PolicyLimits | undefined {
  if (policy === undefined) return undefined;
  const hosts = listAllowedHosts(policy);
  return {
    source: policySource(policy),
    modes: listPermittedModes(policy),
    ...(hosts !== null && { hosts: hosts.flatMap((host) => parsePolicyRule(`network(${host})`, policy)) }),
  };
}

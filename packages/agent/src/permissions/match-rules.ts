/** Matches rules against a request. Allow rules need a certain match; for deny and ask rules a possible match is enough. */

import { isWithin } from "../text.ts";
import type { Intent } from "../tool.ts";
import { closestMatch, type RuleMatch } from "./match-command.ts";
import type { PermissionPaths, PermissionRequest, ResolvedPath, ToolRequest } from "./request.ts";
import {
  allowsCommand,
  allowsHost,
  allowsPath,
  matchCommand,
  matchesToolName,
  matchHost,
  matchPath,
  type Pattern,
  type Rule,
} from "./rules.ts";

/** Whether the rules together allow the whole request. Each command of a line and each path needs a matching rule. */
export function rulesAllow(rules: readonly Rule[], { request, paths }: MatchContext): boolean {
  const applicable = rules.filter(
    (rule) => appliesTo(rule, request.toolRequest) && isBroadEnough(rule, request.toolRequest),
  );
  if (applicable.some(({ pattern }) => pattern === null)) return true;
  const patterns = applicable.map(({ pattern }) => pattern).filter((pattern) => pattern !== null);
  const { intent } = request.toolRequest;
  switch (intent?.type) {
    case "command":
      return allowsCommand(patternsOfType("command", patterns), intent.command);
    case "fetch":
      return allowsHost(patternsOfType("host", patterns), intent.url);
    case "network":
      return allowsHost(patternsOfType("host", patterns), hostUrl(intent.host));
    case "port":
      return patternsOfType("port", patterns).some(({ port }) => port === intent.port);
    case "named":
      return patternsOfType("path", patterns).some((pattern) => matchesToolName(pattern, intent.name));
    case "look":
    case "change":
      return allPathsAllowed(patternsOfType("path", patterns), request.resolvedPaths, paths);
    case "nothing":
    case undefined:
      return false;
  }
}

export interface MatchContext {
  readonly request: PermissionRequest;
  readonly paths: PermissionPaths;
}

/** Whether the rule matches any part of the request. */
export function matchRule(rule: Rule, { request, paths }: MatchContext): RuleMatch {
  if (!appliesTo(rule, request.toolRequest)) return "no";
  const { pattern } = rule;
  if (pattern === null) return "yes";
  const { intent } = request.toolRequest;
  if (intent?.type === "nothing") return "no";
  if (intent?.type === "command" && pattern.type === "command") return matchCommand(pattern, intent.command);
  const urls = intentUrls(intent);
  if (urls.length > 0 && pattern.type === "host") return closestMatch(urls.map((url) => matchHost(pattern, url)));
  if (intent?.type === "port" && pattern.type === "port") return pattern.port === intent.port ? "yes" : "no";
  if (intent?.type === "named" && pattern.type === "path") return matchesToolName(pattern, intent.name) ? "yes" : "no";
  if (request.resolvedPaths.length > 0 && pattern.type === "path")
    return closestMatch(request.resolvedPaths.map((resolved) => matchPath(pattern, resolved, paths)));
  return "maybe";
}

/** Whether network rules cover every host and port that the request reaches. True if it reaches none. */
export function reachesOnlyHosts(rules: readonly Rule[], { toolRequest: { intent } }: PermissionRequest): boolean {
  const patterns = rules.map(({ pattern }) => pattern).filter((pattern) => pattern !== null);
  if (intent?.type === "port" && intent.direction === "host")
    return patternsOfType("port", patterns).some(({ port }) => port === intent.port);
  return intentUrls(intent).every((url) => allowsHost(patternsOfType("host", patterns), url));
}

/** The hosts that the request would reach, as URLs. */
function intentUrls(intent: Intent | null): readonly string[] {
  if (intent?.type === "fetch") return [intent.url];
  if (intent?.type === "network") return [hostUrl(intent.host)];
  return intent?.type === "command" ? (intent.hosts ?? []).map(hostUrl) : [];
}

function hostUrl(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `https://[${host}]/` : `https://${host}/`;
}

// A rule on `edit` also applies to `write` and to other tools with the same intent.
function appliesTo(rule: Rule, toolRequest: ToolRequest): boolean {
  const { tool } = rule;
  const { intent } = toolRequest;
  if (tool === "outside") return isOutside(toolRequest);
  if (tool === "network") return appliesToNetwork(rule, intent);
  if (tool === "publish") return intent?.type === "port" && intent.direction === "publish";
  // Network and port requests come from a running command; they are not calls of its tool.
  if (intent?.type === "network" || intent?.type === "port") return false;
  return tool === toolRequest.tool || (intent !== null && intentByTool[tool] === intent.type);
}

/** A port rule applies only to ports of the user's machine, a host rule only to hosts. */
function appliesToNetwork({ pattern }: Rule, intent: Intent | null): boolean {
  const isPort = intent?.type === "port" && intent.direction === "host";
  if (isPort) return pattern?.type !== "host";
  return pattern?.type !== "port" && intentUrls(intent).length > 0;
}

// A rule for a sandboxed command does not allow it outside the sandbox, and no rule allows giving it a secret.
function isBroadEnough({ tool }: Rule, toolRequest: ToolRequest): boolean {
  if (toolRequest.intent?.type === "command" && (toolRequest.intent.secrets?.length ?? 0) > 0) return false;
  return tool === "outside" || !isOutside(toolRequest);
}

function isOutside({ intent }: ToolRequest): boolean {
  return intent?.type === "command" && intent.isOutside === true;
}

const intentByTool: Readonly<Record<string, string>> = {
  read: "look",
  edit: "change",
  write: "change",
  bash: "command",
  fetch: "fetch",
};

function allPathsAllowed(
  patterns: readonly Extract<Pattern, { type: "path" }>[],
  resolvedPaths: readonly ResolvedPath[],
  paths: PermissionPaths,
): boolean {
  if (resolvedPaths.length === 0) return false;
  return resolvedPaths.every((resolved) => patterns.some((pattern) => allowsPath(pattern, resolved, paths)));
}

function patternsOfType<Type extends Pattern["type"]>(
  type: Type,
  patterns: readonly Pattern[],
): readonly Extract<Pattern, { type: Type }>[] {
  return patterns.filter((pattern): pattern is Extract<Pattern, { type: Type }> => pattern.type === type);
}

/** The paths that deny rules protect, for a sandbox. */
export interface DeniedPaths {
  /** Absolute paths of files and folders that must not be read. */
  readonly unreadable: readonly string[];
  /** Absolute paths of files and folders that must not be changed. */
  readonly unwritable: readonly string[];
  /** Path rules that the sandbox can enforce: their paths are in the two lists. */
  readonly enforcedRules: readonly Rule[];
  /** Path rules that only apply to tools, not to commands. */
  readonly unenforcedRules: readonly Rule[];
}

type PathRoots = Pick<PermissionPaths, "root" | "home">;

/** Finds the denied paths that a sandbox can also close to commands: whole files and folders, without wildcards. */
export function findDeniedPaths(deny: readonly Rule[], roots: PathRoots): DeniedPaths {
  const candidates = deny.filter(isFileRule).map((rule) => ({ rule, place: findDeniedPath(rule, roots) }));
  const enforced = candidates.filter((candidate): candidate is EnforcedRule => candidate.place !== null);
  return {
    unreadable: enforced.filter(({ rule }) => rule.tool === "read").map(({ place }) => place),
    unwritable: enforced.filter(({ rule }) => rule.tool !== "read").map(({ place }) => place),
    enforcedRules: enforced.map(({ rule }) => rule),
    unenforcedRules: candidates.filter(({ place }) => place === null).map(({ rule }) => rule),
  };
}

interface EnforcedRule {
  readonly rule: Rule;
  readonly place: string;
}

function isFileRule({ tool }: Rule): boolean {
  return tool === "read" || tool === "edit" || tool === "write";
}

/** The path of a deny rule; null if it is not a single path, or if it contains the workspace, which the sandbox cannot close. */
function findDeniedPath({ tool, pattern }: Rule, { root, home }: PathRoots): string | null {
  if (pattern === null) return tool === "read" ? null : root;
  if (pattern.type !== "path") return null;
  const names = pattern.names.at(-1) === "**" ? pattern.names.slice(0, -1) : pattern.names;
  const start = { workspace: root, home, root: "" }[pattern.base];
  const path = [start, ...names].join("/") || "/";
  const containsWorkspace = path !== root && isWithin(path, root);
  return containsWorkspace || names.some((name) => /[*?]/.test(name)) ? null : path;
}

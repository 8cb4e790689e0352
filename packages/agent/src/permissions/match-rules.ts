/** Matches rules against a request. To allow, a rule must match for certain; to deny or to ask, a possible match is enough. */

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

/** Whether the rules together let all of it pass: each command of a line and each path needs a rule, not all the same one. */
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

/** How near a rule comes to any part of it. */
export function matchRule(rule: Rule, { request, paths }: MatchContext): RuleMatch {
  if (!appliesTo(rule, request.toolRequest)) return "not";
  const { pattern } = rule;
  if (pattern === null) return "fits";
  const { intent } = request.toolRequest;
  if (intent?.type === "nothing") return "not";
  if (intent?.type === "command" && pattern.type === "command") return matchCommand(pattern, intent.command);
  const urls = intentUrls(intent);
  if (urls.length > 0 && pattern.type === "host") return closestMatch(urls.map((url) => matchHost(pattern, url)));
  if (intent?.type === "port" && pattern.type === "port") return pattern.port === intent.port ? "fits" : "not";
  if (intent?.type === "named" && pattern.type === "path")
    return matchesToolName(pattern, intent.name) ? "fits" : "not";
  if (request.resolvedPaths.length > 0 && pattern.type === "path")
    return closestMatch(request.resolvedPaths.map((resolved) => matchPath(pattern, resolved, paths)));
  return "unsure";
}

/** Whether all that it would reach is named by these rules on the network; true for what reaches nothing. */
export function reachesOnlyHosts(rules: readonly Rule[], { toolRequest: { intent } }: PermissionRequest): boolean {
  const patterns = rules.map(({ pattern }) => pattern).filter((pattern) => pattern !== null);
  if (intent?.type === "port" && intent.direction === "host")
    return patternsOfType("port", patterns).some(({ port }) => port === intent.port);
  return intentUrls(intent).every((url) => allowsHost(patternsOfType("host", patterns), url));
}

/** What it would reach, as URLs. */
function intentUrls(intent: Intent | null): readonly string[] {
  if (intent?.type === "fetch") return [intent.url];
  if (intent?.type === "network") return [hostUrl(intent.host)];
  return intent?.type === "command" ? (intent.hosts ?? []).map(hostUrl) : [];
}

function hostUrl(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `https://[${host}]/` : `https://${host}/`;
}

// Who denies `editFile` on a file means no less by it when the tool is called `write`.
function appliesTo(rule: Rule, toolRequest: ToolRequest): boolean {
  const { tool } = rule;
  const { intent } = toolRequest;
  if (tool === "outside") return isOutside(toolRequest);
  if (tool === "network") return appliesToNetwork(rule, intent);
  if (tool === "publish") return intent?.type === "port" && intent.direction === "publish";
  // These are no calls of the tool that the command runs in.
  if (intent?.type === "network" || intent?.type === "port") return false;
  return tool === toolRequest.tool || (intent !== null && intentByTool[tool] === intent.type);
}

/** A rule on a port is about that port alone, and one on hosts about no port. */
function appliesToNetwork({ pattern }: Rule, intent: Intent | null): boolean {
  const isPort = intent?.type === "port" && intent.direction === "host";
  if (isPort) return pattern?.type !== "host";
  return pattern?.type !== "port" && intentUrls(intent).length > 0;
}

// Who allows a command where it is held has not said that it may leave, nor that it gets a secret.
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

export interface DeniedPaths {
  /** Files and folders that nobody is to read; absolute. */
  readonly unreadable: readonly string[];
  /** Those that nobody is to change. */
  readonly unwritable: readonly string[];
  /** Rules on paths whose places are among these. */
  readonly enforcedRules: readonly Rule[];
  /** Those that bind the tools alone, whatever a command does. */
  readonly unenforcedRules: readonly Rule[];
}

type PathRoots = Pick<PermissionPaths, "root" | "home">;

/** Denied paths that a sandbox can also close to commands: whole files and folders, no name patterns. */
export function findDeniedPaths(deny: readonly Rule[], roots: PathRoots): DeniedPaths {
  const candidates = deny.filter(isFileRule).map((rule) => ({ rule, place: deniedPath(rule, roots) }));
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

/** Null where it is no one place, or one in which the workspace lies: in a sandbox that stays as it is. */
function deniedPath({ tool, pattern }: Rule, { root, home }: PathRoots): string | null {
  if (pattern === null) return tool === "read" ? null : root;
  if (pattern.type !== "path") return null;
  const names = pattern.names.at(-1) === "**" ? pattern.names.slice(0, -1) : pattern.names;
  const start = { workspace: root, home, root: "" }[pattern.base];
  const path = [start, ...names].join("/") || "/";
  const containsWorkspace = path !== root && isWithin(path, root);
  return containsWorkspace || names.some((name) => /[*?]/.test(name)) ? null : path;
}

/** Builds the question a user is asked about a request, and the rules offered to remember with the answer. */

import type { Redaction } from "@pith/context";
import { escapeAllInvisible, shortenPath } from "../text.ts";
import type { CommandIntent, Intent } from "../tool.ts";
import type { ActionKind, AskReason } from "./decide.ts";
import { harmlessPrefix } from "./harmless-commands.ts";
import { simpleCommandWords } from "./match-command.ts";
import { rulesAllow } from "./match-rules.ts";
import type { PermissionPaths, PermissionRequest } from "./request.ts";
import { parseRule, type Rule } from "./rules.ts";

const MAX_SUGGESTED_RULES = 3;

/** Rules that would allow this request next time, narrowest first. Each is parsed as a user's rule is and must match the request. */
export function suggestRules(request: PermissionRequest, paths: PermissionPaths): readonly Rule[] {
  const texts = [...new Set(ruleTexts(request, paths))];
  const rules = texts.flatMap((text) => {
    const parsed = parseRule(text, { tools: [request.toolRequest.tool] });
    return parsed.type === "rule" ? [parsed.rule] : [];
  });
  return rules.filter((rule) => rulesAllow([rule], { request, paths })).slice(0, MAX_SUGGESTED_RULES);
}

function ruleTexts(
  { toolRequest: { tool, intent }, resolvedPaths }: PermissionRequest,
  paths: PermissionPaths,
): readonly string[] {
  switch (intent?.type) {
    case "command":
      return commandPatterns(intent).map((pattern) => `${intent.isOutside ? "outside" : "bash"}(${pattern})`);
    case "fetch":
      return URL.canParse(intent.url) ? [`fetch(${new URL(intent.url).hostname})`] : [];
    case "network":
      return [`network(${intent.host.includes(":") ? `[${intent.host}]` : intent.host})`];
    case "port":
      return [intent.direction === "host" ? `network(localhost:${intent.port})` : `publish(${intent.port})`];
    case "named":
      return namePatterns(intent.name).map((pattern) => `${tool}(${pattern})`);
    case "look":
      return pathPatterns(resolvedPaths, paths).map((pattern) => `read(${pattern})`);
    case "change":
      return pathPatterns(resolvedPaths, paths).map((pattern) => `edit(${pattern})`);
    case "nothing":
    case undefined:
      return [tool];
  }
}

/** PERM35: the exact line, and for the few commands that are harmless with any arguments all that begins so. */
function commandPatterns({ command: line, isConfined, isOutside }: CommandIntent): readonly string[] {
  if (line.length > MAX_PATTERN_CHARS) return [];
  const words = simpleCommandWords(line);
  // Outside the sandbox nothing is closed, so a line is permitted there only as it was read.
  if (words === null || isOutside) return [line];
  const prefix = harmlessPrefix(words, { isConfined });
  return prefix === null ? [line] : [line, `${prefix}:*`];
}

const MAX_PATTERN_CHARS = 200;

/** It alone, and all beside it. */
function namePatterns(name: string): readonly string[] {
  const folder = name.slice(0, Math.max(0, name.lastIndexOf("/")));
  if (name.length > MAX_PATTERN_CHARS || PATTERN_CHARACTERS.test(name)) return [];
  return folder === "" ? [name] : [name, `${folder}/*`];
}

/** The file, and where it lies in an open folder of the workspace, that folder. */
function pathPatterns(resolvedPaths: PermissionRequest["resolvedPaths"], { root }: PermissionPaths): readonly string[] {
  const [first, ...more] = resolvedPaths;
  if (!first?.realPath || more.length > 0) return [];
  const exact = shortenPath(root, first.realPath);
  if (PATTERN_CHARACTERS.test(exact)) return [];
  const folder = exact.slice(0, Math.max(0, exact.lastIndexOf("/")));
  const isVisibleFolder = folder !== "" && !folder.startsWith("/") && !/(?:^|\/)\./.test(folder);
  return isVisibleFolder ? [exact, `${folder}/**`] : [exact];
}

/** In a rule these signs would mean more than this file. */
const PATTERN_CHARACTERS = /^~|[*?{}\\]/;

/** What a rule permits, in words that stand behind it in a question: `ls with any arguments`. */
export function describeRule({ tool, pattern }: Rule): string {
  if (pattern === null) return `every call of ${tool}`;
  switch (pattern.type) {
    case "command": {
      const suffix = tool === "outside" ? ", outside the sandbox" : "";
      return `${pattern.isPrefix ? `${pattern.text} with any arguments` : "this exact line"}${suffix}`;
    }
    case "host":
      return describeHosts(tool, pattern.isSubdomain ? `the hosts under ${pattern.host}` : "this host");
    case "port":
      return "this port, for every command";
    case "path":
      return describePaths(tool, pattern.names);
  }
}

function describeHosts(tool: string, hosts: string): string {
  return tool === "fetch" ? `every page of ${hosts}` : `${hosts}, for every command and every page`;
}

function describePaths(tool: string, names: readonly string[]): string {
  const isPattern = /[*?]/.test(names.at(-1) ?? "");
  if (tool === "read" || tool === "edit" || tool === "write")
    return `${tool === "read" ? "reading" : "changing"} ${isPattern ? "every file in this folder" : "this file"}`;
  return isPattern ? "every tool of this server, with any arguments" : "this tool, with any arguments";
}

/** Text quoted in a question: one line of bounded length, with invisible and control characters spelled out. */
export function escapeForDisplay(text: string): string {
  return escapeAllInvisible(shortenMiddle(text));
}

const MAX_CHARS = 1_000;

// The end stays: a long beginning must not hide what comes last.
function shortenMiddle(text: string): string {
  if (text.length <= MAX_CHARS) return text;
  const half = MAX_CHARS / 2;
  return `${text.slice(0, half)} … ${text.length - MAX_CHARS} more characters … ${text.slice(-half)}`;
}

export interface PermissionQuestion {
  readonly tool: string;
  /** What it was called with. */
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly intent: Intent | null;
  /** One sentence, safe to print. */
  readonly text: string;
  /** What could be remembered with a yes: the narrowest first, three at most. */
  readonly rules: readonly Rule[];
  /** A yes counts for all of this session, for the same host or port; absent: this once. */
  readonly yesLasts?: "session";
}

export type PermissionAnswer =
  | { readonly type: "yes"; readonly remember?: { readonly rule: Rule; readonly for: "session" | "project" } }
  /** `randomWord` is told to the model. */
  | { readonly type: "no"; readonly word?: string };

/** The port to whoever is there to be asked. */
export type AskPermission = (
  question: PermissionQuestion,
  asking: { readonly signal: AbortSignal },
) => Promise<PermissionAnswer>;

export interface AskDecision {
  readonly action: ActionKind;
  readonly reason: AskReason;
}

export function createQuestion(
  request: PermissionRequest,
  { action, reason }: AskDecision,
  paths: PermissionPaths,
): PermissionQuestion {
  const { tool, intent, arguments: args } = request.toolRequest;
  return {
    tool,
    arguments: args,
    intent,
    text: `${describeSubject(request)} wants to ${describeAction(request, paths)}${actionRemarks[action] ?? ""}${reasonTexts[reason]}.`,
    rules: reason === "mode" ? suggestRules(request, paths) : [],
    ...(isSessionWide(request, reason) && { yesLasts: "session" }),
  };
}

/** Whoever says yes to a host is not asked again for every page and every connection. */
export function isSessionWide({ toolRequest: { intent } }: PermissionRequest, reason: AskReason): boolean {
  return reason === "mode" && (intent?.type === "network" || intent?.type === "fetch" || intent?.type === "port");
}

function describeSubject({ toolRequest: { tool, intent } }: PermissionRequest): string {
  if (intent?.type !== "network") return escapeForDisplay(tool);
  return intent.command === null ? "A command" : `\`${escapeForDisplay(intent.command)}\``;
}

/** What is shown has no secret, and what could be remembered neither. Whoever made up a secret may have hidden a command in it. */
export function redactQuestion(
  { intent, rules }: PermissionQuestion,
  redacted: PermissionQuestion,
  redaction: Redaction,
): PermissionQuestion {
  const hidesShellCharacters = shellCharacters(intent) !== shellCharacters(redacted.intent);
  return {
    ...redacted,
    text: hidesShellCharacters ? `${redacted.text} A secret in it has signs that a shell acts on.` : redacted.text,
    rules: rules.filter(({ text }) => redaction.redact(text) === text),
  };
}

function shellCharacters(intent: Intent | null): string {
  return intent?.type === "command" ? intent.command.replaceAll(/[^;&|<>()`$'"\\\s]/g, "") : "";
}

const reasonTexts: Readonly<Record<AskReason, string>> = {
  mode: "",
  rule: "; a rule wants you to be asked",
  doubt: "; it may be what a rule denies",
  again: "; it was begun before and may have been done",
};

const actionRemarks: Readonly<Partial<Record<ActionKind, string>>> = {
  "look-secret": ", where secrets are kept",
  "change-protected": ", which other programs run or believe",
  "change-outside": ", outside the workspace",
  "command-confined": ", in the sandbox",
  "command-free": ", not in a sandbox",
  "command-outside": ", outside the sandbox",
  "command-remote": ", which acts on something that others see",
  "network-package": ", where your packages come from",
};

function describeAction({ toolRequest, resolvedPaths }: PermissionRequest, paths: PermissionPaths): string {
  const { intent } = toolRequest;
  switch (intent?.type) {
    case "look":
      return `look at ${describeTargets(resolvedPaths, paths)}`;
    case "change":
      return `change ${describeTargets(resolvedPaths, paths)}`;
    case "command":
      return `run \`${escapeForDisplay(intent.command)}\`${describeSecrets(intent)}`;
    case "fetch":
      return `open ${escapeForDisplay(URL.parse(intent.url)?.href ?? intent.url)}`;
    case "network":
      return `connect to ${escapeForDisplay(intent.host)}${DEFAULT_PORTS.has(intent.port) ? "" : `:${intent.port}`}`;
    case "port":
      return intent.direction === "host"
        ? `connect commands to port ${intent.port} of this machine`
        : `open port ${intent.port} of the sandbox to this machine`;
    case "named":
      return `use ${escapeForDisplay(intent.name)}: ${escapeForDisplay(JSON.stringify(toolRequest.arguments))}`;
    case "nothing":
    case undefined:
      return `act on ${escapeForDisplay(JSON.stringify(toolRequest.arguments))}`;
  }
}

const DEFAULT_PORTS: ReadonlySet<number> = new Set([80, 443]);

/** Secrets by their names, never by their values. */
function describeSecrets({ secrets = [], hosts = [], isConfined, isOutside }: CommandIntent): string {
  if (secrets.length === 0) return "";
  const location = isOutside ? "outside the sandbox" : "not in a sandbox";
  const networkAccess = isConfined
    ? hosts.length === 0
      ? "without network"
      : `reaching only ${hosts.map(escapeForDisplay).join(", ")}`
    : `${location}, where it can send it to any host`;
  return ` with ${secrets.map(describeSecret).join(", ")}, ${networkAccess}`;
}

function describeSecret(name: string): string {
  const family = /^PITH_SECRET_([a-z0-9]+)_/.exec(name)?.[1];
  if (family !== undefined) return `the true value of ${escapeForDisplay(name)} (${family})`;
  return LOGIN_NAMES.has(name) ? `your ${name} login` : `the variable ${escapeForDisplay(name)}`;
}

/** Names in `secrets` that stand for what a tool has stored of the user. */
export const LOGIN_NAMES: ReadonlySet<string> = new Set(["npm", "git", "pip", "cargo"]);

function describeTargets(resolvedPaths: PermissionRequest["resolvedPaths"], { root }: PermissionPaths): string {
  const names = resolvedPaths.map(({ path, realPath }) => {
    const displayPath = escapeForDisplay(shortenPath(root, path));
    return realPath === null || realPath === path
      ? displayPath
      : `${displayPath} (in truth ${escapeForDisplay(shortenPath(root, realPath))})`;
  });
  return names.length === 0 ? "something it does not name" : names.join(", ");
}

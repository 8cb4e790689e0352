/** Builds the permission question for a request, with the rules that the user can remember with the answer. */

import type { Redaction } from "@pith/context";
import { escapeAllInvisible, shortenPath } from "../text.ts";
import type { CommandIntent, Intent } from "../tool.ts";
import { harmlessPrefix } from "./classify-commands.ts";
import type { ActionKind, AskReason } from "./decide.ts";
import { simpleCommandWords } from "./match-command.ts";
import { rulesAllow } from "./match-rules.ts";
import type { PermissionPaths, PermissionRequest } from "./request.ts";
import { parseRule, type Rule } from "./rules.ts";

/** A permission question to the user. */
export interface PermissionQuestion {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly intent: Intent | null;
  /** One sentence, safe to print. */
  readonly text: string;
  /** Rules that can be remembered with a yes: at most three, narrowest first. */
  readonly rules: readonly Rule[];
  /** Set if a yes applies to the same host or port for the whole session; otherwise it applies once. */
  readonly yesLasts?: "session";
}

/** The user's answer to a permission question. */
export type PermissionAnswer =
  | { readonly type: "yes"; readonly remember?: { readonly rule: Rule; readonly for: "session" | "project" } }
  /** `word` is the user's reason, which the model receives. */
  | { readonly type: "no"; readonly word?: string };

/** Asks the user. */
export type AskPermission = (
  question: PermissionQuestion,
  options: { readonly signal: AbortSignal },
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

/** Whether a yes applies to the whole session. Asking again for every page and connection of a host would be too much. */
export function isSessionWide({ toolRequest: { intent } }: PermissionRequest, reason: AskReason): boolean {
  return reason === "mode" && (intent?.type === "network" || intent?.type === "fetch" || intent?.type === "port");
}

function describeSubject({ toolRequest: { tool, intent } }: PermissionRequest): string {
  if (intent?.type !== "network") return escapeForDisplay(tool);
  return intent.command === null ? "A command" : `\`${escapeForDisplay(intent.command)}\``;
}

const reasonTexts: Readonly<Record<AskReason, string>> = {
  mode: "",
  rule: "; a rule requires this question",
  doubt: "; a rule may deny it",
  again: "; it was started before and may have completed",
};

const actionRemarks: Readonly<Partial<Record<ActionKind, string>>> = {
  "read-secret": ", where secrets are kept",
  "change-protected": ", which other programs run or trust",
  "change-outside": ", outside the workspace",
  "command-confined": ", in the sandbox",
  "command-unconfined": ", not in a sandbox",
  "command-outside": ", outside the sandbox",
  "command-remote": ", which changes something that others see",
  "network-package": ", where your packages come from",
};

function describeAction({ toolRequest, resolvedPaths }: PermissionRequest, paths: PermissionPaths): string {
  const { intent } = toolRequest;
  switch (intent?.type) {
    case "look":
      return `read ${describeTargets(resolvedPaths, paths)}`;
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
      return `run with ${escapeForDisplay(JSON.stringify(toolRequest.arguments))}`;
  }
}

const DEFAULT_PORTS: ReadonlySet<number> = new Set([80, 443]);

/** Names the secrets, never their values. */
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
  if (family !== undefined) return `the real value of ${escapeForDisplay(name)} (${family})`;
  return LOGIN_NAMES.has(name) ? `your ${name} login` : `the variable ${escapeForDisplay(name)}`;
}

/** Names in `secrets` that stand for the stored login of a tool. */
export const LOGIN_NAMES: ReadonlySet<string> = new Set(["npm", "git", "pip", "cargo"]);

function describeTargets(resolvedPaths: PermissionRequest["resolvedPaths"], { root }: PermissionPaths): string {
  const names = resolvedPaths.map(({ path, realPath }) => {
    const displayPath = escapeForDisplay(shortenPath(root, path));
    return realPath === null || realPath === path
      ? displayPath
      : `${displayPath} (resolves to ${escapeForDisplay(shortenPath(root, realPath))})`;
  });
  return names.length === 0 ? "unnamed files" : names.join(", ");
}

/** Formats quoted text for a question: one line of limited length, with invisible and control characters escaped. */
export function escapeForDisplay(text: string): string {
  return escapeAllInvisible(shortenMiddle(text));
}

const MAX_CHARS = 1_000;

// The end is kept, so that a long start cannot hide it.
function shortenMiddle(text: string): string {
  if (text.length <= MAX_CHARS) return text;
  const half = MAX_CHARS / 2;
  return `${text.slice(0, half)} … ${text.length - MAX_CHARS} more characters … ${text.slice(-half)}`;
}

/** Removes secrets from the question and drops rules that contain one. Warns if a secret hides characters that the shell interprets. */
export function redactQuestion(
  { intent, rules }: PermissionQuestion,
  redacted: PermissionQuestion,
  redaction: Redaction,
): PermissionQuestion {
  const hidesShellCharacters = shellCharacters(intent) !== shellCharacters(redacted.intent);
  return {
    ...redacted,
    text: hidesShellCharacters ? `${redacted.text} A secret in it contains shell special characters.` : redacted.text,
    rules: rules.filter(({ text }) => redaction.redact(text) === text),
  };
}

function shellCharacters(intent: Intent | null): string {
  return intent?.type === "command" ? intent.command.replaceAll(/[^;&|<>()`$'"\\\s]/g, "") : "";
}

const MAX_SUGGESTED_RULES = 3;

/** Suggests rules that would allow this request next time, narrowest first. Each is parsed like a rule of the user. */
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

/** PERM35: the exact line, and a prefix for commands that are harmless with any arguments. */
function commandPatterns({ command: line, isConfined, isOutside }: CommandIntent): readonly string[] {
  if (line.length > MAX_PATTERN_CHARS) return [];
  const words = simpleCommandWords(line);
  // Outside the sandbox only the exact line is offered.
  if (words === null || isOutside) return [line];
  const prefix = harmlessPrefix(words, { isConfined });
  return prefix === null ? [line] : [line, `${prefix}:*`];
}

const MAX_PATTERN_CHARS = 200;

/** The tool itself, and all tools of its server. */
function namePatterns(name: string): readonly string[] {
  const folder = name.slice(0, Math.max(0, name.lastIndexOf("/")));
  if (name.length > MAX_PATTERN_CHARS || PATTERN_CHARACTERS.test(name)) return [];
  return folder === "" ? [name] : [name, `${folder}/*`];
}

/** The file, and its folder if that is a visible folder of the workspace. */
function pathPatterns(resolvedPaths: PermissionRequest["resolvedPaths"], { root }: PermissionPaths): readonly string[] {
  const [first, ...more] = resolvedPaths;
  if (!first?.realPath || more.length > 0) return [];
  const exact = shortenPath(root, first.realPath);
  if (PATTERN_CHARACTERS.test(exact)) return [];
  const folder = exact.slice(0, Math.max(0, exact.lastIndexOf("/")));
  const isVisibleFolder = folder !== "" && !folder.startsWith("/") && !/(?:^|\/)\./.test(folder);
  return isVisibleFolder ? [exact, `${folder}/**`] : [exact];
}

/** Characters with a special meaning in a rule. */
const PATTERN_CHARACTERS = /^~|[*?{}\\]/;

/** Describes what a rule permits, as shown after it in a question: `ls with any arguments`. */
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

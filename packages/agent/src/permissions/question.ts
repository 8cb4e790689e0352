/** Builds the permission question for a request, with the rules that the user can remember with the answer. */

import type { Redaction } from "@pith/context";
import { escapeAllInvisible, isWithin, shortenPath } from "../text.ts";
import type { CommandIntent, GitSettingsChange, Intent, MadeBy } from "../tool.ts";
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
  /** The question, followed by remarks about it. Safe to print. */
  readonly text: string;
  /** Rules that can be remembered with a yes: at most three, narrowest first. */
  readonly rules: readonly Rule[];
  /** Set if a yes applies to the same host or port for the whole session; otherwise it applies once. */
  readonly yesLasts?: "session";
  /**
   * The id of the tool call, and the number of the session's entry that contains it, because some models use an id again. Absent for a
   * question of a running command, such as one about a host. A stored answer belongs to the question that is the same in every field.
   */
  readonly callId?: string;
  readonly entry?: number;
}

/** The user's answer to a permission question. */
export type PermissionAnswer =
  | { readonly type: "yes"; readonly remember?: { readonly rule: Rule; readonly for: "session" | "project" } }
  /** `word` is the user's reason, which the model receives. */
  | { readonly type: "no"; readonly word?: string }
  /** The run ends as suspended, and `resume` asks again. It counts as a no if `mayAnswerLater` is false. */
  | { readonly type: "later" };

/** Options of a question. */
export interface AskPermissionOptions {
  /** Aborted when the question is withdrawn. */
  readonly signal: AbortSignal;
  /** Whether the question can be answered with `later`. False for a question of a running command, which waits for the answer. */
  readonly mayAnswerLater: boolean;
}

/** Asks the user. */
export type AskPermission = (question: PermissionQuestion, options: AskPermissionOptions) => Promise<PermissionAnswer>;

export interface AskDecision {
  readonly action: ActionKind;
  readonly reason: AskReason;
}

export function createQuestion(
  request: PermissionRequest,
  decision: AskDecision,
  paths: PermissionPaths,
): PermissionQuestion {
  const { reason } = decision;
  const { tool, intent, arguments: args, recorded } = request.toolRequest;
  return {
    tool,
    arguments: args,
    intent,
    text: formatText(request, decision, paths),
    rules: reason === "mode" ? suggestRules(request, paths) : [],
    ...(isSessionWide(request, reason) && { yesLasts: "session" }),
    ...(recorded && { callId: recorded.callId }),
    ...(recorded?.entry !== undefined && { entry: recorded.entry }),
  };
}

/** Whether a yes applies to the whole session. Asking again for every page and connection of a host would be too much. */
export function isSessionWide({ toolRequest: { intent } }: PermissionRequest, reason: AskReason): boolean {
  return reason === "mode" && (intent?.type === "network" || intent?.type === "fetch" || intent?.type === "port");
}

function formatText(request: PermissionRequest, { action, reason }: AskDecision, paths: PermissionPaths): string {
  const { intent } = request.toolRequest;
  // Whatever else a command does, the user must see that the sandbox does not confine it.
  const isOutside = intent?.type === "command" && intent.isOutside === true;
  const place = isOutside ? OUTSIDE_SANDBOX : (actionPlaces[action] ?? "");
  const question = `Allow ${describeRequest(request, paths)}${place}?`;
  const secretRemark = intent?.type === "command" ? describeSecretReach(intent) : "";
  const { madeBy = undefined, gitSettings = undefined } = intent?.type === "change" ? intent : {};
  const actionRemark = gitSettings?.effect ?? actionRemarks[action] ?? "";
  const remarks = [secretRemark, ...(madeBy ? describeMade(madeBy) : []), actionRemark, reasonRemarks[reason]];
  return [question, ...remarks.filter((remark) => remark !== "")].join(" ");
}

function describeMade({ remarks }: MadeBy): readonly string[] {
  return [
    "Until you allow it, it is not in the workspace.",
    ...remarks.map((remark) => `${escapeForDisplay(remark)}.`),
  ];
}

const reasonRemarks: Readonly<Record<AskReason, string>> = {
  mode: "",
  rule: "A rule requires asking.",
  doubt: "It may match a deny or ask rule.",
  again: "It was started before and may have completed.",
};

const actionPlaces: Readonly<Partial<Record<ActionKind, string>>> = {
  "change-outside": " outside the workspace",
  "read-outside": " outside the workspace",
  "command-confined": " in the sandbox",
  "command-unconfined": " without a sandbox",
  "command-unknown": " in the sandbox",
};

const OUTSIDE_SANDBOX = " outside the sandbox";

const actionRemarks: Readonly<Partial<Record<ActionKind, string>>> = {
  "read-secret": "This location usually contains secrets.",
  "change-protected": "Other programs execute or trust this path.",
  "command-remote": "It makes changes that others can see.",
  "command-unknown": "It may run a program that the line does not name.",
  "network-package": "Your package managers use this host.",
};

function describeRequest(request: PermissionRequest, paths: PermissionPaths): string {
  const { toolRequest } = request;
  const { intent } = toolRequest;
  const tool = escapeForDisplay(toolRequest.tool);
  switch (intent?.type) {
    case "look":
      return `${tool === "read" ? "reading" : `${tool} to read`} ${describeTargets(request, paths)}`;
    case "change": {
      if (intent.gitSettings) return describeGitSettings(intent.gitSettings, describeTargets(request, paths));
      if (intent.madeBy)
        return `${describeTargets(request, paths)}, which \`${escapeForDisplay(intent.madeBy.command, MAX_MAKER_CHARS)}\` made, to stay`;
      const isChangeTool = tool === "edit" || tool === "write";
      return `${isChangeTool ? `this ${tool} to` : `${tool} to change`} ${describeTargets(request, paths)}`;
    }
    case "command":
      return `${tool} to run \`${escapeForDisplay(intent.command)}\`${describeSecrets(intent)}`;
    case "fetch":
      return `${tool === "fetch" ? "fetching" : `${tool} to open`} ${escapeForDisplay(URL.parse(intent.url)?.href ?? intent.url)}`;
    case "network": {
      const command = intent.command === null ? "a command" : `\`${escapeForDisplay(intent.command)}\``;
      const port = DEFAULT_PORTS.has(intent.port) ? "" : `:${intent.port}`;
      return `${command} to connect to ${escapeForDisplay(intent.host)}${port}`;
    }
    case "port":
      return intent.direction === "host"
        ? `commands to connect to port ${intent.port} on this machine`
        : `${tool} to expose sandbox port ${intent.port} on this machine`;
    case "named":
      return `${tool} to use ${escapeForDisplay(intent.name)} with ${escapeForDisplay(JSON.stringify(toolRequest.arguments))}`;
    case "nothing":
    case undefined:
      return `${tool} to run with ${escapeForDisplay(JSON.stringify(toolRequest.arguments))}`;
  }
}

function describeGitSettings({ command, changes }: GitSettingsChange, file: string): string {
  return `\`${escapeForDisplay(command, MAX_MAKER_CHARS)}\` to ${changes.map((change) => escapeForDisplay(change)).join(" and to ")} in ${file}`;
}

const DEFAULT_PORTS: ReadonlySet<number> = new Set([80, 443]);

/** Names the secrets, never their values. */
function describeSecrets({ secrets = [], isConfined, isOutside }: CommandIntent): string {
  if (secrets.length === 0) return "";
  const place = isConfined || isOutside ? "" : " without a sandbox";
  return ` with ${secrets.map(describeSecret).join(", ")}${place}`;
}

/** Where a command can send its secrets. */
function describeSecretReach({ secrets = [], hosts = [], isConfined }: CommandIntent): string {
  if (secrets.length === 0) return "";
  if (!isConfined) return `It can send the ${secrets.length === 1 ? "secret" : "secrets"} to any host.`;
  return hosts.length === 0
    ? "It has no network access."
    : `It can reach only ${hosts.map((host) => escapeForDisplay(host)).join(", ")}.`;
}

function describeSecret(name: string): string {
  const family = /^PITH_SECRET_([a-z0-9]+)_/.exec(name)?.[1];
  if (family !== undefined) return `the real value of ${escapeForDisplay(name)} (${family})`;
  return LOGIN_NAMES.has(name) ? `your ${name} login` : `the variable ${escapeForDisplay(name)}`;
}

/** Names in `secrets` that stand for the stored login of a tool. */
export const LOGIN_NAMES: ReadonlySet<string> = new Set(["npm", "git", "pip", "cargo"]);

function describeTargets({ toolRequest, resolvedPaths }: PermissionRequest, paths: PermissionPaths): string {
  const { root, temporaryFolders } = paths;
  const names = resolvedPaths.map(({ path, realPath }) => {
    const privatePath = findPrivatePath(toolRequest.arguments.path, path, temporaryFolders);
    const displayPath =
      privatePath === null
        ? escapeForDisplay(shortenPath(root, path))
        : `${escapeForDisplay(privatePath)} (in the sandbox's private /tmp)`;
    return realPath === null || realPath === path
      ? displayPath
      : `${displayPath} (resolves to ${escapeForDisplay(shortenPath(root, realPath))})`;
  });
  return names.length === 0 ? "unspecified files" : names.join(", ");
}

/**
 * The path below `/tmp` by which the diff and the sandbox name a file in the private temporary folder. Null for any other file: the written
 * path is used only if it names exactly the resolved file.
 */
function findPrivatePath(writtenPath: unknown, path: string, temporaryFolders: readonly string[]): string | null {
  const folder = temporaryFolders.find((each) => isWithin(each, path));
  if (folder === undefined || typeof writtenPath !== "string") return null;
  const names = ["/tmp", "/var/tmp"].filter((name) => name !== folder);
  return names.some((name) => writtenPath === `${name}${path.slice(folder.length)}`) ? writtenPath : null;
}

/** Formats quoted text for a question: one line of limited length, with invisible and control characters escaped. */
function escapeForDisplay(text: string, maxChars: number = MAX_CHARS): string {
  return escapeAllInvisible(shortenMiddle(text, maxChars));
}

const MAX_CHARS = 1_000;
/** A command that already runs is named only to recognize it. */
const MAX_MAKER_CHARS = 120;

// The end is kept, so that a long start cannot hide it.
function shortenMiddle(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const half = maxChars / 2;
  return `${text.slice(0, half)} … ${text.length - maxChars} more characters … ${text.slice(-half)}`;
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
    text: hidesShellCharacters ? `${redacted.text} It contains a secret with shell metacharacters.` : redacted.text,
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
  if (pattern === null) return `all ${tool} calls`;
  switch (pattern.type) {
    case "command": {
      const suffix = tool === "outside" ? OUTSIDE_SANDBOX : "";
      return `${pattern.isPrefix ? `${pattern.text} with any arguments` : "this exact command"}${suffix}`;
    }
    case "host":
      return describeHosts(tool, pattern.isSubdomain ? `hosts under ${pattern.host}` : "this host");
    case "port":
      return "this port, for all commands";
    case "path":
      return describePaths(tool, pattern.names);
  }
}

function describeHosts(tool: string, hosts: string): string {
  return tool === "fetch" ? `all pages on ${hosts}` : `${hosts}, for all commands and pages`;
}

function describePaths(tool: string, names: readonly string[]): string {
  const isPattern = /[*?]/.test(names.at(-1) ?? "");
  if (tool === "read" || tool === "edit" || tool === "write")
    return `${tool === "read" ? "reads of" : "changes to"} ${isPattern ? "all files in this folder" : "this file"}`;
  return isPattern ? "all tools on this server, with any arguments" : "this tool, with any arguments";
}

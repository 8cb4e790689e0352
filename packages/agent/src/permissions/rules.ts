/** Parses permission rules and matches command, path and host patterns. An invalid rule is an error and is never interpreted. */

import { matchWithGaps } from "../glob.ts";
import { allCommandsMatch, matchCommandLine, type RuleMatch, simpleCommandWords } from "./match-command.ts";
import type { PermissionPaths, ResolvedPath } from "./request.ts";

/** A permission rule. */
export interface Rule {
  /** The rule as shown and stored. */
  readonly text: string;
  /**
   * The name of a tool. `read` applies to everything that reads files, `edit` and `write` to everything that changes them, and `bash`
   * to all commands. An allow rule on `bash` does not apply outside the sandbox; `outside` does. `network` applies to the hosts that
   * commands and fetches reach, and `publish` to ports of the sandbox that the user's machine may reach.
   */
  readonly tool: string;
  /** Null: the rule applies to every call. */
  readonly pattern: Pattern | null;
  /** Where the rule comes from, if known. */
  readonly source?: RuleSource;
}

/** `project`: remembered for this workspace. `policy`: set by the organisation. */
export type RuleSource = "flag" | "settings" | "project" | "session" | "extension" | "policy";

export type Pattern = CommandPattern | PathPattern | HostPattern | PortPattern;

/** The result of `parseRule`. */
export type ParsedRule = { readonly type: "rule"; readonly rule: Rule } | RuleError;

/** Why a text is not a valid rule. */
export interface RuleError {
  readonly type: "mistake";
  readonly code: RuleErrorCode;
  readonly message: string;
}

export type RuleErrorCode =
  | "empty"
  | "invisible-character"
  | "missing-tool"
  /** No tool has this name, so the rule would never match. */
  | "unknown-tool"
  | "parentheses"
  /** A wildcard where it has no meaning, so the rule would never match. */
  | "wildcard"
  | "not-a-simple-command"
  | "path"
  | "host"
  | "port";

function ruleError(code: RuleErrorCode, message: string): RuleError {
  return { type: "mistake", code, message };
}

/** Options of `parseRule`. */
export interface ParseRuleOptions {
  /** Names of tools besides the built-in ones. */
  readonly tools?: readonly string[];
  /** Stored in the rule. */
  readonly source?: RuleSource;
}

/**
 * Parses a rule: `bash(git status)`, `outside(npm test:*)`, `edit(src/**)`, `read(~/notes)`, `fetch(*.example.com)`, `network(example.com)`,
 * `network(localhost:5432)`, `publish(3000)`, or a tool alone, as in `grep`.
 */
export function parseRule(input: string, options: ParseRuleOptions = {}): ParsedRule {
  const parsed = parseRuleText(input, options);
  if (parsed.type === "mistake" || !options.source) return parsed;
  return { type: "rule", rule: { ...parsed.rule, source: options.source } };
}

function parseRuleText(input: string, { tools = [] }: ParseRuleOptions): ParsedRule {
  const text = input.trim();
  if (text === "") return ruleError("empty", "the rule is empty; write one such as bash(npm test)");
  if (invisiblePattern().test(text))
    return ruleError("invisible-character", "a rule cannot contain line breaks or invisible characters");
  const name = TOOL_NAME.exec(text)?.[0];
  if (name === undefined) return ruleError("missing-tool", `${text}: a rule starts with the name of a tool`);
  const knownTools = [...BUILT_IN_TOOLS, ...tools];
  if (!knownTools.includes(name))
    return ruleError("unknown-tool", `unknown tool ${name}${suggestTool(name, knownTools)}`);
  const rest = text.slice(name.length);
  if (rest === "") return { type: "rule", rule: { text, tool: name, pattern: null } };
  if (!rest.startsWith("(") || !rest.endsWith(")"))
    return ruleError("parentheses", `${text}: write ${name} alone, or ${name}(…) with both parentheses`);
  return parseRuleWithPattern(name, rest.slice(1, -1).trim());
}

const TOOL_NAME = /^[A-Za-z_][\w.-]*/;
const BUILT_IN_TOOLS: readonly string[] = [
  ...["read", "write", "edit", "bash", "outside", "grep", "find", "ls", "fetch", "network", "publish"],
];
const invisiblePattern = (): RegExp => /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u;

function suggestTool(name: string, knownTools: readonly string[]): string {
  const similar = knownTools.find((tool) => tool.toLowerCase() === name.toLowerCase());
  return similar === undefined ? `; known tools: ${knownTools.join(", ")}` : `; did you mean ${similar}?`;
}

function parseRuleWithPattern(tool: string, input: string): ParsedRule {
  if (input === "")
    return ruleError("empty", `${tool}(): the parentheses are empty; write ${tool} without them for all calls`);
  const pattern = parsePattern(tool, input);
  if (pattern.type === "mistake") return { ...pattern, message: `${tool}(${input}): ${pattern.message}` };
  return { type: "rule", rule: { text: `${tool}(${input})`, tool, pattern } };
}

function parsePattern(tool: string, input: string): Pattern | RuleError {
  if (tool === "bash" || tool === "outside") return parseCommandPattern(input);
  if (tool === "network") return parseNetworkPattern(input);
  if (tool === "publish") return parsePortPattern(input);
  return tool === "fetch" ? parseHostPattern(input) : parsePathPattern(input);
}

export interface CommandPattern {
  readonly type: "command";
  /** The command without `:*`. */
  readonly text: string;
  /** Null if the text is not a single simple command. The rule then only matches the exact text. */
  readonly words: readonly string[] | null;
  readonly isPrefix: boolean;
}

/** Parses a command pattern: an exact command, or with `:*` every command that begins with these words. */
export function parseCommandPattern(input: string): CommandPattern | RuleError {
  const isPrefix = input.endsWith(":*");
  const text = isPrefix ? input.slice(0, -2).trim() : input;
  if (text === "")
    return ruleError("empty", "no command is given; without parentheses the rule applies to all commands");
  if (text.includes("*")) return ruleError("wildcard", "* is only allowed at the end, as in npm test:*");
  const words = simpleCommandWords(text);
  if (isPrefix && words === null)
    return ruleError("not-a-simple-command", "only one simple command is allowed before :*");
  return { type: "command", text, words, isPrefix };
}

/** Whether a pattern is exactly this line, or every command of the line matches a pattern. */
export function allowsCommand(patterns: readonly CommandPattern[], line: string): boolean {
  return patterns.some((pattern) => isExactCommand(pattern, line)) || allCommandsMatch(patterns, line);
}

export function matchCommand(pattern: CommandPattern, line: string): RuleMatch {
  return isExactCommand(pattern, line) ? "yes" : matchCommandLine(pattern, line);
}

function isExactCommand({ text, isPrefix }: CommandPattern, line: string): boolean {
  return !isPrefix && text === line;
}

export interface HostPattern {
  readonly type: "host";
  /** Normalized as in a URL. */
  readonly host: string;
  /** Matches the hosts below `host`, not `host` itself. */
  readonly isSubdomain: boolean;
}

/** Parses a host pattern: one host, or with `*.` all hosts below it. */
export function parseHostPattern(input: string): HostPattern | RuleError {
  const isSubdomain = input.startsWith("*.");
  const name = isSubdomain ? input.slice(2) : input;
  if (name.includes("*")) return ruleError("wildcard", "* is only allowed at the start, as in *.example.com");
  const host = /[/\\?#@%\s]/.test(name) ? null : parseHost(`http://${name}`);
  const isPlain = host !== null && (name.startsWith("[") || !name.includes(":"));
  if (!isPlain) return ruleError("host", "write a host alone, such as example.com, without scheme, port or path");
  return { type: "host", host, isSubdomain };
}

export function allowsHost(patterns: readonly HostPattern[], url: string): boolean {
  return patterns.some((pattern) => matchHost(pattern, url) === "yes");
}

export function matchHost({ host, isSubdomain }: HostPattern, url: string): RuleMatch {
  const requestedHost = parseHost(url);
  if (requestedHost === null) return "maybe";
  return (isSubdomain ? requestedHost.endsWith(`.${host}`) : requestedHost === host) ? "yes" : "no";
}

// The URL parser normalizes case, international names and spellings of IP addresses. A final dot has no meaning.
function parseHost(url: string): string | null {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return null;
  return new URL(url).hostname.replace(/\.$/, "") || null;
}

export interface PortPattern {
  readonly type: "port";
  readonly port: number;
}

function parsePortPattern(digits: string): PortPattern | RuleError {
  const port = /^\d{1,5}$/.test(digits) ? Number(digits) : 0;
  if (port < 1 || port > 65_535) return ruleError("port", "write a port from 1 to 65535, such as 3000");
  return { type: "port", port };
}

/** Parses a host pattern, or a port of the user's machine. */
function parseNetworkPattern(input: string): HostPattern | PortPattern | RuleError {
  const digits = /^(?:localhost|127\.0\.0\.1):(.*)$/.exec(input)?.[1];
  return digits === undefined ? parseHostPattern(input) : parsePortPattern(digits);
}

export interface PathPattern {
  readonly type: "path";
  readonly base: "workspace" | "home" | "root";
  readonly names: readonly string[];
}

/** Parses a path relative to the workspace, `~` or `/`. `*` and `?` match within a name, `**` matches across folders. */
function parsePathPattern(input: string): PathPattern | RuleError {
  const names = input.split("/").filter((name) => name !== "" && name !== ".");
  if (names.includes("..")) return ruleError("path", "a path cannot contain ..; start it with / or ~");
  if (/[{}\\]/.test(input)) return ruleError("path", "a path supports only the wildcards *, ** and ?");
  if (names.some((name) => name !== "**" && name.includes("**")))
    return ruleError("wildcard", "** must be a whole path component, as in src/**/test");
  if (input.startsWith("/")) return { type: "path", base: "root", names };
  if (names[0] === "~") return { type: "path", base: "home", names: names.slice(1) };
  if (names[0]?.startsWith("~")) return ruleError("path", "only ~ is supported, not another user's home folder");
  return { type: "path", base: "workspace", names };
}

// Only the real path counts: a link in an allowed folder does not allow its target.
export function allowsPath(pattern: PathPattern, { realPath }: ResolvedPath, paths: PermissionPaths): boolean {
  return realPath !== null && matchesPath(pattern, realPath, paths);
}

export function matchPath(pattern: PathPattern, { path, realPath }: ResolvedPath, paths: PermissionPaths): RuleMatch {
  if (matchesPath(pattern, path, paths) || (realPath !== null && matchesPath(pattern, realPath, paths))) return "yes";
  return realPath === null ? "maybe" : "no";
}

/** Matches a name with slashes like a path: `server/tool`, `server/*`, or `server` for all its tools. */
export function matchesToolName({ base, names }: PathPattern, name: string): boolean {
  return base === "workspace" && matchesGlob(withDescendants(names), name.split("/"));
}

function matchesPath({ base, names }: PathPattern, path: string, { root, home }: PermissionPaths): boolean {
  const start = { workspace: root, home, root: "/" }[base];
  const folders = start.split("/").filter((name) => name !== "");
  const pathNames = path.split("/").filter((name) => name !== "");
  const isBelowStart = folders.every((folder, index) => pathNames[index] === folder);
  return isBelowStart && matchesGlob(withDescendants(names), pathNames.slice(folders.length));
}

// A plain name also matches everything below it; a wildcard pattern does not.
function withDescendants(names: readonly string[]): readonly string[] {
  return /[*?]/.test(names.at(-1) ?? "") ? names : [...names, "**"];
}

/** `**` matches any number of names, `*` any characters within a name, and `?` one character. */
export function matchesGlob(glob: readonly string[], names: readonly string[]): boolean {
  return matchWithGaps(glob, names, { isGap: (segment) => segment === "**", matches: matchesNamePattern });
}

function matchesNamePattern(glob: string, name: string): boolean {
  return matchWithGaps([...glob], [...name], {
    isGap: (character) => character === "*",
    matches: (character, nameCharacter) => character === "?" || character === nameCharacter,
  });
}

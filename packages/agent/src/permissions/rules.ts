/** Parses permission rules and matches command, path and host patterns. An invalid rule is a named mistake, never a guess. */

import { matchWithGaps } from "../glob.ts";
import { allCommandsMatch, matchCommandLine, type RuleMatch, simpleCommandWords } from "./match-command.ts";
import type { PermissionPaths, ResolvedPath } from "./request.ts";

export interface RuleError {
  readonly type: "mistake";
  readonly code: RuleErrorCode;
  readonly message: string;
}

export type RuleErrorCode =
  | "empty"
  | "unseen"
  | "no-tool"
  /** A tool that nobody has, so that the rule would never count. */
  | "unknown-tool"
  | "brackets"
  /** A `*` where it means nothing, so that the rule would never count. */
  | "star"
  | "not-simple"
  | "path"
  | "host"
  | "port";

export function ruleError(code: RuleErrorCode, message: string): RuleError {
  return { type: "mistake", code, message };
}

export interface CommandPattern {
  readonly type: "command";
  /** Without its `:*`. */
  readonly text: string;
  /** Null where it is more than one simple command: such a rule means this very text. */
  readonly words: readonly string[] | null;
  readonly isPrefix: boolean;
}

/** Parses a command pattern: an exact command, or with `:*` every command that begins with these words. */
export function parseCommandPattern(input: string): CommandPattern | RuleError {
  const isPrefix = input.endsWith(":*");
  const text = isPrefix ? input.slice(0, -2).trim() : input;
  if (text === "") return ruleError("empty", "no command is named; without brackets it stands for all of them");
  if (text.includes("*")) return ruleError("star", "a * means something only at the end, as in npm test:*");
  const words = simpleCommandWords(text);
  if (isPrefix && words === null) return ruleError("not-simple", "before :* there can be one simple command only");
  return { type: "command", text, words, isPrefix };
}

/** A line that stands in a rule as it is, or one whose every command a rule fits; what is not plainly readable is neither. */
export function allowsCommand(patterns: readonly CommandPattern[], line: string): boolean {
  return patterns.some((pattern) => isExactCommand(pattern, line)) || allCommandsMatch(patterns, line);
}

export function matchCommand(pattern: CommandPattern, line: string): RuleMatch {
  return isExactCommand(pattern, line) ? "fits" : matchCommandLine(pattern, line);
}

function isExactCommand({ text, isPrefix }: CommandPattern, line: string): boolean {
  return !isPrefix && text === line;
}

export interface HostPattern {
  readonly type: "host";
  /** As a URL spells it. */
  readonly host: string;
  /** Those under it, and not itself. */
  readonly isSubdomain: boolean;
}

/** Parses a host pattern: one host, or with `*.` all hosts below it. */
export function parseHostPattern(input: string): HostPattern | RuleError {
  const isSubdomain = input.startsWith("*.");
  const name = isSubdomain ? input.slice(2) : input;
  if (name.includes("*")) return ruleError("star", "a * may only stand at the beginning, as in *.example.com");
  const host = /[/\\?#@%\s]/.test(name) ? null : parseHost(`http://${name}`);
  const isPlain = host !== null && (name.startsWith("[") || !name.includes(":"));
  if (!isPlain) return ruleError("host", "write a host alone, such as example.com, without scheme, port or path");
  return { type: "host", host, isSubdomain };
}

export function allowsHost(patterns: readonly HostPattern[], url: string): boolean {
  return patterns.some((pattern) => matchHost(pattern, url) === "fits");
}

export function matchHost({ host, isSubdomain }: HostPattern, url: string): RuleMatch {
  const requestedHost = parseHost(url);
  if (requestedHost === null) return "unsure";
  return (isSubdomain ? requestedHost.endsWith(`.${host}`) : requestedHost === host) ? "fits" : "not";
}

// The parser brings capitals, foreign letters and odd ways to write an address into one form; a last dot changes nothing.
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

/** A host, or a port of the user's machine. */
function parseNetworkPattern(input: string): HostPattern | PortPattern | RuleError {
  const digits = /^(?:localhost|127\.0\.0\.1):(.*)$/.exec(input)?.[1];
  return digits === undefined ? parseHostPattern(input) : parsePortPattern(digits);
}

export interface PathPattern {
  readonly type: "path";
  readonly base: "workspace" | "home" | "root";
  readonly names: readonly string[];
}

/** Parses a path from the workspace, `~` or `/`; `*` and `?` stay within a name, `**` crosses folders. */
export function parsePathPattern(input: string): PathPattern | RuleError {
  const names = input.split("/").filter((name) => name !== "" && name !== ".");
  if (names.includes(".."))
    return ruleError("path", "a path in a rule may not go up with ..; write it from / or from ~");
  if (/[{}\\]/.test(input)) return ruleError("path", "of all signs only *, ** and ? mean something in a path");
  if (names.some((name) => name !== "**" && name.includes("**")))
    return ruleError("star", "** stands alone between two slashes, as in src/**/test");
  if (input.startsWith("/")) return { type: "path", base: "root", names };
  if (names[0] === "~") return { type: "path", base: "home", names: names.slice(1) };
  if (names[0]?.startsWith("~")) return ruleError("path", "only ~ itself is known, no other person's home");
  return { type: "path", base: "workspace", names };
}

// Only where it leads in truth: a link in an allowed folder must not open what it points to.
export function allowsPath(pattern: PathPattern, { realPath }: ResolvedPath, paths: PermissionPaths): boolean {
  return realPath !== null && matchesPath(pattern, realPath, paths);
}

export function matchPath(pattern: PathPattern, { path, realPath }: ResolvedPath, paths: PermissionPaths): RuleMatch {
  if (matchesPath(pattern, path, paths) || (realPath !== null && matchesPath(pattern, realPath, paths))) return "fits";
  return realPath === null ? "unsure" : "not";
}

/** A name with slashes is taken as a path would be: `server/tool`, `server/*`, or `server` for all of it. */
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

// A folder that is named stands for what is in it; a pattern of names does not.
function withDescendants(names: readonly string[]): readonly string[] {
  return /[*?]/.test(names.at(-1) ?? "") ? names : [...names, "**"];
}

/** `**` takes any number of names, none too; in a name `*` takes any letters and `?` one. */
export function matchesGlob(glob: readonly string[], names: readonly string[]): boolean {
  return matchWithGaps(glob, names, { isGap: (segment) => segment === "**", matches: matchesNamePattern });
}

function matchesNamePattern(glob: string, name: string): boolean {
  return matchWithGaps([...glob], [...name], {
    isGap: (character) => character === "*",
    matches: (character, nameCharacter) => character === "?" || character === nameCharacter,
  });
}

export interface Rule {
  /** As it is shown and kept. */
  readonly text: string;
  /**
   * A tool's name. `read` stands for all that looks at files, `editFile` and `write` for all that changes them, `bash` for
   * all commands, but an allow for those alone that do not leave a sandbox; `outside` stands for those that do. `network` stands for
   * what commands reach and for what is fetched, `publishTarball` for ports of the sandbox that the user's machine may reach.
   */
  readonly tool: string;
  /** Null: whatever the tool is called with. */
  readonly pattern: Pattern | null;
  /** Who made it; absent where nobody said. */
  readonly source?: RuleSource;
}

/** `project`: remembered with an answer for this workspace. `policy`: of the organisation. */
export type RuleSource = "flag" | "settings" | "project" | "session" | "extension" | "policy";

export type Pattern = CommandPattern | PathPattern | HostPattern | PortPattern;

export type ParsedRule = { readonly type: "rule"; readonly rule: Rule } | RuleError;

/** The names that a rule may begin with. */
export interface ParseRuleOptions {
  /** Tools of the host's own, beside those that come with the agent. */
  readonly tools?: readonly string[];
  /** Who made the rule. */
  readonly source?: RuleSource;
}

/**
 * `bash(git status)`, `outside(npm test:*)`, `edit(src/**)`, `read(~/notes)`, `fetch(*.example.com)`, `network(example.com)`,
 * `network(localhost:5432)`, `publish(3000)`, or just `runGrep`.
 */
export function parseRule(input: string, options: ParseRuleOptions = {}): ParsedRule {
  const parsed = parseRuleText(input, options);
  if (parsed.type === "mistake" || !options.source) return parsed;
  return { type: "rule", rule: { ...parsed.rule, source: options.source } };
}

function parseRuleText(input: string, { tools = [] }: ParseRuleOptions): ParsedRule {
  const text = input.trim();
  if (text === "") return ruleError("empty", "a rule is missing: write one such as bash(npm test)");
  if (invisiblePattern().test(text))
    return ruleError("unseen", "a rule may have neither line ends nor invisible characters");
  const name = TOOL_NAME.exec(text)?.[0];
  if (name === undefined) return ruleError("no-tool", `${text}: a rule begins with the name of a tool`);
  const knownTools = [...BUILT_IN_TOOLS, ...tools];
  if (!knownTools.includes(name))
    return ruleError("unknown-tool", `there is no tool ${name}${suggestTool(name, knownTools)}`);
  const rest = text.slice(name.length);
  if (rest === "") return { type: "rule", rule: { text, tool: name, pattern: null } };
  if (!rest.startsWith("(") || !rest.endsWith(")"))
    return ruleError("brackets", `${text}: write ${name} alone, or ${name}(…) with both brackets`);
  return parseRuleWithPattern(name, rest.slice(1, -1).trim());
}

const TOOL_NAME = /^[A-Za-z_][\w.-]*/;
const BUILT_IN_TOOLS: readonly string[] = [
  ...["read", "write", "edit", "bash", "outside", "grep", "find", "ls", "fetch", "network", "publish"],
];
const invisiblePattern = (): RegExp => /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u;

function suggestTool(name: string, knownTools: readonly string[]): string {
  const similar = knownTools.find((tool) => tool.toLowerCase() === name.toLowerCase());
  return similar === undefined ? `; there are: ${knownTools.join(", ")}` : `; did you mean ${similar}?`;
}

function parseRuleWithPattern(tool: string, input: string): ParsedRule {
  if (input === "") return ruleError("empty", `${tool}(): the brackets are empty; write ${tool} alone for all of it`);
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

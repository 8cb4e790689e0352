/** Parses permission rules and matches command, path and host patterns. An invalid rule is a named mistake, never a guess. */

import { fitsWithGaps } from "../glob.ts";
import { couldRun, type Fit, isEachWanted, simpleWords } from "./match-command.ts";
import type { Ground, Reached } from "./request.ts";

export interface RuleMistake {
  readonly type: "mistake";
  readonly name: MistakeName;
  readonly message: string;
}

export type MistakeName =
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

export function mistake(name: MistakeName, message: string): RuleMistake {
  return { type: "mistake", name, message };
}

export interface CommandPattern {
  readonly type: "command";
  /** Without its `:*`. */
  readonly text: string;
  /** Null where it is more than one simple command: such a rule means this very text. */
  readonly words: readonly string[] | null;
  readonly isBeginning: boolean;
}

/** Parses a command pattern: an exact command, or with `:*` every command that begins with these words. */
export function commandPattern(inside: string): CommandPattern | RuleMistake {
  const isBeginning = inside.endsWith(":*");
  const text = isBeginning ? inside.slice(0, -2).trim() : inside;
  if (text === "") return mistake("empty", "no command is named; without brackets it stands for all of them");
  if (text.includes("*")) return mistake("star", "a * means something only at the end, as in npm test:*");
  const words = simpleWords(text);
  if (isBeginning && words === null) return mistake("not-simple", "before :* there can be one simple command only");
  return { type: "command", text, words, isBeginning };
}

/** A line that stands in a rule as it is, or one whose every command a rule fits; what is not plainly readable is neither. */
export function isSurelyCommand(patterns: readonly CommandPattern[], line: string): boolean {
  return patterns.some((pattern) => isExactly(pattern, line)) || isEachWanted(patterns, line);
}

export function couldBeCommand(pattern: CommandPattern, line: string): Fit {
  return isExactly(pattern, line) ? "fits" : couldRun(pattern, line);
}

function isExactly({ text, isBeginning }: CommandPattern, line: string): boolean {
  return !isBeginning && text === line;
}

export interface HostPattern {
  readonly type: "host";
  /** As a URL spells it. */
  readonly host: string;
  /** Those under it, and not itself. */
  readonly isUnder: boolean;
}

/** Parses a host pattern: one host, or with `*.` all hosts below it. */
export function hostPattern(inside: string): HostPattern | RuleMistake {
  const isUnder = inside.startsWith("*.");
  const name = isUnder ? inside.slice(2) : inside;
  if (name.includes("*")) return mistake("star", "a * may only stand at the beginning, as in *.example.com");
  const host = /[/\\?#@%\s]/.test(name) ? null : hostOf(`http://${name}`);
  const isPlain = host !== null && (name.startsWith("[") || !name.includes(":"));
  if (!isPlain) return mistake("host", "write a host alone, such as example.com, without scheme, port or path");
  return { type: "host", host, isUnder };
}

export function isSurelyHost(patterns: readonly HostPattern[], url: string): boolean {
  return patterns.some((pattern) => couldBeHost(pattern, url) === "fits");
}

export function couldBeHost({ host, isUnder }: HostPattern, url: string): Fit {
  const asked = hostOf(url);
  if (asked === null) return "unsure";
  return (isUnder ? asked.endsWith(`.${host}`) : asked === host) ? "fits" : "not";
}

// The parser brings capitals, foreign letters and odd ways to write an address into one form; a last dot changes nothing.
function hostOf(url: string): string | null {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return null;
  return new URL(url).hostname.replace(/\.$/, "") || null;
}

export interface PortPattern {
  readonly type: "port";
  readonly port: number;
}

function portPattern(digits: string): PortPattern | RuleMistake {
  const port = /^\d{1,5}$/.test(digits) ? Number(digits) : 0;
  if (port < 1 || port > 65_535) return mistake("port", "write a port from 1 to 65535, such as 3000");
  return { type: "port", port };
}

/** A host, or a port of the user's machine. */
function networkPattern(inside: string): HostPattern | PortPattern | RuleMistake {
  const digits = /^(?:localhost|127\.0\.0\.1):(.*)$/.exec(inside)?.[1];
  return digits === undefined ? hostPattern(inside) : portPattern(digits);
}

export interface PathPattern {
  readonly type: "path";
  readonly from: "workspace" | "home" | "root";
  readonly names: readonly string[];
}

/** Parses a path from the workspace, `~` or `/`; `*` and `?` stay within a name, `**` crosses folders. */
export function pathPattern(inside: string): PathPattern | RuleMistake {
  const names = inside.split("/").filter((name) => name !== "" && name !== ".");
  if (names.includes("..")) return mistake("path", "a path in a rule may not go up with ..; write it from / or from ~");
  if (/[{}\\]/.test(inside)) return mistake("path", "of all signs only *, ** and ? mean something in a path");
  if (names.some((name) => name !== "**" && name.includes("**")))
    return mistake("star", "** stands alone between two slashes, as in src/**/test");
  if (inside.startsWith("/")) return { type: "path", from: "root", names };
  if (names[0] === "~") return { type: "path", from: "home", names: names.slice(1) };
  if (names[0]?.startsWith("~")) return mistake("path", "only ~ itself is known, no other person's home");
  return { type: "path", from: "workspace", names };
}

// Only where it leads in truth: a link in an allowed folder must not open what it points to.
export function isSurelyPath(pattern: PathPattern, { real }: Reached, ground: Ground): boolean {
  return real !== null && fitsPath(pattern, real, ground);
}

export function couldBePath(pattern: PathPattern, { named, real }: Reached, ground: Ground): Fit {
  if (fitsPath(pattern, named, ground) || (real !== null && fitsPath(pattern, real, ground))) return "fits";
  return real === null ? "unsure" : "not";
}

/** A name with slashes is taken as a path would be: `server/tool`, `server/*`, or `server` for all of it. */
export function fitsNamed({ from, names }: PathPattern, name: string): boolean {
  return from === "workspace" && fitsGlob(withAllBelow(names), name.split("/"));
}

function fitsPath({ from, names }: PathPattern, path: string, { root, home }: Ground): boolean {
  const start = { workspace: root, home, root: "/" }[from];
  const folders = start.split("/").filter((name) => name !== "");
  const found = path.split("/").filter((name) => name !== "");
  const isFromThere = folders.every((folder, at) => found[at] === folder);
  return isFromThere && fitsGlob(withAllBelow(names), found.slice(folders.length));
}

// A folder that is named stands for what is in it; a pattern of names does not.
function withAllBelow(names: readonly string[]): readonly string[] {
  return /[*?]/.test(names.at(-1) ?? "") ? names : [...names, "**"];
}

/** `**` takes any number of names, none too; in a name `*` takes any letters and `?` one. */
export function fitsGlob(glob: readonly string[], names: readonly string[]): boolean {
  return fitsWithGaps(glob, names, { isGap: (each) => each === "**", isFit: fitsName });
}

function fitsName(glob: string, name: string): boolean {
  return fitsWithGaps([...glob], [...name], {
    isGap: (letter) => letter === "*",
    isFit: (letter, found) => letter === "?" || letter === found,
  });
}

export interface Rule {
  /** As it is shown and kept. */
  readonly text: string;
  /**
   * A tool's name. `read` stands for all that looks at files, `edit` and `write` for all that changes them, `bash` for
   * all commands, but an allow for those alone that do not leave a sandbox; `outside` stands for those that do. `network` stands for
   * what commands reach and for what is fetched, `publish` for ports of the sandbox that the user's machine may reach.
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

export type ParsedRule = { readonly type: "rule"; readonly rule: Rule } | RuleMistake;

/** The names that a rule may begin with. */
export interface RuleWords {
  /** Tools of the host's own, beside those that come with the agent. */
  readonly tools?: readonly string[];
  /** Who made the rule. */
  readonly source?: RuleSource;
}

/**
 * `bash(git status)`, `outside(npm test:*)`, `edit(src/**)`, `read(~/notes)`, `fetch(*.example.com)`, `network(example.com)`,
 * `network(localhost:5432)`, `publish(3000)`, or just `grep`.
 */
export function parseRule(written: string, words: RuleWords = {}): ParsedRule {
  const parsed = parseText(written, words);
  if (parsed.type === "mistake" || !words.source) return parsed;
  return { type: "rule", rule: { ...parsed.rule, source: words.source } };
}

function parseText(written: string, { tools = [] }: RuleWords): ParsedRule {
  const text = written.trim();
  if (text === "") return mistake("empty", "a rule is missing: write one such as bash(npm test)");
  if (unseenPattern().test(text))
    return mistake("unseen", "a rule may have neither line ends nor invisible characters");
  const name = NAME.exec(text)?.[0];
  if (name === undefined) return mistake("no-tool", `${text}: a rule begins with the name of a tool`);
  const known = [...KNOWN, ...tools];
  if (!known.includes(name)) return mistake("unknown-tool", `there is no tool ${name}${meant(name, known)}`);
  const rest = text.slice(name.length);
  if (rest === "") return { type: "rule", rule: { text, tool: name, pattern: null } };
  if (!rest.startsWith("(") || !rest.endsWith(")"))
    return mistake("brackets", `${text}: write ${name} alone, or ${name}(…) with both brackets`);
  return withPattern(name, rest.slice(1, -1).trim());
}

const NAME = /^[A-Za-z_][\w.-]*/;
const KNOWN: readonly string[] = [
  ...["read", "write", "edit", "bash", "outside", "grep", "find", "ls", "fetch", "network", "publish"],
];
const unseenPattern = (): RegExp => /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u;

function meant(name: string, known: readonly string[]): string {
  const near = known.find((each) => each.toLowerCase() === name.toLowerCase());
  return near === undefined ? `; there are: ${known.join(", ")}` : `; did you mean ${near}?`;
}

function withPattern(tool: string, inside: string): ParsedRule {
  if (inside === "") return mistake("empty", `${tool}(): the brackets are empty; write ${tool} alone for all of it`);
  const pattern = patternOf(tool, inside);
  if (pattern.type === "mistake") return { ...pattern, message: `${tool}(${inside}): ${pattern.message}` };
  return { type: "rule", rule: { text: `${tool}(${inside})`, tool, pattern } };
}

function patternOf(tool: string, inside: string): Pattern | RuleMistake {
  if (tool === "bash" || tool === "outside") return commandPattern(inside);
  if (tool === "network") return networkPattern(inside);
  if (tool === "publish") return portPattern(inside);
  return tool === "fetch" ? hostPattern(inside) : pathPattern(inside);
}

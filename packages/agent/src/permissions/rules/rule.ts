/** A rule as people write it: a tool, and in brackets what of it the rule is about. What cannot be read is a named mistake, never a guess. */

import { type CommandPattern, commandPattern } from "./command-pattern.ts";
import { type HostPattern, hostPattern } from "./host-pattern.ts";
import { mistake, type RuleMistake } from "./mistake.ts";
import { type PathPattern, pathPattern } from "./path-pattern.ts";

export interface Rule {
  /** As it is shown and kept. */
  readonly text: string;
  /**
   * A tool's name. `read` stands for all that looks at files, `edit` and `write` for all that changes them, `bash` for
   * all commands, but an allow for those alone that do not leave a sandbox; `outside` stands for those that do.
   */
  readonly tool: string;
  /** Null: whatever the tool is called with. */
  readonly pattern: Pattern | null;
}

export type Pattern = CommandPattern | PathPattern | HostPattern;

export type ParsedRule = { readonly type: "rule"; readonly rule: Rule } | RuleMistake;

/** The names that a rule may begin with. */
export interface RuleWords {
  /** Tools of the host's own, beside those that come with the agent. */
  readonly tools?: readonly string[];
}

/** `bash(git status)`, `outside(npm test:*)`, `edit(src/**)`, `read(~/notes)`, `fetch(*.example.com)`, or just `grep`. */
export function parseRule(written: string, { tools = [] }: RuleWords = {}): ParsedRule {
  const text = written.trim();
  if (text === "") return mistake("empty", "a rule is missing: write one such as bash(npm test)");
  if (UNSEEN.test(text)) return mistake("unseen", "a rule may have neither line ends nor invisible characters");
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
const KNOWN: readonly string[] = ["read", "write", "edit", "bash", "outside", "grep", "find", "ls", "fetch"];
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u;

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
  return tool === "fetch" ? hostPattern(inside) : pathPattern(inside);
}

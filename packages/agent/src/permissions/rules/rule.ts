/** A rule as people write it: a tool, and in brackets what of it the rule is about. What cannot be read is a named mistake, never a guess. */

import { type CommandPattern, commandPattern } from "./command-pattern.ts";
import { type HostPattern, hostPattern } from "./host-pattern.ts";
import { mistake, type RuleMistake } from "./mistake.ts";
import { type PathPattern, pathPattern } from "./path-pattern.ts";

export interface Rule {
  /** As it is shown and kept. */
  readonly text: string;
  /** A tool's name. `read` stands for all that looks at files, `edit` and `write` for all that changes them. */
  readonly tool: string;
  /** Null: whatever the tool is called with. */
  readonly pattern: Pattern | null;
}

export type Pattern = CommandPattern | PathPattern | HostPattern;

export type ParsedRule = { readonly type: "rule"; readonly rule: Rule } | RuleMistake;

/** `bash(git status)`, `bash(npm test:*)`, `edit(src/**)`, `read(~/notes)`, `fetch(*.example.com)`, or just `grep`. */
export function parseRule(written: string): ParsedRule {
  const text = written.trim();
  if (text === "") return mistake("empty", "a rule is missing: write one such as bash(npm test)");
  if (UNSEEN.test(text)) return mistake("unseen", "a rule may have neither line ends nor invisible characters");
  const name = NAME.exec(text)?.[0];
  if (name === undefined) return mistake("no-tool", `${text}: a rule begins with the name of a tool`);
  const rest = text.slice(name.length);
  if (rest === "") return { type: "rule", rule: { text, tool: name, pattern: null } };
  if (!rest.startsWith("(") || !rest.endsWith(")"))
    return mistake("brackets", `${text}: write ${name} alone, or ${name}(…) with both brackets`);
  return withPattern(name, rest.slice(1, -1).trim());
}

const NAME = /^[A-Za-z_][\w.-]*/;
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u;

function withPattern(tool: string, inside: string): ParsedRule {
  if (inside === "") return mistake("empty", `${tool}(): the brackets are empty; write ${tool} alone for all of it`);
  const pattern = patternOf(tool, inside);
  if (pattern.type === "mistake") return { ...pattern, message: `${tool}(${inside}): ${pattern.message}` };
  return { type: "rule", rule: { text: `${tool}(${inside})`, tool, pattern } };
}

function patternOf(tool: string, inside: string): Pattern | RuleMistake {
  if (tool === "bash") return commandPattern(inside);
  return tool === "fetch" ? hostPattern(inside) : pathPattern(inside);
}

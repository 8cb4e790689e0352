/** What a rule has to do with an act. To allow, a rule must surely fit; to deny or to ask, it is enough that it could. */

import type { Act } from "../permit.ts";
import type { Ground, Reached, Sight } from "../sight.ts";
import { couldBeCommand, isSurelyCommand } from "./command-pattern.ts";
import { type Fit, nearest } from "./fit.ts";
import { couldBeHost, isSurelyHost } from "./host-pattern.ts";
import { couldBePath, fitsNamed, isSurelyPath } from "./path-pattern.ts";
import type { Pattern, Rule } from "./rule.ts";

/** Whether the rules together let all of it pass: each command of a line and each path needs a rule, not all the same one. */
export function isSurelyFitted(rules: readonly Rule[], { sight, ground }: Fitting): boolean {
  const own = rules.filter((rule) => isAbout(rule, sight.act) && goesAsFar(rule, sight.act));
  if (own.some(({ pattern }) => pattern === null)) return true;
  const patterns = own.map(({ pattern }) => pattern).filter((pattern) => pattern !== null);
  const { intent } = sight.act;
  switch (intent?.type) {
    case "command":
      return isSurelyCommand(ofType("command", patterns), intent.command);
    case "fetch":
      return isSurelyHost(ofType("host", patterns), intent.url);
    case "named":
      return ofType("path", patterns).some((pattern) => fitsNamed(pattern, intent.name));
    case "look":
    case "change":
      return isSurelyReached(ofType("path", patterns), sight.reached, ground);
    case "nothing":
    case undefined:
      return false;
  }
}

export interface Fitting {
  readonly sight: Sight;
  readonly ground: Ground;
}

/** How near a rule comes to any part of it. */
export function couldFit(rule: Rule, { sight, ground }: Fitting): Fit {
  if (!isAbout(rule, sight.act)) return "not";
  const { pattern } = rule;
  if (pattern === null) return "fits";
  const { intent } = sight.act;
  if (intent?.type === "nothing") return "not";
  if (intent?.type === "command" && pattern.type === "command") return couldBeCommand(pattern, intent.command);
  if (intent?.type === "fetch" && pattern.type === "host") return couldBeHost(pattern, intent.url);
  if (intent?.type === "named" && pattern.type === "path") return fitsNamed(pattern, intent.name) ? "fits" : "not";
  if (sight.reached.length > 0 && pattern.type === "path")
    return nearest(sight.reached.map((reached) => couldBePath(pattern, reached, ground)));
  return "unsure";
}

// Who denies `edit` on a file means no less by it when the tool is called `write`.
function isAbout({ tool }: Rule, act: Act): boolean {
  if (tool === "outside") return isOutside(act);
  return tool === act.tool || (act.intent !== null && spokenOf[tool] === act.intent.type);
}

// Who allows a command where it is held has not said that it may leave.
function goesAsFar({ tool }: Rule, act: Act): boolean {
  return tool === "outside" || !isOutside(act);
}

function isOutside({ intent }: Act): boolean {
  return intent?.type === "command" && intent.isOutside === true;
}

const spokenOf: Readonly<Record<string, string>> = {
  read: "look",
  edit: "change",
  write: "change",
  bash: "command",
  fetch: "fetch",
};

function isSurelyReached(
  patterns: readonly Extract<Pattern, { type: "path" }>[],
  reached: readonly Reached[],
  ground: Ground,
): boolean {
  if (reached.length === 0) return false;
  return reached.every((each) => patterns.some((pattern) => isSurelyPath(pattern, each, ground)));
}

function ofType<Type extends Pattern["type"]>(
  type: Type,
  patterns: readonly Pattern[],
): readonly Extract<Pattern, { type: Type }>[] {
  return patterns.filter((pattern): pattern is Extract<Pattern, { type: Type }> => pattern.type === type);
}

/** The decision about one act: a pure function of the act and of what the user has set. Nothing that a model wrote can reach the second. */

import type { Act } from "./permit.ts";
import { nearest } from "./rules/fit.ts";
import { couldFit, type Fitting, isSurelyFitted } from "./rules/fit-act.ts";
import type { Rule } from "./rules/rule.ts";
import type { Ground, Sight } from "./sight.ts";
import { isDelicate, type Matter, type Mode, type Standpoint, standpoint } from "./table.ts";

/** What holds: set by the user alone. */
export interface Standing {
  readonly mode: Mode;
  readonly rules: Rules;
  readonly ground: Ground;
}

/** Deny wins over ask, ask over allow. */
export interface Rules {
  readonly allow: readonly Rule[];
  readonly ask: readonly Rule[];
  readonly deny: readonly Rule[];
}

export type Decision =
  | { readonly type: "allowed" }
  | { readonly type: "refused"; readonly why: string }
  | { readonly type: "asked"; readonly matter: Matter; readonly because: Because };

/** Only what the mode asks for can be answered for the future by a rule. */
export type Because = "mode" | "again" | "rule" | "doubt";

export function decide(sight: Sight, { mode, rules, ground }: Standing): Decision {
  const point = standpoint(sight, { mode, ground });
  if (point.stance === "refused") return { type: "refused", why: refusal(point) };
  const fitting: Fitting = { sight, ground };
  const denying = rules.deny.find((rule) => couldFit(rule, fitting) === "fits");
  if (denying) return { type: "refused", why: `not permitted: the rule ${denying.text} denies it` };
  const because = cause(sight.act, { rules, fitting });
  if (because !== null) return { type: "asked", matter: point.matter, because };
  const allowing = isDelicate(point.matter) ? rules.allow.filter(({ pattern }) => pattern !== null) : rules.allow;
  if (point.stance === "allowed" || isSurelyFitted(allowing, fitting)) return { type: "allowed" };
  return { type: "asked", matter: point.matter, because: "mode" };
}

/** Why it is asked whatever the mode. A rule that denies what this may be leaves a doubt. */
function cause(act: Act, { rules, fitting }: { readonly rules: Rules; readonly fitting: Fitting }): Because | null {
  const nearestOf = (some: readonly Rule[]) => nearest(some.map((rule) => couldFit(rule, fitting)));
  if (act.isAgain) return "again";
  if (nearestOf(rules.ask) === "fits") return "rule";
  return nearestOf([...rules.deny, ...rules.ask]) === "not" ? null : "doubt";
}

function refusal({ matter }: Standpoint): string {
  if (matter === "look-keys") return "not permitted: nobody but the program itself reads its keys";
  if (matter === "change-own") return "not permitted: these settings are changed by the user alone";
  return "not permitted in plan mode, which only looks; only the user can end it";
}

/** Describes permission decisions for an audit log: what was about to happen, how it was decided, and by whom. No secret is in it. */

import type { Redaction } from "@pith/context";
import type { Intent } from "../tool.ts";
import { type Because, type Decision, isDelicate, type Mode, type Standing, standpoint } from "./decide.ts";
import { couldFit, isSurelyFitted } from "./match-rules.ts";
import type { Sight } from "./request.ts";
import type { Rule, RuleSource } from "./rules.ts";

export type AuditRecord =
  | {
      readonly event: "decision";
      readonly tool: string;
      /** The command line, paths, address, host or name, without secrets and of bounded length. */
      readonly what: string;
      readonly decision: "permitted" | "refused";
      /**
       * `program`: always so, whatever is set. `user`: by an answer. `unattended`: the user would have been asked, and none was there.
       * `stopped`: the question was cancelled.
       */
      readonly by: "rule" | "mode" | "program" | "user" | "unattended" | "stopped";
      /** The rules that decided, or because of which the user was asked. */
      readonly rules?: readonly AuditRule[];
      /** Why the user was asked, or would have been. */
      readonly because?: Because;
      readonly mode: Mode;
    }
  /** A rule that the user made with an answer. */
  | { readonly event: "grant"; readonly rule: string; readonly for: "session" | "project"; readonly mode: Mode }
  | { readonly event: "mode"; readonly from: Mode; readonly to: Mode };

export interface AuditRule {
  readonly text: string;
  readonly source?: RuleSource;
}

export type AuditDecision = Extract<AuditRecord, { event: "decision" }>;

/** How a decision came about that needed no answer. */
export function explainDecision(
  sight: Sight,
  standing: Standing,
  decision: Exclude<Decision, { type: "asked" }>,
): Pick<AuditDecision, "by" | "rules"> {
  const point = standpoint(sight, standing);
  if (decision.type === "refused") {
    if (point.stance !== "refused")
      return byRules(standing.rules.deny.filter((rule) => isFitted(rule, sight, standing)));
    return { by: ALWAYS_REFUSED.has(point.matter) ? "program" : "mode" };
  }
  return point.stance === "allowed" ? { by: "mode" } : byRules(allowingRules(sight, standing));
}

const ALWAYS_REFUSED: ReadonlySet<string> = new Set(["look-keys", "change-own"]);

function byRules(rules: readonly Rule[]): Pick<AuditDecision, "by" | "rules"> {
  return { by: "rule", rules: rules.map(toAuditRule) };
}

/** One that is enough by itself; else all that have a part in it, as for a line of several commands. */
function allowingRules(sight: Sight, { mode, rules, ground }: Standing): readonly Rule[] {
  const isNamed = isDelicate(standpoint(sight, { mode, ground }).matter);
  const allowing = isNamed ? rules.allow.filter(({ pattern }) => pattern !== null) : rules.allow;
  const enough = allowing.find((rule) => isSurelyFitted([rule], { sight, ground }));
  return enough ? [enough] : allowing.filter((rule) => isFitted(rule, sight, { ground }));
}

/** The rules because of which somebody is asked: those that ask, and those whose deny may be meant. */
export function askingRules(sight: Sight, { rules, ground }: Standing): readonly AuditRule[] {
  return [...rules.ask, ...rules.deny].filter((rule) => couldFit(rule, { sight, ground }) !== "not").map(toAuditRule);
}

function isFitted(rule: Rule, sight: Sight, { ground }: Pick<Standing, "ground">): boolean {
  return couldFit(rule, { sight, ground }) === "fits";
}

function toAuditRule({ text, source }: Rule): AuditRule {
  return { text, ...(source && { source }) };
}

/** Where nothing is redacted, only names are told: of a command its program, of an address its host. */
export function describeAct({ act: { tool, intent } }: Sight, redaction: Redaction | undefined): string {
  const text = redaction ? redaction.redact(wholeText(intent, tool)) : nameIn(intent, tool);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}

const LONGEST = 500;

function wholeText(intent: Intent | null, tool: string): string {
  switch (intent?.type) {
    case "command":
      return intent.command;
    case "fetch": {
      // What stands behind the path, or before the host, may be a key that nobody knows as one.
      const url = URL.parse(intent.url);
      return url ? `${url.protocol}//${url.host}${url.pathname}` : "";
    }
    case "look":
    case "change":
      return intent.paths.join(" ");
    case "network":
    case "port":
    case "named":
    case "nothing":
    case undefined:
      return nameIn(intent, tool);
  }
}

function nameIn(intent: Intent | null, tool: string): string {
  switch (intent?.type) {
    case "command":
      return /^\s*[\w./-]*/.exec(intent.command)?.[0].trim() ?? "";
    case "fetch":
      return URL.parse(intent.url)?.host ?? "";
    case "network":
      return `${intent.host}:${intent.port}`;
    case "port":
      return `${intent.direction} ${intent.port}`;
    case "named":
      return intent.name;
    case "look":
    case "change":
      return intent.paths.join(" ");
    case "nothing":
    case undefined:
      return tool;
  }
}

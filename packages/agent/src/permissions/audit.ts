/** Builds audit log records of permission decisions: what was requested, the decision, and what decided. Records contain no secrets. */

import type { Redaction } from "@pith/context";
import { safeCutIndex } from "../text.ts";
import type { Intent } from "../tool.ts";
import {
  type AskReason,
  type Decision,
  decideByMode,
  needsPattern,
  type PermissionMode,
  type PermissionState,
} from "./decide.ts";
import { matchRule, rulesAllow } from "./match-rules.ts";
import type { PermissionRequest, ToolRequest } from "./request.ts";
import type { Rule, RuleSource } from "./rules.ts";

/** A record of the audit log. */
export type AuditRecord =
  | {
      readonly event: "decision";
      readonly tool: string;
      /** The command line, paths, URL, host or name; redacted. Only the beginning and the end of a long text. */
      readonly what: string;
      /** The whole action: the arguments, as the session records them. They are unredacted if `Permissions` has no redaction. */
      readonly action: Readonly<Record<string, unknown>>;
      /** The id of the tool call, and the number of the session's entry that contains it. Absent for a connection or a port of a running call. */
      readonly call?: string;
      readonly entry?: number;
      readonly decision: "permitted" | "refused";
      /**
       * `program`: built in, independent of settings. `user`: the user's answer. `unattended`: a question was needed, but no user was there.
       * `stopped`: the question was cancelled. `timeout`: it was not answered in time.
       */
      readonly by: "rule" | "mode" | "program" | "user" | "unattended" | "stopped" | "timeout";
      /** The rules that decided the request or caused the question. */
      readonly rules?: readonly AuditRule[];
      /** Why the request needed a question. */
      readonly because?: AskReason;
      readonly mode: PermissionMode;
    }
  /** A rule that the user added with an answer. */
  | {
      readonly event: "grant";
      readonly rule: string;
      readonly for: "session" | "project";
      readonly mode: PermissionMode;
    }
  | { readonly event: "mode"; readonly from: PermissionMode; readonly to: PermissionMode };

/** The rule that led to a decision. */
export interface AuditRule {
  readonly text: string;
  readonly source?: RuleSource;
}

export type AuditDecision = Extract<AuditRecord, { event: "decision" }>;

/** Explains a decision that needed no answer from the user. */
export function explainDecision(
  request: PermissionRequest,
  state: PermissionState,
  decision: Exclude<Decision, { type: "asked" }>,
): Pick<AuditDecision, "by" | "rules"> {
  const modeDecision = decideByMode(request, state);
  if (decision.type === "refused") {
    if (modeDecision.outcome !== "refused")
      return explainByRules(state.rules.deny.filter((rule) => matchesForCertain(rule, request, state)));
    return { by: ALWAYS_REFUSED.has(modeDecision.action) ? "program" : "mode" };
  }
  return modeDecision.outcome === "allowed" ? { by: "mode" } : explainByRules(findAllowingRules(request, state));
}

const ALWAYS_REFUSED: ReadonlySet<string> = new Set(["read-private", "change-settings"]);

function explainByRules(rules: readonly Rule[]): Pick<AuditDecision, "by" | "rules"> {
  return { by: "rule", rules: rules.map(toAuditRule) };
}

/** The first rule that allows the request by itself; otherwise all rules that match a part of it, such as one command of a line. */
function findAllowingRules(request: PermissionRequest, { mode, rules, paths }: PermissionState): readonly Rule[] {
  const isPatternNeeded = needsPattern(decideByMode(request, { mode, paths }).action);
  const allowRules = isPatternNeeded ? rules.allow.filter(({ pattern }) => pattern !== null) : rules.allow;
  const sufficientRule = allowRules.find((rule) => rulesAllow([rule], { request, paths }));
  return sufficientRule ? [sufficientRule] : allowRules.filter((rule) => matchesForCertain(rule, request, { paths }));
}

/** The rules that cause a question: ask rules, and deny rules that may match. */
export function findAskingRules(request: PermissionRequest, { rules, paths }: PermissionState): readonly AuditRule[] {
  return [...rules.ask, ...rules.deny].filter((rule) => matchRule(rule, { request, paths }) !== "no").map(toAuditRule);
}

function matchesForCertain(rule: Rule, request: PermissionRequest, { paths }: Pick<PermissionState, "paths">): boolean {
  return matchRule(rule, { request, paths }) === "yes";
}

function toAuditRule({ text, source }: Rule): AuditRule {
  return { text, ...(source && { source }) };
}

/** Describes the request. Without redaction only names are recorded: the program of a command, the host of a URL. */
export function describeRequest(
  { toolRequest: { tool, intent } }: PermissionRequest,
  redaction: Redaction | undefined,
): string {
  const text = redaction ? redaction.redact(intentText(intent, tool)) : intentName(intent, tool);
  return truncateMiddle(text);
}

/** A harmful part may be anywhere in a long action. `action` has all of it. */
function truncateMiddle(text: string): string {
  const omitted = text.length - 2 * KEPT_CHARS;
  if (omitted <= 0) return text;
  const [start, end] = [safeCutIndex(text, KEPT_CHARS), safeCutIndex(text, text.length - KEPT_CHARS)];
  return `${text.slice(0, start)}… (${end - start} characters) …${text.slice(end)}`;
}

/** The characters that are kept at each end. */
const KEPT_CHARS = 500;

/** The whole action, and where the session has it. What the session records is redacted already. */
export function describeAction(
  { recorded, arguments: args }: ToolRequest,
  redaction: Redaction | undefined,
): Pick<AuditDecision, "action" | "call" | "entry"> {
  if (!recorded) return { action: redaction?.redact(args) ?? args };
  const { callId, entry, arguments: action } = recorded;
  return { action, call: callId, ...(entry !== undefined && { entry }) };
}

function intentText(intent: Intent | null, tool: string): string {
  switch (intent?.type) {
    case "command":
      return intent.command;
    case "fetch": {
      // The query, the fragment and the user info may contain a secret that redaction does not know.
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
      return intentName(intent, tool);
  }
}

function intentName(intent: Intent | null, tool: string): string {
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

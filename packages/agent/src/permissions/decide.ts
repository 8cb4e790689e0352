/** Decides by mode and rules whether a request is allowed, refused or needs a question. Only the user sets mode and rules. */

import type { CommandIntent } from "../tool.ts";
import { actsOnRemote } from "./classify-commands.ts";
import { closestMatch } from "./match-command.ts";
import { type MatchContext, matchRule, reachesOnlyHosts, rulesAllow } from "./match-rules.ts";
import { type ChangeKind, classifyChange, classifyRead, type ReadKind } from "./protected-paths.ts";
import type { PermissionPaths, PermissionRequest, ToolRequest } from "./request.ts";
import type { Rule } from "./rules.ts";

/** `ask`: ask before every change. `edit`: edit in the workspace without asking. `plan`: read only. `all`: allow nearly everything. */
export type PermissionMode = "ask" | "edit" | "plan" | "all";

/** The current mode, rules, paths and limits. */
export interface PermissionState {
  readonly mode: PermissionMode;
  readonly rules: Rules;
  readonly paths: PermissionPaths;
  readonly limits?: PolicyLimits | undefined;
}

/** Limits of an organisation's policy. The user cannot exceed them. */
export interface PolicyLimits {
  /** Names the policy in messages, such as "the policy of Example Corp". */
  readonly source: string;
  /** The modes that the user may choose. */
  readonly modes?: readonly PermissionMode[];
  /** Network rules: only these hosts and ports can be reached. */
  readonly hosts?: readonly Rule[];
}

/** Deny rules take precedence over ask rules, and ask rules over allow rules. */
export interface Rules {
  readonly allow: readonly Rule[];
  readonly ask: readonly Rule[];
  readonly deny: readonly Rule[];
}

export type Decision =
  | { readonly type: "allowed" }
  | { readonly type: "refused"; readonly why: string }
  | { readonly type: "asked"; readonly action: ActionKind; readonly reason: AskReason };

/** Only a question with the reason `mode` offers rules to remember. */
export type AskReason = "mode" | "again" | "rule" | "doubt";

export function decide(request: PermissionRequest, { mode, rules, paths, limits }: PermissionState): Decision {
  const modeDecision = decideByMode(request, { mode, paths });
  if (modeDecision.outcome === "refused") return { type: "refused", why: refusalMessage(modeDecision, paths) };
  const context: MatchContext = { request, paths };
  const denyRule = rules.deny.find((rule) => matchRule(rule, context) === "yes");
  if (denyRule) return { type: "refused", why: `not permitted: ${formatRuleName(denyRule, limits)} denies it` };
  if (limits?.hosts && !reachesOnlyHosts(limits.hosts, request))
    return { type: "refused", why: `not permitted: ${limits.source} does not allow this host` };
  const reason = findAskReason(request.toolRequest, { rules, context });
  if (reason !== null) return { type: "asked", action: modeDecision.action, reason };
  const allowRules = needsPattern(modeDecision.action)
    ? rules.allow.filter(({ pattern }) => pattern !== null)
    : rules.allow;
  if (modeDecision.outcome === "allowed" || rulesAllow(allowRules, context)) return { type: "allowed" };
  return { type: "asked", action: modeDecision.action, reason: "mode" };
}

function refusalMessage({ action }: ModeDecision, { isConfined }: PermissionPaths): string {
  if (isConfined && action === "command-unconfined")
    return "not permitted: commands run only in a sandbox here, and none is available";
  if (isConfined && LEAVES_WORKSPACE.has(action))
    return "not permitted: only the workspace can be used here, not other files, programs or ports of the machine; the user cannot change this";
  if (action === "read-private")
    return "not permitted: tools cannot read Pith's keys, sessions and other private data; recall searches sessions";
  if (action === "change-settings") return "not permitted: only the user can change Pith's settings and data";
  return "not permitted: plan mode is read-only; only the user can leave it";
}

function formatRuleName({ text, source }: Rule, limits: PolicyLimits | undefined): string {
  return source === "policy" && limits ? `the rule ${text} from ${limits.source}` : `the rule ${text}`;
}

/** Why the request needs a question in every mode; null if it does not. `doubt`: a deny or ask rule may match. */
function findAskReason(
  toolRequest: ToolRequest,
  { rules, context }: { readonly rules: Rules; readonly context: MatchContext },
): AskReason | null {
  const matchAny = (candidates: readonly Rule[]) => closestMatch(candidates.map((rule) => matchRule(rule, context)));
  if (toolRequest.isAgain) return "again";
  if (matchAny(rules.ask) === "yes") return "rule";
  return matchAny([...rules.deny, ...rules.ask]) === "no" ? null : "doubt";
}

export type ActionKind = ReadKind | ChangeKind | CommandKind | NetworkKind | "nothing" | "unknown";

/**
 * `confined`: in the sandbox. `unconfined`: there is no sandbox. `outside`: it leaves the sandbox. `remote`: it changes a remote service.
 * `unknown`: it may run a program that the line does not name.
 */
type CommandKind =
  | "command-confined"
  | "command-unconfined"
  | "command-outside"
  | "command-remote"
  | "command-unknown"
  | "command-secret";

/** `network-package`: a host that the user's package managers use. */
type NetworkKind = "fetch" | "network" | "network-package" | "port-host" | "port-publish";

export type DecisionOutcome = "allowed" | "asked" | "refused";

const yes = "allowed";
const ask = "asked";
const no = "refused";

// biome-ignore format: a table.
const outcomeTable: Readonly<Record<ActionKind, Readonly<Record<PermissionMode, DecisionOutcome>>>> = {
  "read":               { ask: yes, edit: yes, plan: yes, all: yes },
  "read-outside":       { ask, edit: ask, plan: ask, all: ask },
  "read-secret":        { ask, edit: ask, plan: ask, all: ask },
  "read-private":       { ask: no,  edit: no,  plan: no,  all: no  },
  "change-inside":      { ask, edit: yes, plan: no,  all: yes },
  "change-protected":   { ask, edit: ask, plan: no,  all: ask },
  "change-outside":     { ask, edit: ask, plan: no,  all: ask },
  "change-settings":    { ask: no,  edit: no,  plan: no,  all: no  },
  "command-confined":   { ask, edit: yes, plan: yes, all: yes },
  "command-unconfined": { ask, edit: ask, plan: no,  all: yes },
  "command-outside":    { ask, edit: ask, plan: no,  all: ask },
  "command-remote":     { ask, edit: ask, plan: no,  all: yes },
  "command-unknown":    { ask, edit: ask, plan: yes, all: yes },
  "command-secret":     { ask, edit: ask, plan: no,  all: ask },
  "fetch":              { ask, edit: ask, plan: ask, all: ask },
  "network":            { ask, edit: ask, plan: no,  all: ask },
  "network-package":    { ask, edit: yes, plan: no,  all: yes },
  "port-host":          { ask, edit: ask, plan: no,  all: ask },
  "port-publish":       { ask, edit: ask, plan: no,  all: ask },
  "nothing":            { ask: yes, edit: yes, plan: yes, all: yes },
  "unknown":            { ask, edit: ask, plan: no,  all: yes },
};

/** The strictest action of a request, and what the mode decides about it. */
export interface ModeDecision {
  readonly action: ActionKind;
  readonly outcome: DecisionOutcome;
}

/** Decides by mode alone. A request may have several actions; the strictest outcome applies. */
export function decideByMode(
  request: PermissionRequest,
  { mode, paths }: { readonly mode: PermissionMode; readonly paths: PermissionPaths },
): ModeDecision {
  const actions = classifyRequest(request, paths);
  const outcomes = actions.map((action) => outcomeFor(action, { mode, paths }));
  const outcome = (["refused", "asked"] as const).find((candidate) => outcomes.includes(candidate)) ?? "allowed";
  const strictestActions = actions.filter((_, at) => outcomes[at] === outcome);
  return { outcome, action: strictestActions.find(needsPattern) ?? strictestActions[0] ?? "nothing" };
}

function outcomeFor(action: ActionKind, { mode, paths }: Pick<PermissionState, "mode" | "paths">): DecisionOutcome {
  if (paths.isConfined && LEAVES_WORKSPACE.has(action)) return "refused";
  if (mode === "all" && !paths.hasSandbox && ALLOWED_LIKE_COMMANDS.has(action)) return "allowed";
  return outcomeTable[action][mode];
}

/** What reaches files, programs or ports of the machine, and so of its other users. */
const LEAVES_WORKSPACE: ReadonlySet<ActionKind> = new Set<ActionKind>([
  ...(["read-outside", "change-outside", "command-outside", "command-unconfined"] as const),
  ...(["port-host", "port-publish"] as const),
]);

/** Without a sandbox, mode `all` lets commands do these anyway. With a sandbox, a file that other programs run is a way out of it. */
const ALLOWED_LIKE_COMMANDS: ReadonlySet<ActionKind> = new Set<ActionKind>([
  "change-protected",
  "change-outside",
  "fetch",
]);

/** Whether only a rule with a pattern can allow the action. A rule on a whole tool is too broad for these. */
export function needsPattern(action: ActionKind): boolean {
  return NEEDS_PATTERN.has(action);
}

const NEEDS_PATTERN: ReadonlySet<ActionKind> = new Set<ActionKind>([
  ...(["read-outside", "read-secret", "change-protected", "change-outside", "command-remote"] as const),
  ...(["port-host", "port-publish"] as const),
]);

function classifyRequest(
  { toolRequest: { intent }, resolvedPaths }: PermissionRequest,
  paths: PermissionPaths,
): readonly ActionKind[] {
  switch (intent?.type) {
    case "look":
      return resolvedPaths.length === 0 ? ["read"] : resolvedPaths.map((resolved) => classifyRead(resolved, paths));
    case "change":
      // Without paths the tool may change anything.
      return resolvedPaths.length === 0
        ? ["unknown"]
        : resolvedPaths.map((resolved) => classifyChange(resolved, paths));
    case "command":
      return classifyCommand(intent);
    case "network":
      return [intent.isPackageHost ? "network-package" : "network"];
    case "port":
      return [intent.direction === "host" ? "port-host" : "port-publish"];
    case "fetch":
    case "nothing":
      return [intent.type];
    case "named":
    case undefined:
      return ["unknown"];
  }
}

/** The action that a question should mention comes first. */
function classifyCommand({ command, isConfined, isOutside, secrets = [] }: CommandIntent): readonly ActionKind[] {
  const match = actsOnRemote(command);
  return [
    ...(secrets.length > 0 ? (["command-secret"] as const) : []),
    ...(isOutside ? (["command-outside"] as const) : []),
    ...(match === "yes" ? (["command-remote"] as const) : []),
    ...(isOutside ? [] : ([isConfined ? "command-confined" : "command-unconfined"] as const)),
    ...(match === "maybe" ? (["command-unknown"] as const) : []),
  ];
}

/** Decides whether a request is allowed, asked about or refused, by mode and rules. Only the user sets these, never the model's text. */

import type { CommandIntent } from "../tool.ts";
import { closestMatch } from "./match-command.ts";
import { type MatchContext, matchRule, reachesOnlyHosts, rulesAllow } from "./match-rules.ts";
import { type ChangeKind, classifyChange, classifyRead, type ReadKind } from "./protected-paths.ts";
import { actsOnRemote } from "./remote-commands.ts";
import type { PermissionPaths, PermissionRequest, ToolRequest } from "./request.ts";
import type { Rule } from "./rules.ts";

/** Ask about all that changes; edit freely in the workspace; only look; do everything. */
export type PermissionMode = "ask" | "edit" | "plan" | "all";

export type DecisionOutcome = "allowed" | "asked" | "refused";

/** Free: where there is no sandbox. Outside: where there is one, and it is left. Remote: it acts on what others see, such as `git push`. */
type CommandKind = "command-confined" | "command-free" | "command-outside" | "command-remote" | "command-secret";

/** Package: a host of the user's own package managers. */
type NetworkKind = "fetch" | "network" | "network-package" | "port-host" | "port-publish";

export type ActionKind = ReadKind | ChangeKind | CommandKind | NetworkKind | "nothing" | "unknown";

const yes = "allowed";
const ask = "asked";
const no = "refused";

// biome-ignore format: it is a table.
const outcomeTable: Readonly<Record<ActionKind, Readonly<Record<PermissionMode, DecisionOutcome>>>> = {
  "look":             { ask: yes, edit: yes, plan: yes, all: yes },
  "look-secret":      { ask: ask, edit: ask, plan: ask, all: ask },
  "look-keys":        { ask: no,  edit: no,  plan: no,  all: no  },
  "change-inside":    { ask: ask, edit: yes, plan: no,  all: yes },
  "change-protected": { ask: ask, edit: ask, plan: no,  all: ask },
  "change-outside":   { ask: ask, edit: ask, plan: no,  all: ask },
  "change-own":       { ask: no,  edit: no,  plan: no,  all: no  },
  "command-confined": { ask: ask, edit: yes, plan: yes, all: yes },
  "command-free":     { ask: ask, edit: ask, plan: no,  all: yes },
  "command-outside":  { ask: ask, edit: ask, plan: no,  all: ask },
  "command-remote":   { ask: ask, edit: ask, plan: no,  all: yes },
  "command-secret":   { ask: ask, edit: ask, plan: no,  all: ask },
  "fetch":            { ask: ask, edit: ask, plan: ask, all: ask },
  "network":          { ask: ask, edit: ask, plan: no,  all: ask },
  "network-package":  { ask: ask, edit: yes, plan: no,  all: yes },
  "port-host":        { ask: ask, edit: ask, plan: no,  all: ask },
  "port-publish":     { ask: ask, edit: ask, plan: no,  all: ask },
  "nothing":          { ask: yes, edit: yes, plan: yes, all: yes },
  "unknown":          { ask: ask, edit: ask, plan: no,  all: yes },
};

/** The matter that counts, and how the mode stands to it. */
export interface ModeDecision {
  readonly action: ActionKind;
  readonly outcome: DecisionOutcome;
}

/** What the mode says where no rule matches: the strictest row of the table wins. */
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
  if (mode === "all" && !paths.hasSandbox && ALLOWED_LIKE_COMMANDS.has(action)) return "allowed";
  return outcomeTable[action][mode];
}

/** In mode `all` without a sandbox commands could do each of these unasked. With one, a file that others run is a way out of it. */
const ALLOWED_LIKE_COMMANDS: ReadonlySet<ActionKind> = new Set<ActionKind>([
  "change-protected",
  "change-outside",
  "fetch",
]);

/** To let it pass, a rule must name the place: whoever allows all of a tool did not think of these. */
export function needsPattern(action: ActionKind): boolean {
  return NEEDS_PATTERN.has(action);
}

const NEEDS_PATTERN: ReadonlySet<ActionKind> = new Set<ActionKind>([
  ...(["look-secret", "change-protected", "change-outside", "command-remote", "port-host", "port-publish"] as const),
]);

function classifyRequest(
  { toolRequest: { intent }, resolvedPaths }: PermissionRequest,
  paths: PermissionPaths,
): readonly ActionKind[] {
  switch (intent?.type) {
    case "look":
      return resolvedPaths.length === 0 ? ["look"] : resolvedPaths.map((resolved) => classifyRead(resolved, paths));
    case "change":
      // Whoever changes something and does not say what may change anything.
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

/** What a question should mention comes first. */
function classifyCommand({ command, isConfined, isOutside, secrets = [] }: CommandIntent): readonly ActionKind[] {
  return [
    ...(secrets.length > 0 ? (["command-secret"] as const) : []),
    ...(isOutside ? (["command-outside"] as const) : []),
    ...(actsOnRemote(command) ? (["command-remote"] as const) : []),
    ...(isOutside ? [] : ([isConfined ? "command-confined" : "command-free"] as const)),
  ];
}

/** What holds: set by the user alone. */
export interface PermissionState {
  readonly mode: PermissionMode;
  readonly rules: Rules;
  readonly paths: PermissionPaths;
  readonly limits?: PolicyLimits | undefined;
}

/** What nobody goes beyond, whatever the user says: set by whoever is responsible for the machine. */
export interface PolicyLimits {
  /** Who set them, as part of a sentence. */
  readonly source: string;
  /** The modes that there are. */
  readonly modes?: readonly PermissionMode[];
  /** Rules on the network: the only hosts and ports that are reached. */
  readonly hosts?: readonly Rule[];
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
  | { readonly type: "asked"; readonly action: ActionKind; readonly reason: AskReason };

/** Only what the mode asks for can be answered for the future by a rule. */
export type AskReason = "mode" | "again" | "rule" | "doubt";

export function decide(request: PermissionRequest, { mode, rules, paths, limits }: PermissionState): Decision {
  const modeDecision = decideByMode(request, { mode, paths });
  if (modeDecision.outcome === "refused") return { type: "refused", why: refusalMessage(modeDecision) };
  const context: MatchContext = { request, paths };
  const denyRule = rules.deny.find((rule) => matchRule(rule, context) === "fits");
  if (denyRule) return { type: "refused", why: `not permitted: ${formatRuleName(denyRule, limits)} denies it` };
  if (limits?.hosts && !reachesOnlyHosts(limits.hosts, request))
    return { type: "refused", why: `not permitted: the host is not one that ${limits.source} allows` };
  const reason = findAskReason(request.toolRequest, { rules, context });
  if (reason !== null) return { type: "asked", action: modeDecision.action, reason };
  const allowRules = needsPattern(modeDecision.action)
    ? rules.allow.filter(({ pattern }) => pattern !== null)
    : rules.allow;
  if (modeDecision.outcome === "allowed" || rulesAllow(allowRules, context)) return { type: "allowed" };
  return { type: "asked", action: modeDecision.action, reason: "mode" };
}

function formatRuleName({ text, source }: Rule, limits: PolicyLimits | undefined): string {
  return source === "policy" && limits ? `the rule ${text} of ${limits.source}` : `the rule ${text}`;
}

/** Why it is asked whatever the mode. A rule that denies what this may be leaves a doubt. */
function findAskReason(
  toolRequest: ToolRequest,
  { rules, context }: { readonly rules: Rules; readonly context: MatchContext },
): AskReason | null {
  const closestOf = (candidates: readonly Rule[]) => closestMatch(candidates.map((rule) => matchRule(rule, context)));
  if (toolRequest.isAgain) return "again";
  if (closestOf(rules.ask) === "fits") return "rule";
  return closestOf([...rules.deny, ...rules.ask]) === "not" ? null : "doubt";
}

function refusalMessage({ action }: ModeDecision): string {
  if (action === "look-keys") return "not permitted: nobody but the program itself reads its keys";
  if (action === "change-own") return "not permitted: these settings are changed by the user alone";
  return "not permitted in plan mode, which only looks; only the user can end it";
}

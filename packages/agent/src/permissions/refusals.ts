/** Writes the refusals that the model reads: why a request is not permitted, and what would allow it. */

import { quoteForShell } from "../text.ts";
import { findAskingRules } from "./audit.ts";
import { type Decision, decide, type PermissionMode, type PermissionState } from "./decide.ts";
import { suggestRules } from "./question.ts";
import type { PermissionRequest, PermissionResult } from "./request.ts";

/** The refusal if no user can be asked. It names the flags that would allow the call. */
export function refusalWithoutUser(
  request: PermissionRequest,
  { reason }: Extract<Decision, { type: "asked" }>,
  state: PermissionState,
): string {
  switch (reason) {
    case "again":
      return "not permitted: the call was started before and may have completed; no user is available to ask whether to repeat it";
    case "rule":
      return "not permitted: a rule requires asking the user, and no user is available to ask";
    case "doubt":
      return describeDoubt(request, state);
    case "mode":
      return `not permitted: no user is available to ask${describeFlags(request, state)}`;
  }
}

function describeDoubt(request: PermissionRequest, state: PermissionState): string {
  const [rule] = findAskingRules(request, state);
  const cause = rule ? `the rule ${rule.text} may apply to it` : "a rule may apply to it";
  return `not permitted: ${cause}, and no user is available to ask; use a command that does not mention what the rule names, or explain this to the user`;
}

function describeFlags(request: PermissionRequest, state: PermissionState): string {
  const [rule] = suggestRules(request, state.paths);
  const widerModes = WIDER_MODES.filter((candidate) => state.limits?.modes?.includes(candidate) ?? true);
  const mode = widerModes.find((candidate) => decide(request, { ...state, mode: candidate }).type === "allowed");
  const networkFlag = request.toolRequest.intent?.type === "network" && !state.limits ? "--network open" : undefined;
  const flags = [
    rule && `--allow ${quoteForShell(rule.text)}`,
    mode && `--permission-mode ${mode}`,
    networkFlag,
  ].filter((flag) => flag !== undefined);
  if (flags.length > 0) return `. To allow it, use ${flags.join(" or ")}`;
  const { intent } = request.toolRequest;
  return intent?.type === "command" && intent.secrets
    ? ". Giving a command a secret needs the user's approval, so it is not possible with -p"
    : "";
}

const WIDER_MODES: readonly PermissionMode[] = ["edit", "all"];

/** `reason` is the user's. */
export function denialMessage(reason: string | undefined): string {
  return reason ? `the user did not permit it: ${reason}` : "the user did not permit it";
}

export function describeRestoreRefusal(decision: Decision): string {
  if (decision.type === "refused") return decision.why;
  if (decision.type === "asked" && decision.reason !== "mode") return "a rule requires asking before it is changed";
  switch (decision.type === "asked" ? decision.action : "unknown") {
    case "change-outside":
      return "it is outside the workspace";
    case "change-protected":
      return "other programs execute or trust it; allow it with --allow 'edit(path)'";
    default:
      return "its path cannot be resolved";
  }
}

export const cancelledResult: PermissionResult = {
  type: "refused",
  why: "not permitted: the question was cancelled before it was answered",
};

/** PERM41: a running command cannot wait for an answer that comes after the run. */
export const notAnsweredResult: PermissionResult = {
  type: "refused",
  why: "not permitted: the question was not answered while the command was running",
};

/** The question waited as long as it may. */
export function expiredResult(timeoutMs: number): PermissionResult {
  return { type: "refused", why: `not permitted: the question was not answered within ${describeDuration(timeoutMs)}` };
}

/** Exact, in the largest unit that gives a whole number: `5 minutes`, `90 seconds`. */
function describeDuration(ms: number): string {
  const [unitMs, unit] = DURATION_UNITS.find(([each]) => ms >= each && ms % each === 0) ?? [1, "millisecond"];
  const count = ms / unitMs;
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

const DURATION_UNITS = [
  [3_600_000, "hour"],
  [60_000, "minute"],
  [1_000, "second"],
] as const;

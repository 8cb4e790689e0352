/** What extensions answer to the program's own questions, read with care: null where nothing is said, thrown where it is nonsense. */

import type { EventOf, ResultOf } from "../extension-events.ts";
import type { HostAsked } from "../extensions.ts";
import type { CancelResult, ProjectTrustResult, ResourcesDiscoverResult, UserBashResult } from "../host-events.ts";

type Read<Name extends HostAsked> = (result: unknown) => ResultOf<Name> | null;

const unread = (): null => null;

export const hostAnswers: { readonly [Name in HostAsked]: Read<Name> } = {
  project_trust: trustIn,
  resources_discover: resourcesIn,
  session_start: unread,
  session_before_switch: cancelIn,
  session_before_fork: cancelIn,
  session_shutdown: unread,
  model_select: unread,
  thinking_level_select: unread,
  user_bash: bashIn,
  ui_prompt_start: unread,
  ui_prompt_end: unread,
};

/** After such an answer nobody else is asked: it is decided. */
export function isFinal({ type }: Pick<EventOf<HostAsked>, "type">, answer: object): boolean {
  if (type === "user_bash") return "result" in answer;
  return "cancel" in answer && answer.cancel === true;
}

function cancelIn(result: unknown): CancelResult | null {
  const { cancel } = fieldsIn(result);
  return isAbsent(cancel) ? null : { cancel: truthIn(cancel, "cancel") };
}

function trustIn(result: unknown): ProjectTrustResult | null {
  const { trusted } = fieldsIn(result);
  return isAbsent(trusted) ? null : { trusted: truthIn(trusted, "trusted") };
}

function resourcesIn(result: unknown): ResourcesDiscoverResult | null {
  const { skillPaths, promptPaths } = fieldsIn(result);
  if (isAbsent(skillPaths) && isAbsent(promptPaths)) return null;
  return {
    ...(!isAbsent(skillPaths) && { skillPaths: pathsIn(skillPaths, "skillPaths") }),
    ...(!isAbsent(promptPaths) && { promptPaths: pathsIn(promptPaths, "promptPaths") }),
  };
}

function bashIn(answer: unknown): UserBashResult | null {
  const { result } = fieldsIn(answer);
  if (isAbsent(result)) return null;
  const { output, exitCode } = fieldsIn(result);
  if (typeof output !== "string") throw new Error("its result has no output, which must be text");
  if (exitCode !== null && !Number.isInteger(exitCode))
    throw new Error("its result has no exitCode, which must be a number or null");
  return { result: { output, exitCode: exitCode as number | null } };
}

function fieldsIn(result: unknown): Readonly<Record<string, unknown>> {
  if (isAbsent(result)) return {};
  if (typeof result !== "object" || Array.isArray(result)) throw new Error("its answer is no object");
  return result as Readonly<Record<string, unknown>>;
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

function truthIn(value: unknown, name: string): boolean {
  if (typeof value !== "boolean") throw new Error(`its ${name} is neither true nor false`);
  return value;
}

function pathsIn(value: unknown, name: string): readonly string[] {
  const isPath = (each: unknown): boolean => typeof each === "string" && /^([/\\]|[A-Za-z]:[/\\])/.test(each);
  if (!Array.isArray(value) || ![...value].every(isPath)) throw new Error(`its ${name} are no list of absolute paths`);
  return [...value];
}

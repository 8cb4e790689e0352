/** What tools and shell lines did: the command, how it ended, and what it put out. Nothing of an output is read before it is asked for. */

import type { BashExecutionMessage, ToolResultMessage } from "../../../message.ts";
import { callResults, callsIn } from "../../../reading/tools/call-results.ts";
import { onlyLooks } from "../../../reading/tools/shell-files.ts";
import { type CallMeaning, callMeaning, type ToolRoles } from "../../../reading/tools/tool-roles.ts";
import { toldExitCode } from "./exit-code.ts";
import { type Said, textsOf } from "./said.ts";

export interface Run {
  readonly meaning: CallMeaning;
  /** Where the call stands. */
  readonly calledIn: string;
  /** Null for a call that was never answered. */
  readonly answer: ToolResultMessage | BashExecutionMessage | null;
  /** Where the output stands. */
  readonly entryId: string;
}

/** In the order in which they ended. */
export function runsIn(said: readonly Said[], roles: ToolRoles): readonly Run[] {
  const results = callResults(said.map(({ message }) => message));
  const calls = new Map<ToolResultMessage, Called>();
  return said.flatMap(({ entryId, message }): readonly Run[] => {
    if (message.role === "bashExecution") return [ofUser(message, entryId)];
    if (message.role === "toolResult") return [answered(message, entryId, calls.get(message))];
    if (message.role !== "assistant") return [];
    return callsIn(message).flatMap((call) => {
      const called = { meaning: callMeaning(call, roles), calledIn: entryId };
      const result = results.get(call);
      if (result) calls.set(result, called);
      return result ? [] : [{ ...called, answer: null, entryId }];
    });
  });
}

type Called = Pick<Run, "meaning" | "calledIn">;

function ofUser(answer: BashExecutionMessage, entryId: string): Run {
  return { meaning: { ...NOTHING_SAID, runs: [answer.command] }, calledIn: entryId, answer, entryId };
}

function answered(answer: ToolResultMessage, entryId: string, called: Called | undefined): Run {
  const { meaning = NOTHING_SAID, calledIn = entryId } = called ?? {};
  return { meaning, calledIn, answer, entryId };
}

const NOTHING_SAID: CallMeaning = { reads: [], modifies: [], runs: [] };

/** Null for a tool that runs no shell line. */
export function shellLine({ meaning: { runs } }: Run): string | null {
  return runs[0] ?? null;
}

/** The first file that the call names. */
export function pathOf({ meaning: { reads, modifies } }: Run): string | null {
  return modifies[0] ?? reads[0] ?? null;
}

export function outputOf({ answer }: Run): string {
  if (answer?.role === "bashExecution") return answer.output ?? "";
  return answer ? textsOf(answer).join("\n") : "";
}

/** Null where it is not known. */
export function exitCode(run: Run): number | null {
  const { answer } = run;
  if (answer?.role === "bashExecution") return typeof answer.exitCode === "number" ? answer.exitCode : null;
  return answer && toldExitCode(answer, outputOf(run));
}

export function failed({ answer }: Run): boolean {
  if (answer?.role === "bashExecution") return answer.cancelled || (answer.exitCode ?? 0) !== 0;
  return answer?.isError === true;
}

/** Whether it shows what can be had again: a file, a search, a listing. */
export function isLook(run: Run): boolean {
  const command = shellLine(run);
  const { reads, modifies } = run.meaning;
  return command === null ? reads.length > 0 && modifies.length === 0 : onlyLooks(command);
}

/** Looked for from the end: a run that ended as a newer one did, with the same output, has nothing new. */
export function unlessRepeated<Item>(find: (run: Run) => readonly Item[]): (run: Run) => readonly Item[] {
  const seen = new Map<string, Run>();
  return (run) => {
    const output = outputOf(run);
    const newer = output === "" ? undefined : seen.get(output);
    if (newer && failed(newer) === failed(run) && isLook(newer) === isLook(run)) return [];
    seen.set(output, run);
    return find(run);
  };
}

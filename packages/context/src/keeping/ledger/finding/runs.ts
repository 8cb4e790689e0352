/** What tools and shell lines did: the command, how it ended, and what it put out. */

import type { BashExecutionMessage, ToolResultMessage } from "../../../message.ts";
import { callResults, callsIn } from "../../../reading/tools/call-results.ts";
import { onlyLooks } from "../../../reading/tools/shell-files.ts";
import { type CallMeaning, callMeaning, type ToolRoles } from "../../../reading/tools/tool-roles.ts";
import { exitCodeOf } from "./exit-code.ts";
import { type Said, textsOf } from "./said.ts";

export interface Run {
  /** Null for a tool that runs no shell line. */
  readonly command: string | null;
  /** Where the call stands. */
  readonly calledIn: string;
  /** The first file that the call names. */
  readonly path: string | null;
  readonly exitCode: number | null;
  readonly failed: boolean;
  /** Whether it shows what can be had again: a file, a search, a listing. */
  readonly onlyLooks: boolean;
  readonly output: string;
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
      return result ? [] : [unanswered(called)];
    });
  });
}

interface Called {
  readonly meaning: CallMeaning;
  readonly calledIn: string;
}

function ofUser(message: BashExecutionMessage, entryId: string): Run {
  const { command, output, exitCode, cancelled } = message;
  const code = typeof exitCode === "number" ? exitCode : null;
  return {
    command,
    calledIn: entryId,
    path: null,
    exitCode: code,
    failed: cancelled || (code ?? 0) !== 0,
    onlyLooks: onlyLooks(command),
    output: output ?? "",
    entryId,
  };
}

function unanswered({ meaning, calledIn }: Called): Run {
  return { ...asked(meaning), calledIn, exitCode: null, failed: false, output: "", entryId: calledIn };
}

function answered(message: ToolResultMessage, entryId: string, called: Called | undefined): Run {
  const output = textsOf(message).join("\n");
  const exitCode = exitCodeOf(message, output);
  const { meaning = NOTHING_SAID, calledIn = entryId } = called ?? {};
  return { ...asked(meaning), calledIn, exitCode, failed: message.isError === true, output, entryId };
}

const NOTHING_SAID: CallMeaning = { reads: [], modifies: [], runs: [] };

function asked({ reads, modifies, runs }: CallMeaning): Pick<Run, "command" | "path" | "onlyLooks"> {
  const command = runs[0] ?? null;
  const looks = command === null ? reads.length > 0 && modifies.length === 0 : onlyLooks(command);
  return { command, path: modifies[0] ?? reads[0] ?? null, onlyLooks: looks };
}

/** The calls of a reply, all at once; each result is in the log as soon as it is there. */

import type { ToolResultMessage } from "@pith/context";
import type { AgentEvent } from "../../events.ts";
import { during, type Tell } from "../../waiting/during.ts";
import type { OpenCall } from "../next.ts";
import type { RunParts } from "../run-parts.ts";
import { answered, failed } from "./answer.ts";
import { runCall } from "./run-call.ts";

export async function* runCalls(
  calls: readonly OpenCall[],
  parts: RunParts,
): AsyncGenerator<AgentEvent, readonly ToolResultMessage[]> {
  return yield* during<AgentEvent, readonly ToolResultMessage[]>((tell) => all(calls, parts, tell), { replaces });
}

// EVT6: of what a call says while nobody looks, the newest is enough.
function replaces(earlier: AgentEvent, later: AgentEvent): boolean {
  if (earlier.type !== "tool_execution_update" || later.type !== "tool_execution_update") return false;
  return earlier.toolCallId === later.toolCallId;
}

/** Where the result of one cannot be kept, the others are stopped, and nobody goes on before they have ended. */
async function all(
  calls: readonly OpenCall[],
  parts: RunParts,
  tell: Tell<AgentEvent>,
): Promise<readonly ToolResultMessage[]> {
  const trouble = new AbortController();
  const stoppable = { ...parts, signal: AbortSignal.any([parts.signal, trouble.signal]) };
  const running = calls.map((open) => parts.step(open.id, () => runCall(open, { parts: stoppable, tell })));
  for (const run of running) run.catch(() => trouble.abort());
  await Promise.allSettled(running);
  return await Promise.all(running);
}

/** Answers calls that nobody will run any more, so that the conversation can go on. */
export async function closeCalls(calls: readonly OpenCall[], parts: RunParts): Promise<void> {
  for (const open of calls) await answered(open, failed(open.isBegun ? BROKEN_OFF : WITHOUT), parts);
}

const BROKEN_OFF = "it was running when the program ended; whether it was done is not known: look before you repeat it";
const WITHOUT = "there is no result: the program ended before it had one";

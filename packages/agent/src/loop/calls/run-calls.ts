/** The calls of a reply, all at once; each result is in the log as soon as it is there. */

import type { ToolResultMessage } from "@pith/context";
import type { AgentEvent } from "../../events.ts";
import { during } from "../during.ts";
import type { OpenCall } from "../next.ts";
import type { RunParts } from "../run-parts.ts";
import { answered, failed, runCall } from "./run-call.ts";

export async function* runCalls(
  calls: readonly OpenCall[],
  parts: RunParts,
): AsyncGenerator<AgentEvent, readonly ToolResultMessage[]> {
  return yield* during<AgentEvent, readonly ToolResultMessage[]>((tell) =>
    Promise.all(calls.map((open) => parts.step(open.id, () => runCall(open, { parts, tell })))),
  );
}

/** Answers calls that nobody will run any more, so that the conversation can go on. */
export async function closeCalls(calls: readonly OpenCall[], parts: RunParts): Promise<void> {
  for (const open of calls) await answered(open, failed(open.isBegun ? BROKEN_OFF : NOT_BEGUN), parts);
}

const BROKEN_OFF = "it was running when the program ended; whether it was done is not known: look before you repeat it";
const NOT_BEGUN = "it was not run: the program ended before";

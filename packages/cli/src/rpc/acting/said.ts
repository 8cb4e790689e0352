/** Words for the model, as another program says them: into the run that is under way, or as the beginning of one. */

import { type AgentEvent, type Content, NotWritten, type RunEnd } from "@pith/agent";
import type { ImageBlock } from "@pith/context";
import type { Said } from "../line/rpc-commands.ts";
import { done, failed, type Outcome } from "../rows/row.ts";
import type { Seat } from "../serving/seat.ts";

export interface Saying {
  readonly seat: Seat;
  readonly pictures: readonly ImageBlock[];
  readonly behaviour: "steer" | "followUp" | undefined;
}

/** Answered when it is accepted. */
export async function said(words: Content, { seat, pictures, behaviour }: Saying): Promise<Outcome<Said>> {
  const { agent, missing } = seat.ready.built;
  const content = withPictures(words, pictures);
  if (content.length === 0) return failed('"message" is empty; write what to say');
  if (agent.model.api === ABSENT) return failed(missing ?? "nobody can speak yet; name a model with set_model");
  if (agent.isRunning && behaviour === undefined) return failed(BUSY);
  if (agent.isRunning) {
    await (behaviour === "followUp" ? agent.followUp(content) : agent.steer(content));
    return done({ disposition: "queued" });
  }
  const { isBusy } = agent;
  const run = agent.prompt(content);
  if (!isBusy) return await begun(run, seat);
  // What it waits for may take a while; it is in the log by then.
  void rest(run, seat);
  return done({ disposition: "queued" });
}

/** Of who stands there while nobody can speak. */
const ABSENT = "none";

const BUSY =
  'a run is under way; say "streamingBehavior": "steer" (before its next request) or "followUp" (when it is done), or abort it';

function withPictures(words: Content, pictures: readonly ImageBlock[]): Content {
  if (pictures.length === 0) return words;
  const blocks = typeof words === "string" ? (words === "" ? [] : [{ type: "text" as const, text: words }]) : words;
  return [...blocks, ...pictures];
}

/** `handled`: an extension has taken care of it before the run began. */
async function begun(run: AsyncGenerator<AgentEvent, RunEnd>, seat: Seat): Promise<Outcome<Said>> {
  const first = await run.next();
  if (first.done && first.value.type === "failed") return failed(first.value.why);
  if (first.done && first.value.type === "aborted") return failed("it was stopped before it began");
  if (first.done) return done({ disposition: "handled" });
  void rest(run, seat);
  return done({ disposition: "started" });
}

/** All that happens is told by whoever listens. */
async function rest(run: AsyncGenerator<AgentEvent, RunEnd>, { tell, fault }: Seat): Promise<void> {
  try {
    for await (const _ of run);
  } catch (error) {
    if (error instanceof NotWritten) tell({ type: "error", error: error.message });
    else fault(error);
  }
}

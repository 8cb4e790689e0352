/** Sends a message to the agent, at once or queued while it is busy, and shows the answer of a command. */

import type { Agent, AgentEvent, UserContent } from "@pith/agent";
import { drainRun } from "../../app/live-session.ts";
import type { CommandResult } from "../../commands/command.ts";
import { getQueuedNotice } from "../../text/compaction-text.ts";
import type { InteractiveContext } from "./screen-context.ts";

export type Delivery = "next" | "afterwards";

export async function sendMessage(
  content: UserContent,
  context: InteractiveContext,
  delivery: Delivery = "next",
): Promise<void> {
  const { agent } = context.app;
  if (agent.model.api === NO_MODEL_API)
    return (await import("./onboarding/first-start.ts")).sendAfterSetup(content, context);
  while (startingRuns.has(agent)) await startingRuns.get(agent);
  const notice = getQueuedNotice(agent);
  if (notice) context.screen.showNote(notice);
  if (agent.isRunning) return delivery === "next" ? await agent.steer(content) : await agent.followUp(content);
  if (isBusy(context)) return await queueMessage(content, context);
  await consumeRun(agent, agent.prompt(content));
}

/** Runs whose first words are not in the log yet: what is said behind them waits for that, so that it stands behind them. */
const startingRuns = new WeakMap<Agent, Promise<void>>();

async function consumeRun(agent: Agent, run: AsyncIterable<AgentEvent>): Promise<void> {
  const started = Promise.withResolvers<void>();
  startingRuns.set(agent, started.promise);
  const markStarted = (): void => {
    startingRuns.delete(agent);
    started.resolve();
  };
  try {
    // All that happens is told by whoever listens.
    for await (const { type } of run) if (type === "turn_start") markStarted();
  } finally {
    markStarted();
  }
}

/** Of who stands there while nobody can speak. */
const NO_MODEL_API = "none";

/** A compaction, a branch that is told, or a shell line whose output the words may be about. */
function isBusy({ screen }: InteractiveContext): boolean {
  return screen.state.activity.type !== "idle" || isShellRunning({ screen });
}

function isShellRunning({ screen }: Pick<InteractiveContext, "screen">): boolean {
  return screen.state.pendingShellBlocks.some(({ isPrivate }) => !isPrivate);
}

/** B79: it waits in the log, where it is seen and can be taken back, and is heard when that has ended. */
async function queueMessage(content: UserContent, context: InteractiveContext): Promise<void> {
  const { agent } = context.app;
  if (isShellRunning(context)) agentsWaitingForShell.add(agent);
  await agent.followUp(content);
  if (!isShellRunning(context)) await runQueuedMessages(agent);
}

/** To whom something was said while a shell line ran. What was left waiting by a run that failed stays. */
const agentsWaitingForShell = new WeakSet<Agent>();

/** What was said while shell lines ran is heard now that they have ended; whoever stopped them gets it back instead. */
export async function resumeAfterShell(
  { app }: InteractiveContext,
  { isStopped }: { readonly isStopped: boolean },
): Promise<void> {
  const { agent } = app;
  if (agentsWaitingForShell.delete(agent) && !isStopped) await runQueuedMessages(agent);
}

/** Unless a run is under way, which will hear it anyway. */
async function runQueuedMessages(agent: Agent): Promise<void> {
  if (agent.isRunning || agent.queue.length === 0) return;
  await drainRun(agent.resume());
}

export async function showResult(rawResult: CommandResult, context: InteractiveContext): Promise<void> {
  const { screen, leave, app } = context;
  // An entry may come from before redaction, or from another program.
  const result = rawResult.type === "prompt" ? rawResult : app.agent.session.redact(rawResult);
  switch (result.type) {
    case "told":
      // A command of an extension may have nothing to say.
      return result.text === "" ? undefined : screen.showNote(result.text);
    case "mistake":
    case "failed":
      return screen.showNote(result.message, "bad");
    case "prompt":
      return await sendMessage(result.content, context);
    case "draft":
      screen.showNote(result.text);
      return screen.editorText.set(result.draft);
    case "opened":
      screen.showNote(result.text);
      if (result.draft !== undefined) screen.editorText.set(result.draft);
      return leave({ ...createNextArgs(app), session: { type: "named", name: result.path } }, result.reason);
    case "quit":
      return leave(null);
  }
}

/** The same call for another session: what was said on the command line is said. */
export function createNextArgs({ args }: InteractiveContext["app"]): InteractiveContext["app"]["args"] {
  return { ...args, prompt: "", files: [] };
}

/** Sends a message to the agent, immediately or queued while it is busy, and shows the result of a command. */

import type { Agent, AgentEvent, UserContent } from "@pith/agent";
import { isAbsentModel } from "@pith/host/models/open-model";
import { drainRun } from "../../app/live-session.ts";
import type { CliArgs } from "../../args/args.ts";
import type { CommandResult } from "../../commands/command.ts";
import { getQueuedNotice } from "../../text/compaction-text.ts";
import type { InteractiveContext, ScreenApi, SessionScreen } from "./screen-context.ts";

/** How to deliver a message during a run: before the next request, or when the run is done. */
export type Delivery = "steer" | "followUp";

export async function sendMessage(
  content: UserContent,
  context: InteractiveContext,
  delivery: Delivery = "steer",
): Promise<void> {
  const { agent } = context.app;
  if (isAbsentModel(agent.model)) return (await import("./onboarding/first-start.ts")).sendAfterSetup(content, context);
  while (startingRuns.has(agent)) await startingRuns.get(agent);
  const notice = getQueuedNotice(agent);
  if (notice) context.screen.showNote(notice);
  if (agent.isRunning) return delivery === "steer" ? await agent.steer(content) : await agent.followUp(content);
  if (isBusy(context.screen)) return await queueMessage(content, context);
  await consumeRun(agent, agent.prompt(content));
}

/** Runs whose first message is not in the log yet. A later message waits for it, so that the log has them in order. */
const startingRuns = new WeakMap<Agent, Promise<void>>();

async function consumeRun(agent: Agent, run: AsyncIterable<AgentEvent>): Promise<void> {
  const start = Promise.withResolvers<void>();
  startingRuns.set(agent, start.promise);
  const markStarted = (): void => {
    startingRuns.delete(agent);
    start.resolve();
  };
  try {
    // The listeners of the agent show the events.
    for await (const { type } of run) if (type === "turn_start") markStarted();
  } finally {
    markStarted();
  }
}

/** True during a compaction, a branch summary, or a shell line whose output the message may refer to. */
function isBusy(screen: ScreenApi): boolean {
  return screen.state.activity.type !== "idle" || isShellRunning(screen);
}

function isShellRunning(screen: ScreenApi): boolean {
  return screen.state.pendingShellBlocks.some(({ isPrivate }) => !isPrivate);
}

/** B79: the message waits in the log, where the user sees it and can take it back. It is sent when the current work has ended. */
async function queueMessage(content: UserContent, { app: { agent }, screen }: SessionScreen): Promise<void> {
  if (isShellRunning(screen)) agentsWaitingForShell.add(agent);
  await agent.followUp(content);
  if (!isShellRunning(screen)) await runQueuedMessages(agent);
}

/** Agents that got a message while a shell line ran. Messages that a failed run left in the queue are not sent. */
const agentsWaitingForShell = new WeakSet<Agent>();

/** Sends the messages that were queued while shell lines ran. If the user stopped the lines, the messages return to the editor instead. */
export async function resumeAfterShell(agent: Agent, { isStopped }: { readonly isStopped: boolean }): Promise<void> {
  if (agentsWaitingForShell.delete(agent) && !isStopped) await runQueuedMessages(agent);
}

/** Does nothing during a run, because the run delivers the queue itself. */
async function runQueuedMessages(agent: Agent): Promise<void> {
  if (agent.isRunning || agent.queue.length === 0) return;
  await drainRun(agent.resume());
}

export async function showResult(rawResult: CommandResult, context: InteractiveContext): Promise<void> {
  const { screen, leave, app } = context;
  // An entry may be older than its redaction, or come from another program.
  const result = rawResult.type === "prompt" ? rawResult : app.agent.session.redact(rawResult);
  switch (result.type) {
    case "success":
      // A command of an extension may return no text.
      return result.text === "" || result.isInTranscript ? undefined : screen.showNote(result.text);
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
      return leave({ ...createNextArgs(app.args), session: { type: "named", name: result.path } }, result.reason);
    case "quit":
      return leave(null);
  }
}

/** The arguments for another session, without the prompt and files of the command line, which are already sent. */
export function createNextArgs(args: CliArgs): CliArgs {
  return { ...args, prompt: "", files: [] };
}

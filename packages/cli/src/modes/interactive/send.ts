/** Sends a message to the agent, at once or queued while it is busy, and shows the answer of a command. */

import type { Agent, AgentEvent, UserContent } from "@pith/agent";
import type { Answer } from "../../commands/command.ts";
import { queuedBecause } from "../../text/compaction-text.ts";
import type { Talking } from "./screen-context.ts";

export type When = "next" | "afterwards";

export async function say(content: UserContent, talking: Talking, when: When = "next"): Promise<void> {
  const { agent } = talking.ready.built;
  if (agent.model.api === ABSENT) return (await import("./onboarding/first-start.ts")).sayAfter(content, talking);
  while (beginning.has(agent)) await beginning.get(agent);
  const queued = queuedBecause(agent);
  if (queued) talking.screen.tell(queued);
  if (agent.isRunning) return when === "next" ? await agent.steer(content) : await agent.followUp(content);
  if (isBusy(talking)) return await sayLater(content, talking);
  await heard(agent, agent.prompt(content));
}

/** Runs whose first words are not in the log yet: what is said behind them waits for that, so that it stands behind them. */
const beginning = new WeakMap<Agent, Promise<void>>();

async function heard(agent: Agent, run: AsyncIterable<AgentEvent>): Promise<void> {
  const begun = Promise.withResolvers<void>();
  beginning.set(agent, begun.promise);
  const begin = (): void => {
    beginning.delete(agent);
    begun.resolve();
  };
  try {
    // All that happens is told by whoever listens.
    for await (const { type } of run) if (type === "turn_start") begin();
  } finally {
    begin();
  }
}

/** Of who stands there while nobody can speak. */
const ABSENT = "none";

/** A compaction, a branch that is told, or a shell line whose output the words may be about. */
function isBusy({ screen }: Talking): boolean {
  return screen.state.work.type !== "idle" || isShelling({ screen });
}

function isShelling({ screen }: Pick<Talking, "screen">): boolean {
  return screen.state.shell.some(({ isPrivate }) => !isPrivate);
}

/** B79: it waits in the log, where it is seen and can be taken back, and is heard when that has ended. */
async function sayLater(content: UserContent, talking: Talking): Promise<void> {
  const { agent } = talking.ready.built;
  if (isShelling(talking)) behindShell.add(agent);
  await agent.followUp(content);
  if (!isShelling(talking)) await hearWaiting(agent);
}

/** To whom something was said while a shell line ran. What was left waiting by a run that failed stays. */
const behindShell = new WeakSet<Agent>();

/** What was said while shell lines ran is heard now that they have ended; whoever stopped them gets it back instead. */
export async function hearBehind({ ready }: Talking, { isStopped }: { readonly isStopped: boolean }): Promise<void> {
  const { agent } = ready.built;
  if (behindShell.delete(agent) && !isStopped) await hearWaiting(agent);
}

/** Unless a run is under way, which will hear it anyway. */
async function hearWaiting(agent: Agent): Promise<void> {
  if (agent.isRunning || agent.queue.length === 0) return;
  for await (const _ of agent.resume());
}

export async function show(given: Answer, talking: Talking): Promise<void> {
  const { screen, leave, ready } = talking;
  // An entry may come from before redaction, or from another program.
  const answer = given.type === "prompt" ? given : ready.built.agent.session.redact(given);
  switch (answer.type) {
    case "told":
      // A command of an extension may have nothing to say.
      return answer.text === "" ? undefined : screen.tell(answer.text);
    case "mistake":
    case "failed":
      return screen.tell(answer.message, "bad");
    case "prompt":
      return await say(answer.content, talking);
    case "draft":
      screen.tell(answer.text);
      return screen.words.set(answer.draft);
    case "opened":
      screen.tell(answer.text);
      if (answer.draft !== undefined) screen.words.set(answer.draft);
      return leave({ ...nextWish(ready), session: { type: "named", name: answer.path } }, answer.reason);
    case "quit":
      return leave(null);
  }
}

/** The same call for another session: what was said on the command line is said. */
export function nextWish({ wish }: Talking["ready"]): Talking["ready"]["wish"] {
  return { ...wish, words: "", files: [] };
}

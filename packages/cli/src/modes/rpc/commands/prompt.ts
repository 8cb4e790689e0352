/** Implements the RPC commands that send, queue and abort prompts, clear the queue, and run slash commands. */

import { type Agent, type AgentEvent, AppendError, type RunEnd, type UserContent } from "@pith/agent";
import type { PromptResult, RpcAttachment, RpcCommands, RpcSlashCommand, SlashCommandResult } from "@pith/client";
import type { ImageBlock } from "@pith/context";
import { attachText } from "@pith/context/host";
import type { Answer } from "../../../commands/command.ts";
import { commands } from "../../../commands/commands.ts";
import { commandResult } from "../../../protocol/events.ts";
import { queuedBecause } from "../../../text/compaction-text.ts";
import { attachments, images, oneOf, optional, text, words } from "../parse-command.ts";
import { done, failed, type Outcome, type Rows, type Seat } from "../rpc-context.ts";

export interface Saying {
  readonly seat: Seat;
  readonly pictures: readonly ImageBlock[];
  readonly attachments?: readonly RpcAttachment[];
  readonly behaviour: "steer" | "followUp" | undefined;
}

/** Answered when it is accepted. */
export async function said(words: UserContent, saying: Saying): Promise<Outcome<PromptResult>> {
  const { seat, behaviour } = saying;
  const { agent, missing } = seat.ready.built;
  const content = withAttachments(words, saying);
  if (content.length === 0) return failed('"message" is empty; write what to say');
  if (agent.model.api === ABSENT) return failed(missing ?? "nobody can speak yet; name a model with set_model");
  if (agent.isRunning && behaviour === undefined) return failed(BUSY);
  if (agent.isRunning) {
    const answer = queued(agent);
    await (behaviour === "followUp" ? agent.followUp(content) : agent.steer(content));
    return answer;
  }
  const { isBusy } = agent;
  const answer = queued(agent);
  const run = agent.prompt(content);
  if (!isBusy) return await begun(run, seat);
  // What it waits for may take a while; it is in the log by then.
  void rest(run, seat);
  return answer;
}

function queued(agent: Agent): Outcome<PromptResult> {
  const note = queuedBecause(agent);
  return done({ disposition: "queued", ...(note && { note }) });
}

/** Of who stands there while nobody can speak. */
const ABSENT = "none";

const BUSY =
  'a run is under way; say "streamingBehavior": "steer" (before its next request) or "followUp" (when it is done), or abort it';

/** The texts come first, then the words, then the pictures. */
export function withAttachments(
  words: UserContent,
  { pictures, attachments = [] }: Pick<Saying, "pictures" | "attachments">,
): UserContent {
  if (pictures.length === 0 && attachments.length === 0) return words;
  const blocks = typeof words === "string" ? (words === "" ? [] : [{ type: "text" as const, text: words }]) : words;
  const attached = attachments.map(({ name, text }) => attachText({ kind: "attachment", name }, text));
  return [...attached, ...blocks, ...pictures];
}

/** `handled`: an extension has taken care of it before the run began. */
async function begun(run: AsyncGenerator<AgentEvent, RunEnd>, seat: Seat): Promise<Outcome<PromptResult>> {
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
    if (error instanceof AppendError) tell({ type: "error", error: error.message });
    else fault(error);
  }
}

export type RanSlash =
  | { readonly type: "ran"; readonly outcome: Outcome<SlashCommandResult> }
  /** For the model; `isTemplate`: not as it was written. */
  | { readonly type: "words"; readonly content: UserContent; readonly isTemplate: boolean };

export async function ranSlash(words: string, seat: Seat): Promise<RanSlash> {
  if (!words.startsWith("/")) return { type: "words", content: words, isTemplate: false };
  const { runCommand } = await import("../../../commands/run-command.ts");
  const answer = await runCommand(words, seat.desk);
  if (answer === null) return { type: "words", content: words, isTemplate: false };
  if (answer.type === "prompt") return { type: "words", content: answer.content, isTemplate: true };
  // An entry may come from before redaction, or from another program.
  const told = seat.ready.built.agent.session.redact({ words, answer });
  seat.tell(commandResult(told.words, told.answer));
  return { type: "ran", outcome: await outcomeOf(answer, seat) };
}

type Ran = Exclude<Answer, { type: "prompt" }>;

const HANDLED = { disposition: "handled" } as const;

async function outcomeOf(answer: Ran, seat: Seat): Promise<Outcome<SlashCommandResult>> {
  switch (answer.type) {
    case "told":
      return done({ ...HANDLED, text: answer.text, data: answer.data });
    case "mistake":
    case "failed":
      return failed(answer.message);
    case "draft":
      return done({ ...HANDLED, text: answer.text, draft: answer.draft });
    case "opened": {
      const { text, draft, path } = answer;
      const gone = await seat.go({ type: "named", name: path }, answer.reason ?? "resume");
      if (gone.type === "failed") return gone;
      return done({ ...HANDLED, text, ...(draft !== undefined && { draft }) });
    }
    case "quit":
      seat.quit();
      return done(HANDLED);
  }
}

const sayingFields = { message: words, images: optional(images), attachments: optional(attachments) };

export const speaking: Rows<
  keyof Pick<RpcCommands, "prompt" | "steer" | "follow_up" | "abort" | "clear_queue" | "run_command" | "get_commands">
> = {
  prompt: {
    says: "say something; answered when it is accepted, not when it is done. While a run is under way say how with `streamingBehavior`. During a compaction it is queued, and `note` says so. `attachments` are texts beside the message, such as files or selections: the model reads them, and they never count as what the user said. A message that begins with a slash may be a command",
    example: { type: "prompt", message: "Fix the login test." },
    fields: { ...sayingFields, message: text, streamingBehavior: optional(oneOf("steer", "followUp")) },
    lane: "speaking",
    run: async ({ message, images: pictures = [], attachments = [], streamingBehavior }, seat) => {
      const ran = await ranSlash(message, seat);
      if (ran.type === "ran") return ran.outcome;
      return await said(ran.content, { seat, pictures, attachments, behaviour: streamingBehavior });
    },
  },
  steer: {
    says: "say something before the next request of the run that is under way; where none is, it begins one",
    example: { type: "steer", message: "Leave the tests alone." },
    fields: sayingFields,
    lane: "speaking",
    run: ({ message, images: pictures = [], attachments = [] }, seat) =>
      said(message, { seat, pictures, attachments, behaviour: "steer" }),
  },
  follow_up: {
    says: "say something when the model has no more to say; where no run is under way, it begins one",
    example: { type: "follow_up", message: "Then write the changelog." },
    fields: sayingFields,
    lane: "speaking",
    run: ({ message, images: pictures = [], attachments = [] }, seat) =>
      said(message, { seat, pictures, attachments, behaviour: "followUp" }),
  },
  abort: {
    says: "end what is under way, a run, a compaction or a move; answered when it has ended. What waits to be said stays; open questions are left without an answer",
    example: { type: "abort" },
    fields: {},
    lane: "urgent",
    run: async (_, { ready, unask }) => {
      const ended = ready.built.agent.abort();
      unask();
      await ended;
      return done(null);
    },
  },
  clear_queue: {
    says: "take back all that waits to be said",
    example: { type: "clear_queue" },
    fields: {},
    run: async (_, { ready }) => {
      const taken = await ready.built.agent.clearQueue();
      const of = (kind: string) => taken.filter((each) => each.kind === kind).map(({ content }) => content);
      return done({ steering: of("steer"), followUp: of("followUp") });
    },
  },
  run_command: {
    says: "run what a person would type with a slash: Pith's own commands, those of extensions, templates and skills",
    example: { type: "run_command", command: "/session" },
    fields: { command: words },
    lane: "speaking",
    run: async ({ command }, seat) => {
      if (!command.startsWith("/")) return failed('"command" begins with a slash, such as "/session"');
      const ran = await ranSlash(command, seat);
      if (ran.type === "ran") return ran.outcome;
      if (!ran.isTemplate) return failed(`${command.slice(0, 60)} is no command; prompt says it to the model`);
      return await said(ran.content, { seat, pictures: [], behaviour: undefined });
    },
  },
  get_commands: {
    says: "all that can be run with a slash; `source` is `pith`, `extension`, `prompt` or `skill`",
    example: { type: "get_commands" },
    fields: {},
    run: async (_, seat) => {
      return done({ commands: await slashCommands(seat) });
    },
  },
};

export async function slashCommands({ desk, ready }: Seat): Promise<readonly RpcSlashCommand[]> {
  const own = commands.map(({ name, says }) => ({ name, description: says, source: "pith" as const }));
  const extended = ready.place.extensions?.commands ?? [];
  const theirs = extended.map(({ name, description }) => ({ name, description, source: "extension" as const }));
  const named = (await desk.templates?.list()) ?? [];
  const said = named.map(({ name, says }) => ({
    name,
    description: says,
    source: name.startsWith("skill:") ? ("skill" as const) : ("prompt" as const),
  }));
  return [...own, ...theirs, ...said];
}

/** Implements the RPC commands that send, queue and abort prompts, clear the queue, and run or list slash commands. */

import { type Agent, type AgentEvent, AppendError, type RunEnd, type UserContent } from "@pith/agent";
import type { PromptResult, RpcAttachment, RpcCommands, RpcSlashCommand, SlashCommandResult } from "@pith/client";
import type { ImageBlock } from "@pith/context";
import { attachText } from "@pith/context/host";
import { isAbsentModel } from "@pith/host/models/open-model";
import { drainRun } from "../../../app/live-session.ts";
import type { CommandContext, CommandResult } from "../../../commands/command.ts";
import { commands } from "../../../commands/commands.ts";
import { toCommandResultEvent } from "../../../protocol/events.ts";
import { getQueuedNotice } from "../../../text/compaction-text.ts";
import { attachmentsField, imagesField, nonEmptyTextField, oneOf, optional, textField } from "../parse-command.ts";
import { failure, type Outcome, type RpcCommandDefinitions, type RpcContext, success } from "../rpc-context.ts";

export interface PromptOptions {
  readonly context: RpcContext;
  readonly images: readonly ImageBlock[];
  readonly attachments?: readonly RpcAttachment[];
  readonly behaviour: "steer" | "followUp" | undefined;
}

/** Returns when the prompt is accepted, not when the run is done. */
export async function sendPrompt(input: UserContent, options: PromptOptions): Promise<Outcome<PromptResult>> {
  const { context, behaviour } = options;
  const { agent, missingModel } = context.app;
  const content = withAttachments(input, options);
  if (content.length === 0) return failure('"message" is empty; write a prompt');
  if (isAbsentModel(agent.model)) return failure(missingModel ?? "no model is configured; choose one with set_model");
  if (agent.isRunning && behaviour === undefined) return failure(BUSY_MESSAGE);
  if (agent.isRunning) {
    const outcome = createQueuedOutcome(agent);
    await (behaviour === "followUp" ? agent.followUp(content) : agent.steer(content));
    return outcome;
  }
  const { isBusy } = agent;
  const outcome = createQueuedOutcome(agent);
  const run = agent.prompt(content);
  if (!isBusy) return await startRun(run, context);
  // The prompt waits for the current work, which may take long. It is already recorded in the session.
  void finishRun(run, context);
  return outcome;
}

function createQueuedOutcome(agent: Agent): Outcome<PromptResult> {
  const note = getQueuedNotice(agent);
  return success({ disposition: "queued", ...(note && { note }) });
}

const BUSY_MESSAGE =
  'a run is in progress; set "streamingBehavior" to "steer" (deliver before the next request) or "followUp" (deliver after the run), or abort the run';

/** Puts text attachments first, then the prompt, then the images. */
export function withAttachments(
  input: UserContent,
  { images, attachments = [] }: Pick<PromptOptions, "images" | "attachments">,
): UserContent {
  if (images.length === 0 && attachments.length === 0) return input;
  const blocks = typeof input === "string" ? (input === "" ? [] : [{ type: "text" as const, text: input }]) : input;
  const attached = attachments.map(({ name, text }) => attachText({ kind: "attachment", name }, text));
  return [...attached, ...blocks, ...images];
}

/** `handled`: an extension handled the prompt, and no run started. */
async function startRun(
  run: AsyncGenerator<AgentEvent, RunEnd>,
  context: Pick<RpcContext, "sendEvent" | "reportError">,
): Promise<Outcome<PromptResult>> {
  const first = await run.next();
  if (first.done && first.value.type === "failed") return failure(first.value.why);
  if (first.done && first.value.type === "aborted") return failure("the run was stopped before it started");
  if (first.done) return success({ disposition: "handled" });
  void finishRun(run, context);
  return success({ disposition: "started" });
}

/** Runs to the end and reports an error to the client. The event listener of the session sends the events. */
async function finishRun(
  run: AsyncGenerator<AgentEvent, RunEnd>,
  { sendEvent, reportError }: Pick<RpcContext, "sendEvent" | "reportError">,
): Promise<void> {
  try {
    await drainRun(run);
  } catch (error) {
    if (error instanceof AppendError) sendEvent({ type: "error", error: error.message });
    else reportError(error);
  }
}

export type SlashOutcome =
  | { readonly type: "ran"; readonly outcome: Outcome<SlashCommandResult> }
  /** A prompt for the model. `isTemplate`: it was expanded from a template or skill. */
  | { readonly type: "prompt"; readonly content: UserContent; readonly isTemplate: boolean };

async function runSlashCommand(input: string, context: RpcContext): Promise<SlashOutcome> {
  if (!input.startsWith("/")) return { type: "prompt", content: input, isTemplate: false };
  const { runCommand } = await import("../../../commands/run-command.ts");
  const result = await runCommand(input, context.app);
  if (result === null) return { type: "prompt", content: input, isTemplate: false };
  if (result.type === "prompt") return { type: "prompt", content: result.content, isTemplate: true };
  // An entry may be older than the redaction, or written by another program.
  const redacted = context.app.agent.session.redact({ input, result });
  context.sendEvent(toCommandResultEvent(redacted.input, redacted.result));
  return { type: "ran", outcome: await toSlashOutcome(result, context) };
}

const HANDLED = { disposition: "handled" } as const;

async function toSlashOutcome(
  result: Exclude<CommandResult, { type: "prompt" }>,
  context: Pick<RpcContext, "switchSession" | "quit">,
): Promise<Outcome<SlashCommandResult>> {
  switch (result.type) {
    case "success":
      return success({ ...HANDLED, text: result.text, data: result.data });
    case "mistake":
    case "failed":
      return failure(result.message);
    case "draft":
      return success({ ...HANDLED, text: result.text, draft: result.draft });
    case "opened": {
      const { text, draft, path } = result;
      const switchResult = await context.switchSession({ type: "named", name: path }, result.reason ?? "resume");
      if (switchResult.type === "failed") return switchResult;
      return success({ ...HANDLED, text, ...(draft !== undefined && { draft }) });
    }
    case "quit":
      context.quit();
      return success(HANDLED);
  }
}

const messageFields = {
  message: nonEmptyTextField,
  images: optional(imagesField),
  attachments: optional(attachmentsField),
};

export const promptCommands: RpcCommandDefinitions<
  keyof Pick<RpcCommands, "prompt" | "steer" | "follow_up" | "abort" | "clear_queue" | "run_command" | "get_commands">
> = {
  prompt: {
    description:
      "send a message to the model; the response comes when the message is accepted, not when the run ends. During a run, `streamingBehavior` is required and says when the message is delivered. During a compaction, the message is queued, and `note` says so. `attachments`, such as files or selections, are sent with the message: the model reads them, but they are never treated as written by the user. A message that starts with a slash can be a command",
    example: { type: "prompt", message: "Fix the login test." },
    fields: { ...messageFields, message: textField, streamingBehavior: optional(oneOf("steer", "followUp")) },
    lane: "prompt",
    run: async ({ message, images = [], attachments = [], streamingBehavior }, context) => {
      const result = await runSlashCommand(message, context);
      if (result.type === "ran") return result.outcome;
      return await sendPrompt(result.content, { context, images, attachments, behaviour: streamingBehavior });
    },
  },
  steer: {
    description: "send a message to the model before the next request of the current run; without a run, start one",
    example: { type: "steer", message: "Leave the tests alone." },
    fields: messageFields,
    lane: "prompt",
    run: ({ message, images = [], attachments = [] }, context) =>
      sendPrompt(message, { context, images, attachments, behaviour: "steer" }),
  },
  follow_up: {
    description: "send a message to the model when the current run would otherwise end; without a run, start one",
    example: { type: "follow_up", message: "Then write the changelog." },
    fields: messageFields,
    lane: "prompt",
    run: ({ message, images = [], attachments = [] }, context) =>
      sendPrompt(message, { context, images, attachments, behaviour: "followUp" }),
  },
  abort: {
    description:
      "stop the current run, compaction or change of position in the tree; the response comes when it has stopped. Queued messages are kept; open questions are closed without an answer",
    example: { type: "abort" },
    fields: {},
    lane: "urgent",
    run: async (_, { app, dismissQuestions }) => {
      const pendingAbort = app.agent.stop();
      dismissQuestions();
      await pendingAbort;
      return success(null);
    },
  },
  clear_queue: {
    description: "remove all queued messages and return them",
    example: { type: "clear_queue" },
    fields: {},
    run: async (_, { app }) => {
      const cleared = await app.agent.clearQueue();
      const contentsOfKind = (kind: string) =>
        cleared.filter((queued) => queued.kind === kind).map(({ content }) => content);
      return success({ steering: contentsOfKind("steer"), followUp: contentsOfKind("followUp") });
    },
  },
  run_command: {
    description: "run a slash command as a user would type it: a Pith or extension command, a template or a skill",
    example: { type: "run_command", command: "/session" },
    fields: { command: nonEmptyTextField },
    lane: "prompt",
    run: async ({ command }, context) => {
      if (!command.startsWith("/")) return failure('"command" must start with a slash, as in "/session"');
      const result = await runSlashCommand(command, context);
      if (result.type === "ran") return result.outcome;
      if (!result.isTemplate)
        return failure(`unknown command ${command.slice(0, 60)}; to send this text to the model, use prompt`);
      return await sendPrompt(result.content, { context, images: [], behaviour: undefined });
    },
  },
  get_commands: {
    description: "list all slash commands; `source` is `pith`, `extension`, `prompt` or `skill`",
    example: { type: "get_commands" },
    fields: {},
    run: async (_, { app }) => success({ commands: await listSlashCommands(app) }),
  },
};

async function listSlashCommands({
  extensions,
  templates: namedTemplates,
}: Pick<CommandContext, "extensions" | "templates">): Promise<readonly RpcSlashCommand[]> {
  const builtIn = commands.map(({ name, description }) => ({ name, description, source: "pith" as const }));
  const extensionCommands = extensions?.commands ?? [];
  const fromExtensions = extensionCommands.map(({ name, description }) => ({
    name,
    description,
    source: "extension" as const,
  }));
  const templates = (await namedTemplates?.list()) ?? [];
  const fromTemplates = templates.map(({ name, description }) => ({
    name,
    description,
    source: name.startsWith("skill:") ? ("skill" as const) : ("prompt" as const),
  }));
  return [...builtIn, ...fromExtensions, ...fromTemplates];
}

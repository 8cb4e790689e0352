/** Implements the actions of extensions on a session. An action never waits for a run that itself waits for the extension's hook. */

import type { AppendResult, Model, NewEntry } from "@pith/context";
import { parseDetails, parseUsage } from "@pith/context/host";
import type { Agent, UserContent } from "../agent.ts";
import { assertAppended } from "../append-entries.ts";
import type { AgentEvent, RunEnd } from "../events.ts";
import type { ExtensionActions, ExtensionMessage, ExtensionUsage, SendOptions } from "./api.ts";
import { createExtensionContext, type ExtensionContextOptions } from "./context.ts";

/** Options of `createExtensionActions`. */
export interface ExtensionActionOptions extends ExtensionContextOptions {
  /** Opens a model by `provider/model`; null if it is not available. */
  readonly openModel: (name: string) => Promise<Model | null>;
  /** Consumes a run that an extension started. Listeners get its events in any case. */
  readonly drain?: (run: AsyncGenerator<AgentEvent, RunEnd>) => void;
  /** Called with the error of an action that continued in the background. */
  readonly report?: (why: string) => void;
}

/** Creates the actions that `Extensions.bind` connects to the extensions of a session. */
export function createExtensionActions(agent: Agent, options: ExtensionActionOptions): ExtensionActions {
  const { openModel, report = () => {} } = options;
  const actionContext: ActionContext = {
    agent,
    drain: (run) => runInBackground(discardEvents(run), report),
    report,
    ...options,
  };
  return {
    appendEntry: async (customType, data) =>
      appendAnnotation(
        [{ type: "custom", ...checkCustomType(customType), ...parseJsonFields({ data }) }],
        actionContext,
      ),
    appendUsage: async (usage) => appendAnnotation([createUsageEntry(usage)], actionContext),
    sendMessage: async (message, sendOptions) =>
      sendCustomMessage(createCustomMessage(message), sendOptions ?? {}, actionContext),
    sendUserMessage: async (content, sendOptions) =>
      sendUserMessage(parseUserContent(content), sendOptions ?? {}, actionContext),
    setLabel: async (targetId, label) => {
      if (!(await agent.session.store.entry(targetId))) throw new Error(`entry ${targetId} is not in this session`);
      await appendAnnotation(
        [{ type: "label", targetId, ...(label !== undefined && { label: requireText(label) }) }],
        actionContext,
      );
    },
    setSessionName: async (name) =>
      appendAnnotation([{ type: "session_info", name: requireText(name) }], actionContext),
    openModel: async (name) => openModel(requireText(name)),
    context: () => createExtensionContext(agent, options),
  };
}

type ActionContext = Required<Pick<ExtensionActionOptions, "drain" | "report">> & { readonly agent: Agent };

/** Appends entries that the model does not see: at once, even during a run. During a move or a compaction they wait in the background. */
async function appendAnnotation(drafts: readonly NewEntry[], { agent, report }: ActionContext): Promise<void> {
  if (agent.isRunning) return assertAppended(await agent.session.append(...drafts));
  const isBusy = agent.isBusy;
  const outcome = agent.appendToSession((session) => session.append(...drafts));
  if (isBusy) return runInBackground(outcome, report);
  assertAppended(await outcome);
}

type NewCustomMessage = Extract<NewEntry, { type: "custom_message" }> & { readonly content: string };

async function sendCustomMessage(
  draft: NewCustomMessage,
  { deliverAs, triggerTurn }: SendOptions,
  actionContext: ActionContext,
): Promise<void> {
  const { agent, drain } = actionContext;
  const isImmediate = deliverAs !== "nextTurn" && (agent.isRunning || triggerTurn === true);
  if (!isImmediate) return appendWhenIdle([draft], actionContext);
  const { type: _, content, ...custom } = draft;
  return runWhenIdle(actionContext, async () => {
    await agent.sendCustomMessage({ kind: deliverAs === "followUp" ? "followUp" : "steer", content, custom });
    if (triggerTurn && !agent.isRunning) drain(agent.resume());
  });
}

async function sendUserMessage(
  content: UserContent,
  { deliverAs }: Pick<SendOptions, "deliverAs">,
  actionContext: ActionContext,
): Promise<void> {
  const { agent, drain } = actionContext;
  if (!agent.isRunning)
    return runWhenIdle(actionContext, async () => {
      if (deliverAs === "nextTurn" || agent.isRunning) return agent.followUp(content);
      drain(agent.prompt(content));
    });
  if (deliverAs === "nextTurn")
    return runInBackground(
      agent.waitForIdle().then(() => agent.followUp(content)),
      actionContext.report,
    );
  return deliverAs === "followUp" ? agent.followUp(content) : agent.steer(content);
}

/** Runs the action at once or, during a move or a compaction, in the background after it. */
async function runWhenIdle({ agent, report }: ActionContext, action: () => Promise<void>): Promise<void> {
  if (agent.isRunning || !agent.isBusy) return action();
  return runInBackground(agent.waitForIdle().then(action), report);
}

/** Appends entries for the next user message: at once if the agent is idle, else in the background after the run. */
async function appendWhenIdle(drafts: readonly NewEntry[], { agent, report }: ActionContext): Promise<void> {
  const isIdle = !agent.isBusy && !agent.isRunning;
  const outcome = agent.appendToSession((session) => session.append(...drafts), {
    isVisibleToModel: true,
    waitsForRunEnd: true,
  });
  if (!isIdle) return runInBackground(outcome, report);
  assertAppended(await outcome);
}

function runInBackground(outcome: Promise<unknown>, report: (why: string) => void): void {
  const completion = outcome.then((result) => result && assertAppended(result as AppendResult));
  void completion.catch((error: unknown) => report(error instanceof Error ? error.message : String(error)));
}

async function discardEvents(run: AsyncGenerator<AgentEvent, RunEnd>): Promise<void> {
  for await (const _ of run);
}

function createUsageEntry({ kind, provider, model, usage, note }: ExtensionUsage): NewEntry {
  const parsedUsage = parseUsage(usage);
  if (!parsedUsage) throw new Error("a field of usage is missing or not a number");
  const source = { kind: requireText(kind), provider: requireText(provider), model: requireText(model) };
  return { type: "usage", ...source, usage: parsedUsage, ...(note !== undefined && { note: requireText(note) }) };
}

function createCustomMessage({ content, display, details, customType }: ExtensionMessage): NewCustomMessage {
  return {
    type: "custom_message",
    ...checkCustomType(customType),
    content: requireText(content),
    display: display !== false,
    ...parseJsonFields({ details }),
  };
}

function checkCustomType(customType: string): { readonly customType: string } {
  if (requireText(customType).startsWith("pith."))
    throw new Error(`${customType} is reserved for Pith; choose another customType`);
  return { customType };
}

function parseUserContent(content: UserContent): UserContent {
  const isBlock = (block: unknown): boolean => ["text", "image"].includes(Object(block).type);
  if (typeof content === "string") return requireText(content);
  if (!Array.isArray(content) || content.length === 0 || !content.every(isBlock))
    throw new Error("the message must be a non-empty string or a list of text and image blocks");
  return structuredClone(content) as UserContent;
}

function requireText(value: unknown): string {
  if (typeof value !== "string" || value === "") throw new Error("a required string is missing or empty");
  return value;
}

// Throws if a field is not JSON or too large.
function parseJsonFields(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return parseDetails(value) ?? {};
}

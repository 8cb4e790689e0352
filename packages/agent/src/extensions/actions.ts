/** Implements what extensions can do to a session. An action never waits for a run that itself waits for the extension's hook. */

import type { AppendResult, Model, NewEntry } from "@pith/context";
import { parseDetails, parseUsage } from "@pith/context/host";
import type { Agent, UserContent } from "../agent.ts";
import { assertAppended } from "../append-entries.ts";
import type { AgentEvent, RunEnd } from "../events.ts";
import type { ExtensionMessage, ExtensionUsage, SendOptions } from "./api.ts";
import { createExtensionContext, type ExtensionContextOptions } from "./context.ts";
import type { ExtensionActions } from "./extensions.ts";

export interface ExtensionActionOptions extends ExtensionContextOptions {
  /** By `provider/model`; null where it cannot be had. */
  readonly openModel: (name: string) => Promise<Model | null>;
  /** Lets a run that an extension begins take its course; all that it tells is told to whoever listens anyway. */
  readonly drain?: (run: AsyncGenerator<AgentEvent, RunEnd>) => void;
  /** Told what could not be done after nobody waited for it any more. */
  readonly report?: (why: string) => void;
}

export function createExtensionActions(agent: Agent, options: ExtensionActionOptions): ExtensionActions {
  const { openModel, report = () => {} } = options;
  const actionContext: ActionContext = {
    agent,
    drain: (run) => runInBackground(drainRun(run), report),
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
      if (!(await agent.session.store.entry(targetId))) throw new Error(`there is no entry ${targetId}`);
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

/** What the model does not see is written at once, within a run too; while the tree is walked it waits, and nobody for it. */
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

/** While the tree is walked, or a compaction asked for, nothing is written in between. */
async function runWhenIdle({ agent, report }: ActionContext, action: () => Promise<void>): Promise<void> {
  if (agent.isRunning || !agent.isBusy) return action();
  return runInBackground(agent.waitForIdle().then(action), report);
}

/** With what is said next: at rest it is written now, else when all has ended, and nobody waits for it. */
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

async function drainRun(run: AsyncGenerator<AgentEvent, RunEnd>): Promise<void> {
  for await (const _ of run);
}

function createUsageEntry({ kind, provider, model, usage, note }: ExtensionUsage): NewEntry {
  const parsedUsage = parseUsage(usage);
  if (!parsedUsage) throw new Error("its usage has a number that is missing or none");
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
  if (requireText(customType).startsWith("pith.")) throw new Error(`${customType} is Pith's own; choose another type`);
  return { customType };
}

function parseUserContent(content: UserContent): UserContent {
  const isBlock = (block: unknown): boolean => ["text", "image"].includes(Object(block).type);
  if (typeof content === "string") return requireText(content);
  if (!Array.isArray(content) || content.length === 0 || !content.every(isBlock))
    throw new Error("there is nothing to say");
  return structuredClone(content) as UserContent;
}

function requireText(value: unknown): string {
  if (typeof value !== "string" || value === "") throw new Error("a text is missing");
  return value;
}

// As it will be in the log; throws where it is no JSON, or too much.
function parseJsonFields(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return parseDetails(value) ?? {};
}

/** Implements what extensions can do to a session. An action never waits for a run that itself waits for the extension's hook. */

import type { AppendResult, Model, NewEntry } from "@pith/context";
import { parseDetails, parseUsage } from "@pith/context/host";
import type { Agent, Content } from "../agent.ts";
import { written } from "../append.ts";
import type { AgentEvent, RunEnd } from "../events.ts";
import type { ExtensionMessage, PaidBeside, Sending } from "./api.ts";
import { contextOn, type SightParts } from "./context.ts";
import type { ExtensionActs } from "./extensions.ts";

export interface ActParts extends SightParts {
  /** By `provider/model`; null where it cannot be had. */
  readonly openModel: (name: string) => Promise<Model | null>;
  /** Lets a run that an extension begins take its course; all that it tells is told to whoever listens anyway. */
  readonly drain?: (run: AsyncGenerator<AgentEvent, RunEnd>) => void;
  /** Told what could not be done after nobody waited for it any more. */
  readonly report?: (why: string) => void;
}

export function actsOn(agent: Agent, parts: ActParts): ExtensionActs {
  const { openModel, report = () => {} } = parts;
  const acting: Acting = { agent, drain: (run) => unwaited(drained(run), report), report, ...parts };
  return {
    appendEntry: async (customType, data) =>
      beside([{ type: "custom", ...own(customType), ...jsonOf({ data }) }], acting),
    appendUsage: async (paid) => beside([usageOf(paid)], acting),
    sendMessage: async (message, sending) => send(customOf(message), sending ?? {}, acting),
    sendUserMessage: async (content, sending) => say(said(content), sending ?? {}, acting),
    setLabel: async (targetId, label) => {
      if (!(await agent.session.store.entry(targetId))) throw new Error(`there is no entry ${targetId}`);
      await beside([{ type: "label", targetId, ...(label !== undefined && { label: text(label) }) }], acting);
    },
    setSessionName: async (name) => beside([{ type: "session_info", name: text(name) }], acting),
    openModel: async (name) => openModel(text(name)),
    context: () => contextOn(agent, parts),
  };
}

type Acting = Required<Pick<ActParts, "drain" | "report">> & { readonly agent: Agent };

/** What the model does not see is written at once, within a run too; while the tree is walked it waits, and nobody for it. */
async function beside(drafts: readonly NewEntry[], { agent, report }: Acting): Promise<void> {
  if (agent.isRunning) return written(await agent.session.append(...drafts));
  const isWalked = agent.isBusy;
  const outcome = agent.annotate((session) => session.append(...drafts));
  if (isWalked) return unwaited(outcome, report);
  written(await outcome);
}

type CustomDraft = Extract<NewEntry, { type: "custom_message" }> & { readonly content: string };

async function send(draft: CustomDraft, { deliverAs, triggerTurn }: Sending, acting: Acting): Promise<void> {
  const { agent, drain } = acting;
  const isNow = deliverAs !== "nextTurn" && (agent.isRunning || triggerTurn === true);
  if (!isNow) return later([draft], acting);
  const { type: _, content, ...custom } = draft;
  return undisturbing(acting, async () => {
    await agent.say({ kind: deliverAs === "followUp" ? "followUp" : "steer", content, custom });
    if (triggerTurn && !agent.isRunning) drain(agent.resume());
  });
}

async function say(content: Content, { deliverAs }: Pick<Sending, "deliverAs">, acting: Acting): Promise<void> {
  const { agent, drain } = acting;
  if (!agent.isRunning)
    return undisturbing(acting, async () => {
      if (deliverAs === "nextTurn" || agent.isRunning) return agent.followUp(content);
      drain(agent.prompt(content));
    });
  if (deliverAs === "nextTurn")
    return unwaited(
      agent.rest().then(() => agent.followUp(content)),
      acting.report,
    );
  return deliverAs === "followUp" ? agent.followUp(content) : agent.steer(content);
}

/** While the tree is walked, or a compaction asked for, nothing is written in between. */
async function undisturbing({ agent, report }: Acting, act: () => Promise<void>): Promise<void> {
  if (agent.isRunning || !agent.isBusy) return act();
  return unwaited(agent.rest().then(act), report);
}

/** With what is said next: at rest it is written now, else when all has ended, and nobody waits for it. */
async function later(drafts: readonly NewEntry[], { agent, report }: Acting): Promise<void> {
  const isResting = !agent.isBusy && !agent.isRunning;
  const outcome = agent.annotate((session) => session.append(...drafts), { isSeen: true, isAfterwards: true });
  if (!isResting) return unwaited(outcome, report);
  written(await outcome);
}

function unwaited(outcome: Promise<unknown>, report: (why: string) => void): void {
  const kept = outcome.then((appended) => appended && written(appended as AppendResult));
  void kept.catch((error: unknown) => report(error instanceof Error ? error.message : String(error)));
}

async function drained(run: AsyncGenerator<AgentEvent, RunEnd>): Promise<void> {
  for await (const _ of run);
}

function usageOf({ kind, provider, model, usage, note }: PaidBeside): NewEntry {
  const spent = parseUsage(usage);
  if (!spent) throw new Error("its usage has a number that is missing or none");
  const whose = { kind: text(kind), provider: text(provider), model: text(model) };
  return { type: "usage", ...whose, usage: spent, ...(note !== undefined && { note: text(note) }) };
}

function customOf({ content, display, details, customType }: ExtensionMessage): CustomDraft {
  return {
    type: "custom_message",
    ...own(customType),
    content: text(content),
    display: display !== false,
    ...jsonOf({ details }),
  };
}

function own(customType: string): { readonly customType: string } {
  if (text(customType).startsWith("pith.")) throw new Error(`${customType} is Pith's own; choose another type`);
  return { customType };
}

function said(content: Content): Content {
  const isBlock = (block: unknown): boolean => ["text", "image"].includes(Object(block).type);
  if (typeof content === "string") return text(content);
  if (!Array.isArray(content) || content.length === 0 || !content.every(isBlock))
    throw new Error("there is nothing to say");
  return structuredClone(content) as Content;
}

function text(value: unknown): string {
  if (typeof value !== "string" || value === "") throw new Error("a text is missing");
  return value;
}

// As it will be in the log; throws where it is no JSON, or too much.
function jsonOf(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return parseDetails(value) ?? {};
}

/** Delivers events to extension handlers, each with its own copy, and validates their results. */

import type { Runtime } from "@pith/context";
import { createPausableSleep, type Hook, type HookHost, runGuarded, timeouts } from "@pith/context/host";
import type { AgentHooks } from "../agent-options.ts";
import type { HostEventName } from "./api.ts";
import type {
  CancelResult,
  EventOf,
  ExtensionEventName,
  ProjectTrustResult,
  ResourcesDiscoverResult,
  ResultOf,
  UserBashResult,
} from "./events.ts";

export interface EventHandler {
  readonly event: ExtensionEventName;
  /** The name of the extension that registered it. */
  readonly extension: string;
  readonly handle: (event: { readonly type: string }) => unknown;
}

/** Turns a handler into a hook of the agent. */
export function toHook<Event extends { readonly type: string }, Result>({
  handle,
  extension,
}: EventHandler): Hook<Event, Result> {
  const hook = (event: Event): Promise<Result> => handle(copyEvent(event)) as Promise<Result>;
  return Object.assign(hook, { from: extension });
}

/** Signals and methods cannot be copied. The messages of a context are already copies, and they are compared by identity. */
function copyEvent<Event extends { readonly type: string }>(event: Event): Event {
  if (event.type === "context" || event.type === "context_with_system") return event;
  const fields = Object.entries<unknown>(event).map(([key, value]) => [
    key,
    value instanceof AbortSignal || typeof value === "function" ? value : structuredClone(value),
  ]);
  return Object.fromEntries(fields) as Event;
}

/** The events that the agent sends as hooks, and waits for. */
type HookEventName = Extract<keyof AgentHooks, ExtensionEventName>;

const hookEventNames: Readonly<Record<HookEventName, true>> = {
  session_before_compact: true,
  session_compact: true,
  session_compact_failed: true,
  session_before_tree: true,
  session_tree: true,
  input: true,
  before_agent_start: true,
  agent_before_settle: true,
  turn_end: true,
  message_end: true,
  tool_call: true,
  tool_result: true,
  context: true,
  context_with_system: true,
  before_provider_request: true,
  after_provider_response: true,
  provider_stream_event: true,
};

/** Lists handlers in the order of registration. An event without handlers is absent, so that the agent prepares nothing for it. */
export function createHooks(handlers: readonly EventHandler[], host: HookHost): AgentHooks {
  const hookHandlers = handlers.filter(({ event }) => Object.hasOwn(hookEventNames, event));
  const handlersByEvent = Object.groupBy(hookHandlers, ({ event }) => event);
  const hookEntries = Object.entries(handlersByEvent).map(([event, eventHandlers]) => [
    event,
    eventHandlers.map(toHook),
  ]);
  return { ...(Object.fromEntries(hookEntries) as AgentHooks), ...host };
}

type ParseAnswer<Name extends HostEventName> = (result: unknown) => ResultOf<Name> | null;

const ignoreAnswer = (): null => null;

/** Validates the results of host events: null if a handler returned nothing; throws if the result is invalid. */
export const hostAnswerParsers: { readonly [Name in HostEventName]: ParseAnswer<Name> } = {
  project_trust: parseTrust,
  resources_discover: parseResources,
  session_start: ignoreAnswer,
  session_before_switch: parseCancel,
  session_before_fork: parseCancel,
  session_shutdown: ignoreAnswer,
  model_select: ignoreAnswer,
  thinking_level_select: ignoreAnswer,
  user_bash: parseBashResult,
  ui_prompt_start: ignoreAnswer,
  ui_prompt_end: ignoreAnswer,
};

/** Whether no further handler is called after this result. */
export function isFinalAnswer({ type }: Pick<EventOf<HostEventName>, "type">, answer: object): boolean {
  if (type === "user_bash") return "result" in answer;
  return "cancel" in answer && answer.cancel === true;
}

function parseCancel(result: unknown): CancelResult | null {
  const { cancel } = parseFields(result);
  return isAbsent(cancel) ? null : { cancel: parseBoolean(cancel, "cancel") };
}

function parseTrust(result: unknown): ProjectTrustResult | null {
  const { trusted } = parseFields(result);
  return isAbsent(trusted) ? null : { trusted: parseBoolean(trusted, "trusted") };
}

function parseResources(result: unknown): ResourcesDiscoverResult | null {
  const { skillPaths, promptPaths } = parseFields(result);
  if (isAbsent(skillPaths) && isAbsent(promptPaths)) return null;
  return {
    ...(!isAbsent(skillPaths) && { skillPaths: parsePaths(skillPaths, "skillPaths") }),
    ...(!isAbsent(promptPaths) && { promptPaths: parsePaths(promptPaths, "promptPaths") }),
  };
}

function parseBashResult(answer: unknown): UserBashResult | null {
  const { result } = parseFields(answer);
  if (isAbsent(result)) return null;
  const { output, exitCode } = parseFields(result);
  if (typeof output !== "string") throw new Error("result.output must be a string");
  if (exitCode !== null && !Number.isInteger(exitCode)) throw new Error("result.exitCode must be an integer or null");
  return { result: { output, exitCode: exitCode as number | null } };
}

function parseFields(result: unknown): Readonly<Record<string, unknown>> {
  if (isAbsent(result)) return {};
  if (typeof result !== "object" || Array.isArray(result)) throw new Error("the result must be an object");
  return result as Readonly<Record<string, unknown>>;
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

function parseBoolean(value: unknown, name: string): boolean {
  if (typeof value !== "boolean") throw new Error(`${name} must be true or false`);
  return value;
}

function parsePaths(value: unknown, name: string): readonly string[] {
  const isPath = (each: unknown): boolean => typeof each === "string" && /^([/\\]|[A-Za-z]:[/\\])/.test(each);
  if (!Array.isArray(value) || ![...value].every(isPath)) throw new Error(`${name} must be a list of absolute paths`);
  return [...value];
}

interface EventQueueOptions {
  readonly handlers: readonly EventHandler[];
  readonly host: HookHost;
  readonly runtime: Pick<Runtime, "sleep">;
}

type ExtensionEvent = { readonly type: string };

/** Delivers events to one extension in order, in the background. If the queue is full, events are dropped. */
export class EventQueue {
  readonly #options: EventQueueOptions;
  readonly #events: ExtensionEvent[] = [];
  #delivery: Promise<void> | null = null;
  #hasDropped = false;
  readonly #closeController = new AbortController();

  constructor(options: EventQueueOptions) {
    this.#options = options;
  }

  /** Drops all queued events and stops waiting for the current handler. */
  close(): void {
    this.#events.length = 0;
    this.#closeController.abort();
  }

  push(event: ExtensionEvent): void {
    if (this.#closeController.signal.aborted) return;
    if (!this.#options.handlers.some((handler) => handler.event === event.type)) return;
    if (this.#events.length >= MAX_QUEUED_EVENTS) this.#drop(event);
    this.#events.push(event);
    this.#delivery ??= this.#deliverAll().finally(() => {
      this.#delivery = null;
    });
  }

  /** Resolves when all queued events are delivered. */
  async drain(): Promise<void> {
    await this.#delivery;
  }

  async #deliverAll(): Promise<void> {
    // The caller of `push` continues first.
    await Promise.resolve();
    for (let event = this.#events.shift(); event; event = this.#events.shift()) await this.#deliver(event);
  }

  async #deliver(event: ExtensionEvent): Promise<void> {
    const { handlers, host, runtime } = this.#options;
    const timeout = { ms: timeouts.hook, sleep: createPausableSleep(host, runtime) };
    for (const { handle, event: name } of handlers) {
      if (name !== event.type) continue;
      const result = await runGuarded(async () => handle(copyEvent(event)), {
        signal: this.#closeController.signal,
        timeout,
      });
      if (result.type === "failed") host.report?.({ event: name, why: result.why });
      if (result.type === "late") host.report?.({ event: name, why: `no answer within ${timeouts.hook / 1000} s` });
    }
  }

  // Partial updates are dropped first: a later update or the complete message has the same content.
  #drop({ type }: ExtensionEvent): void {
    const partialIndex = this.#events.findIndex((event) => PARTIAL_EVENTS.has(event.type));
    this.#events.splice(Math.max(0, partialIndex), 1);
    if (this.#hasDropped) return;
    this.#hasDropped = true;
    this.#options.host.report?.({
      event: type,
      why: `more than ${MAX_QUEUED_EVENTS} events are queued for this extension; some were dropped`,
    });
  }
}

const MAX_QUEUED_EVENTS = 1_000;
const PARTIAL_EVENTS: ReadonlySet<string> = new Set(["message_update", "tool_execution_update"]);

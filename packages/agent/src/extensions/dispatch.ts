/** Delivers events to extension handlers, each with its own copy, and reads their answers. */

import type { Runtime } from "@pith/context";
import { createPausableSleep, type Hook, type HookHost, runGuarded, timeouts } from "@pith/context/host";
import type { AgentHooks } from "../agent-options.ts";
import type {
  CancelResult,
  EventOf,
  ExtensionEventName,
  ProjectTrustResult,
  ResourcesDiscoverResult,
  ResultOf,
  UserBashResult,
} from "./events.ts";
import type { HostAsked } from "./extensions.ts";

export interface Handling {
  readonly event: ExtensionEventName;
  /** Whose it is. */
  readonly from: string;
  readonly call: (event: { readonly type: string }) => unknown;
}

/** As those who ask hooks want it. */
export function hookOf<Event extends { readonly type: string }, Result>({ call, from }: Handling): Hook<Event, Result> {
  const hook = (event: Event): Promise<Result> => call(copied(event)) as Promise<Result>;
  return Object.assign(hook, { from });
}

/** Signals and methods are passed on as they are, and so are messages of a context: they are copies already, told apart by identity. */
export function copied<Event extends { readonly type: string }>(event: Event): Event {
  if (event.type === "context" || event.type === "context_with_system") return event;
  const copies = Object.entries<unknown>(event).map(([key, value]) => [
    key,
    value instanceof AbortSignal || typeof value === "function" ? value : structuredClone(value),
  ]);
  return Object.fromEntries(copies) as Event;
}

/** What an agent asks by itself. */
export type Hooked = Extract<keyof AgentHooks, ExtensionEventName>;

/** What is told to whoever listens, and waited for by nobody. */
export type Told = Exclude<ExtensionEventName, Hooked | HostAsked>;

const hooked: Readonly<Record<Hooked, true>> = {
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

/** In the order of registration. Those that nobody listens to are absent, so that nothing is made ready for them. */
export function hooksOf(handlings: readonly Handling[], host: HookHost): AgentHooks {
  const asked = handlings.filter(({ event }) => Object.hasOwn(hooked, event));
  const hooks = Object.groupBy(asked, ({ event }) => event);
  const named = Object.entries(hooks).map(([event, each]) => [event, each.map(hookOf)]);
  return { ...(Object.fromEntries(named) as AgentHooks), ...host };
}

type Read<Name extends HostAsked> = (result: unknown) => ResultOf<Name> | null;

const unread = (): null => null;

/** Reads the answers to the host's own questions: null where nothing was answered; throws where it is nonsense. */
export const hostAnswers: { readonly [Name in HostAsked]: Read<Name> } = {
  project_trust: trustIn,
  resources_discover: resourcesIn,
  session_start: unread,
  session_before_switch: cancelIn,
  session_before_fork: cancelIn,
  session_shutdown: unread,
  model_select: unread,
  thinking_level_select: unread,
  user_bash: bashIn,
  ui_prompt_start: unread,
  ui_prompt_end: unread,
};

/** After such an answer nobody else is asked: it is decided. */
export function isFinal({ type }: Pick<EventOf<HostAsked>, "type">, answer: object): boolean {
  if (type === "user_bash") return "result" in answer;
  return "cancel" in answer && answer.cancel === true;
}

function cancelIn(result: unknown): CancelResult | null {
  const { cancel } = fieldsIn(result);
  return isAbsent(cancel) ? null : { cancel: truthIn(cancel, "cancel") };
}

function trustIn(result: unknown): ProjectTrustResult | null {
  const { trusted } = fieldsIn(result);
  return isAbsent(trusted) ? null : { trusted: truthIn(trusted, "trusted") };
}

function resourcesIn(result: unknown): ResourcesDiscoverResult | null {
  const { skillPaths, promptPaths } = fieldsIn(result);
  if (isAbsent(skillPaths) && isAbsent(promptPaths)) return null;
  return {
    ...(!isAbsent(skillPaths) && { skillPaths: pathsIn(skillPaths, "skillPaths") }),
    ...(!isAbsent(promptPaths) && { promptPaths: pathsIn(promptPaths, "promptPaths") }),
  };
}

function bashIn(answer: unknown): UserBashResult | null {
  const { result } = fieldsIn(answer);
  if (isAbsent(result)) return null;
  const { output, exitCode } = fieldsIn(result);
  if (typeof output !== "string") throw new Error("its result has no output, which must be text");
  if (exitCode !== null && !Number.isInteger(exitCode))
    throw new Error("its result has no exitCode, which must be a number or null");
  return { result: { output, exitCode: exitCode as number | null } };
}

function fieldsIn(result: unknown): Readonly<Record<string, unknown>> {
  if (isAbsent(result)) return {};
  if (typeof result !== "object" || Array.isArray(result)) throw new Error("its answer is no object");
  return result as Readonly<Record<string, unknown>>;
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

function truthIn(value: unknown, name: string): boolean {
  if (typeof value !== "boolean") throw new Error(`its ${name} is neither true nor false`);
  return value;
}

function pathsIn(value: unknown, name: string): readonly string[] {
  const isPath = (each: unknown): boolean => typeof each === "string" && /^([/\\]|[A-Za-z]:[/\\])/.test(each);
  if (!Array.isArray(value) || ![...value].every(isPath)) throw new Error(`its ${name} are no list of absolute paths`);
  return [...value];
}

export interface ToldParts {
  readonly handlings: readonly Handling[];
  readonly host: HookHost;
  readonly ports: Pick<Runtime, "sleep">;
}

type Event = { readonly type: string };

/** Delivers events to one extension in order; nothing waits for it, and what is more than it can hold is dropped. */
export class ToldQueue {
  readonly #parts: ToldParts;
  readonly #waiting: Event[] = [];
  #ended: Promise<void> | null = null;
  #hasDropped = false;
  readonly #over = new AbortController();

  constructor(parts: ToldParts) {
    this.#parts = parts;
  }

  /** Nothing more is told, and nobody waited for. */
  close(): void {
    this.#waiting.length = 0;
    this.#over.abort();
  }

  put(event: Event): void {
    if (this.#over.signal.aborted) return;
    if (!this.#parts.handlings.some((handling) => handling.event === event.type)) return;
    if (this.#waiting.length >= MOST_WAITING) this.#drop(event);
    this.#waiting.push(event);
    this.#ended ??= this.#tellAll().finally(() => {
      this.#ended = null;
    });
  }

  /** Over when all that waits by now was told. */
  async settled(): Promise<void> {
    await this.#ended;
  }

  async #tellAll(): Promise<void> {
    // Whoever tells goes on first.
    await Promise.resolve();
    for (let event = this.#waiting.shift(); event; event = this.#waiting.shift()) await this.#tell(event);
  }

  async #tell(event: Event): Promise<void> {
    const { handlings, host, ports } = this.#parts;
    const within = { ms: timeouts.hook, sleep: createPausableSleep(host, ports) };
    for (const { call, event: name } of handlings) {
      if (name !== event.type) continue;
      const act = await runGuarded(async () => call(copied(event)), { signal: this.#over.signal, timeout: within });
      if (act.type === "failed") host.report?.({ event: name, why: act.why });
      if (act.type === "late") host.report?.({ event: name, why: `no answer within ${timeouts.hook / 1000} s` });
    }
  }

  // What comes in pieces is lost first: a later piece, or the whole, says as much.
  #drop({ type }: Event): void {
    const piece = this.#waiting.findIndex((event) => PIECES.has(event.type));
    this.#waiting.splice(Math.max(0, piece), 1);
    if (this.#hasDropped) return;
    this.#hasDropped = true;
    this.#parts.host.report?.({ event: type, why: `more than ${MOST_WAITING} events wait for it; some are left out` });
  }
}

const MOST_WAITING = 1_000;
const PIECES: ReadonlySet<string> = new Set(["message_update", "tool_execution_update"]);

/** Runs the hooks around a provider request. Hooks can neither set nor read keys, and cannot set transport headers. */

import type { ModelName, TransportOptions } from "@pith/context";
import {
  continueOnFailure,
  createPausableSleep,
  type Hook,
  reportHookFailure,
  runGuarded,
  runHooks,
  timeouts,
} from "@pith/context/host";
import type { AfterProviderResponseEvent, HookContext, ProviderHooks, ProviderStreamEvent } from "./hooks.ts";

export interface ProviderRequestHooks {
  readonly transportOptions: TransportOptions;
  /** Resolves when all events are delivered, or after the timeout. */
  readonly drain: () => Promise<void>;
}

type RequestHookContext = HookContext<ProviderHooks> & { readonly model: ModelName };

/** Runs the hooks before a request, and prepares those of its response. Null if no hook is registered. */
export async function runRequestHooks(run: RequestHookContext): Promise<ProviderRequestHooks | "cancelled" | null> {
  const { hooks, session, runtime, signal } = run;
  const { before_provider_request: requestHooks = [], after_provider_response: responseHooks = [] } = hooks;
  const { provider_stream_event: streamHooks = [] } = hooks;
  if (requestHooks.length + responseHooks.length + streamHooks.length === 0) return null;
  const { api, provider, model: name } = run.model;
  const model: ModelName = { api, provider, model: name };
  const { answers, isCancelled } = await runHooks(
    requestHooks,
    () => ({ type: "before_provider_request" as const, model: { ...model } }),
    { host: hooks, runtime, signal, read: parseHeaders },
  );
  if (isCancelled) return "cancelled";
  const queue = new ProviderEventQueue(run);
  const transportOptions: TransportOptions = {
    ...(answers.length > 0 && { headers: Object.assign({}, ...answers) as Readonly<Record<string, string>> }),
    ...(responseHooks.length > 0 && {
      onResponse: (headers: Readonly<Record<string, string>>) =>
        queue.push({ type: "after_provider_response", model, headers: session.redact(redactHeaders(headers)) }),
    }),
    ...(streamHooks.length > 0 && {
      onChunk: (event: unknown) =>
        queue.push({ type: "provider_stream_event", model, event: session.redact(toPlainJson(event)) }),
    }),
  };
  return { transportOptions, drain: () => queue.drain() };
}

type ProviderEvent = AfterProviderResponseEvent | ProviderStreamEvent;

/** Delivers response events to hooks in order, while the reply streams. The reply waits for them only at its end. */
class ProviderEventQueue {
  readonly #run: HookContext<ProviderHooks>;
  readonly #failedHooks = new Set<unknown>();
  #lastDelivery: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(run: HookContext<ProviderHooks>) {
    this.#run = run;
  }

  push(event: ProviderEvent): void {
    this.#lastDelivery = this.#lastDelivery.then(() => this.#deliver(event));
  }

  /** One timeout covers all events: a timeout per event could add up to hours. */
  async drain(): Promise<void> {
    const { hooks, runtime, signal } = this.#run;
    const timeout = { ms: timeouts.hook, sleep: createPausableSleep(hooks, runtime) };
    const { type } = await runGuarded(() => this.#lastDelivery, { signal, timeout });
    if (type !== "late") return;
    this.#isClosed = true;
    reportHookFailure(hooks, {
      event: "provider_stream_event",
      why: "the hook is too slow, so it gets no more events for this reply",
    });
  }

  async #deliver(event: ProviderEvent): Promise<void> {
    const { hooks, runtime, signal } = this.#run;
    const hookOptions = { host: continueOnFailure(hooks), runtime, signal, read: () => null };
    for (const hook of (hooks[event.type] ?? []) as readonly Hook<ProviderEvent>[]) {
      if (this.#isClosed || this.#failedHooks.has(hook)) continue;
      const { failures } = await runHooks([hook], () => structuredClone(event), hookOptions);
      // A hook that failed gets no more events of this reply.
      if (failures.length > 0) this.#failedHooks.add(hook);
    }
  }
}

function toPlainJson(chunk: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(chunk) ?? "null");
  } catch {
    // The chunk is not JSON, e.g. it is circular.
    return String(chunk);
  }
}

type HeaderMap = Readonly<Record<string, string>>;

/** Reads the headers that a hook returned; null if there are none. Throws on a header that hooks must not set. */
export function parseHeaders(result: unknown): HeaderMap | null {
  const { headers } = Object(result) as { readonly headers?: unknown };
  if (headers === undefined || headers === null) return null;
  if (typeof headers !== "object" || Array.isArray(headers)) throw new Error("headers must be an object");
  const headerEntries = Object.entries(headers);
  if (headerEntries.length > MAX_HEADERS) throw new Error(`more than ${MAX_HEADERS} headers`);
  return Object.fromEntries(
    headerEntries.map(([name, value]) => [parseHeaderName(name), parseHeaderValue(name, value)]),
  );
}

const MAX_HEADERS = 50;
const MAX_HEADER_CHARS = 8_000;

function parseHeaderName(name: string): string {
  const lowerName = name.toLowerCase();
  if (!HEADER_NAME.test(lowerName) || lowerName.length > MAX_HEADER_CHARS)
    throw new Error(`${JSON.stringify(name.slice(0, 80))} is not a valid header name`);
  if (TRANSPORT_HEADER.test(lowerName) || SECRET_HEADER.test(lowerName))
    throw new Error(`the header ${lowerName} must not be set by a hook`);
  return lowerName;
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

const TRANSPORT_HEADER =
  /^(host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|accept-encoding|content-.*|proxy-.*)$/;

function parseHeaderValue(name: string, value: unknown): string {
  if (typeof value !== "string" || value.length > MAX_HEADER_CHARS || !HEADER_VALUE.test(value))
    throw new Error(`the header ${name} must be a single line of Latin-1 text`);
  return value;
}

/** Latin-1 without line ends, as HTTP allows. */
const HEADER_VALUE = /^[\t\x20-\x7e\xa0-\xff]*$/;

/** Replaces the values of headers that may hold secrets. */
export function redactHeaders(headers: HeaderMap): HeaderMap {
  const headerEntries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)] as const);
  return Object.fromEntries(headerEntries.map(([name, value]) => [name, SECRET_HEADER.test(name) ? "…" : value]));
}

/** Headers with secrets: hooks can neither set nor read them. */
const SECRET_HEADER = /authorization|api-?key|cookie|token$|secret/;

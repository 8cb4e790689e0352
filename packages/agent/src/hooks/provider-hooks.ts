/** Runs the hooks around a provider request. Hooks can neither set nor read keys, and cannot set transport headers. */

import type { ModelName, TransportOptions } from "@pith/context";
import {
  continueOnFailure,
  createPausableSleep,
  reportHookFailure,
  runGuarded,
  runHooks,
  timeouts,
} from "@pith/context/host";
import type { RunParts } from "../loop/run-context.ts";
import type { AfterProviderResponseEvent, ProviderHooks, ProviderStreamEvent } from "./hooks.ts";

type Headers = Readonly<Record<string, string>>;

/** Throws where one of them is not theirs to say. Null where there are none. */
export function headersIn(result: unknown): Headers | null {
  const { headers } = Object(result) as { readonly headers?: unknown };
  if (headers === undefined || headers === null) return null;
  if (typeof headers !== "object" || Array.isArray(headers)) throw new Error("its headers are no object");
  const all = Object.entries(headers);
  if (all.length > MOST_HEADERS) throw new Error(`it has more than ${MOST_HEADERS} headers`);
  return Object.fromEntries(all.map(([name, value]) => [nameIn(name), valueIn(name, value)]));
}

const MOST_HEADERS = 50;
const LONGEST = 8_000;

function nameIn(name: string): string {
  const lower = name.toLowerCase();
  if (!TOKEN.test(lower) || lower.length > LONGEST)
    throw new Error(`${JSON.stringify(name.slice(0, 80))} is no name of a header`);
  if (OURS.test(lower) || SECRET.test(lower)) throw new Error(`the header ${lower} is not for hooks to say`);
  return lower;
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

const OURS =
  /^(host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|accept-encoding|content-.*|proxy-.*)$/;

function valueIn(name: string, value: unknown): string {
  if (typeof value !== "string" || value.length > LONGEST || !PRINTED.test(value))
    throw new Error(`the header ${name} has a value that is no line of text`);
  return value;
}

/** What a header can hold: no line ends, and nothing beyond the letters of the wire. */
const PRINTED = /^[\t\x20-\x7e\xa0-\xff]*$/;

/** Without what opens doors. */
export function shownHeaders(headers: Headers): Headers {
  const all = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)] as const);
  return Object.fromEntries(all.map(([name, value]) => [name, SECRET.test(name) ? "…" : value]));
}

/** Names of what opens doors: neither said by hooks nor shown to them. */
const SECRET = /authorization|api-?key|cookie|token$|secret/;

export interface HookedLine {
  readonly line: TransportOptions;
  /** All that came was told, or it took too long. */
  readonly told: () => Promise<void>;
}

/** Null where nobody has a say. */
export async function hookedLine(parts: RunParts): Promise<HookedLine | "cancelled" | null> {
  const { hooks, session, ports, signal } = parts;
  const { before_provider_request: before = [], after_provider_response: after = [] } = hooks;
  const { provider_stream_event: pieces = [] } = hooks;
  if (before.length + after.length + pieces.length === 0) return null;
  const model = nameOf(parts);
  const { answers, isCancelled } = await runHooks(
    before,
    () => ({ type: "before_provider_request" as const, model: { ...model } }),
    { host: hooks, runtime: ports, signal, read: headersIn },
  );
  if (isCancelled) return "cancelled";
  const telling = new Telling(parts);
  const line: TransportOptions = {
    ...(answers.length > 0 && { headers: Object.assign({}, ...answers) as Readonly<Record<string, string>> }),
    ...(after.length > 0 && {
      onResponse: (headers: Readonly<Record<string, string>>) =>
        telling.tell({ type: "after_provider_response", model, headers: session.redact(shownHeaders(headers)) }),
    }),
    ...(pieces.length > 0 && {
      onChunk: (event: unknown) =>
        telling.tell({ type: "provider_stream_event", model, event: session.redact(plain(event)) }),
    }),
  };
  return { line, told: () => telling.told() };
}

function nameOf({ model: { api, provider, model } }: RunParts): ModelName {
  return { api, provider, model };
}

type Told = AfterProviderResponseEvent | ProviderStreamEvent;

/** One after the other, beside the reply: it does not wait for them, but for its end. */
class Telling {
  readonly #parts: Pick<RunParts, "hooks" | "ports" | "signal">;
  readonly #failed = new Set<unknown>();
  #last: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(parts: Pick<RunParts, "hooks" | "ports" | "signal">) {
    this.#parts = parts;
  }

  tell(event: Told): void {
    this.#last = this.#last.then(() => this.#ask(event));
  }

  /** Not longer than for one that hangs: a thousand pieces would be a thousand times as long. */
  async told(): Promise<void> {
    const { hooks, ports, signal } = this.#parts;
    const within = { ms: timeouts.hook, sleep: createPausableSleep(hooks, ports) };
    const { type } = await runGuarded(() => this.#last, { signal, timeout: within });
    if (type !== "late") return;
    this.#isOver = true;
    reportHookFailure(hooks, { event: "provider_stream_event", why: "it is too slow: the rest is not told" });
  }

  async #ask(event: Told): Promise<void> {
    const { hooks, ports, signal } = this.#parts;
    const asking = { host: continueOnFailure(hooks), runtime: ports, signal, read: () => null };
    for (const hook of listeners(hooks, event.type)) {
      if (this.#isOver || this.#failed.has(hook)) continue;
      const { failures } = await runHooks([hook], () => structuredClone(event), asking);
      // One that fails once is not asked with every piece.
      if (failures.length > 0) this.#failed.add(hook);
    }
  }
}

function listeners(hooks: ProviderHooks, type: Told["type"]): readonly ((event: Told) => unknown)[] {
  return (hooks[type] ?? []) as readonly ((event: Told) => unknown)[];
}

function plain(piece: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(piece) ?? "null");
  } catch {
    // Whatever it is, it has no JSON.
    return String(piece);
  }
}

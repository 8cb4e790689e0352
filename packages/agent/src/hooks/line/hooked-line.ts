/** The line to a provider as hooks have a say in it: more headers for a request, and a look at what comes back. */

import {
  afterwards,
  answersOf,
  attempted,
  type ModelName,
  type ProviderLine,
  patience,
  reportTo,
  unhurried,
} from "@pith/context";
import type { RunParts } from "../../loop/run-parts.ts";
import type { AfterProviderResponseEvent, ProviderHooks, ProviderStreamEvent } from "../provider-hooks.ts";
import { headersIn, shownHeaders } from "./headers.ts";

export interface HookedLine {
  readonly line: ProviderLine;
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
  const { answers, isCancelled } = await answersOf(
    before,
    () => ({ type: "before_provider_request" as const, model: { ...model } }),
    { host: hooks, ports, signal, read: headersIn },
  );
  if (isCancelled) return "cancelled";
  const telling = new Telling(parts);
  const line: ProviderLine = {
    ...(answers.length > 0 && { headers: Object.assign({}, ...answers) as Readonly<Record<string, string>> }),
    ...(after.length > 0 && {
      answered: (headers: Readonly<Record<string, string>>) =>
        telling.tell({ type: "after_provider_response", model, headers: session.redacted(shownHeaders(headers)) }),
    }),
    ...(pieces.length > 0 && {
      piece: (event: unknown) =>
        telling.tell({ type: "provider_stream_event", model, event: session.redacted(plain(event)) }),
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
    const within = { ms: patience.hook, sleep: unhurried(hooks, ports) };
    const { type } = await attempted(() => this.#last, { signal, within });
    if (type !== "late") return;
    this.#isOver = true;
    reportTo(hooks, { event: "provider_stream_event", why: "it is too slow: the rest is not told" });
  }

  async #ask(event: Told): Promise<void> {
    const { hooks, ports, signal } = this.#parts;
    const asking = { host: afterwards(hooks), ports, signal, read: () => null };
    for (const hook of listeners(hooks, event.type)) {
      if (this.#isOver || this.#failed.has(hook)) continue;
      const { failures } = await answersOf([hook], () => structuredClone(event), asking);
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

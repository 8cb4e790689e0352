/** One handler of one extension, ready to be called: with a copy of the event, so that none changes what others see. */

import type { Hook } from "@pith/context";
import type { ExtensionEventName } from "../extension-events.ts";

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

/** A signal is passed on as it is, and so are messages of a context: they are copies already, told apart by identity. */
export function copied<Event extends { readonly type: string }>(event: Event): Event {
  if (event.type === "context" || event.type === "context_with_system") return event;
  const copies = Object.entries<unknown>(event).map(([key, value]) => [
    key,
    value instanceof AbortSignal ? value : structuredClone(value),
  ]);
  return Object.fromEntries(copies) as Event;
}

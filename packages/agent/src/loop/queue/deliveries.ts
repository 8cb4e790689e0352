/** How much of what waits is said at once: all of a kind, or one of it. */

import type { Queued, Session } from "@pith/context";

export type Delivery = "all" | "one-at-a-time";

export type Deliveries = Readonly<Record<Queued["kind"], Delivery>>;

/** Unless somebody wants it otherwise. */
export const usualDeliveries: Deliveries = { steer: "all", followUp: "one-at-a-time" };

export interface DeliveryParts {
  readonly session: Session;
  readonly deliveries: Deliveries;
}

/** Which of those that wait are said now. */
export function saidNow(kind: Queued["kind"], { session, deliveries }: DeliveryParts): (queued: Queued) => boolean {
  if (deliveries[kind] === "all") return (queued) => queued.kind === kind;
  const next = session.window.state.queue.find((queued) => queued.kind === kind)?.id;
  return ({ id }) => id === next;
}

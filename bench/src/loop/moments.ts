/** When requests reach a server of this process and when their replies have left it: Node tells, the server need not know. */

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";

export interface Moments {
  readonly arrived: readonly number[];
  readonly replied: readonly number[];
  stop(): void;
}

export function watchMoments(): Moments {
  const arrived: number[] = [];
  const replied: number[] = [];
  const arrive = (message: unknown): void => {
    arrived.push(performance.now());
    admit((message as { readonly request: IncomingMessage }).request);
  };
  const reply = (): void => void replied.push(performance.now());
  subscribe(ARRIVAL, arrive);
  subscribe(REPLY, reply);
  const stop = (): void => {
    unsubscribe(ARRIVAL, arrive);
    unsubscribe(REPLY, reply);
  };
  return { arrived, replied, stop };
}

const ARRIVAL = "http.server.request.start";
const REPLY = "http.server.response.finish";

/** The yardstick brings no key, and the server is as strict as a provider. */
function admit({ headers }: IncomingMessage): void {
  headers["x-api-key"] ??= "none";
  headers["anthropic-version"] ??= "2023-06-01";
}

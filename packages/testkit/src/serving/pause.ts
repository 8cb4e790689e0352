/** A wait that ends early when nobody waits any more: the client has left, or the server closes. */

import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

export async function pause(response: ServerResponse, milliseconds: number): Promise<void> {
  if (response.destroyed) return;
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  response.once("close", leave);
  // The only way to fail is to be ended early, which is what was wanted.
  await sleep(milliseconds, undefined, { signal: leaving.signal }).catch(() => {});
  response.off("close", leave);
}

/** Opens a page within its limits of time and size; whatever goes wrong on the way is a value. */

import type { WebAct, WebOpened } from "../../tools/fetch/web.ts";
import { ask } from "./ask.ts";
import { failureOf } from "./failure.ts";
import { type Resolve, systemResolve } from "./routing/route.ts";
import { visit } from "./visit.ts";

export interface NodeWebParts {
  /** Hosts of the user that may be anywhere, as `host:port`; a page from elsewhere cannot redirect to them. */
  readonly allowedHosts?: readonly string[];
  /** All addresses of a name; by the system unless said. */
  readonly resolve?: Resolve;
  /** Milliseconds until a connection stands; 10 seconds unless said. */
  readonly connectMs?: number;
  /** Milliseconds for everything, redirects and body too; 30 seconds unless said. */
  readonly wholeMs?: number;
}

export async function openPage(url: string, act: WebAct, parts: NodeWebParts): Promise<WebOpened> {
  const { allowedHosts = [], resolve = systemResolve, connectMs = 10_000, wholeMs = 30_000 } = parts;
  const deadline = AbortSignal.timeout(wholeMs);
  const signal = AbortSignal.any([act.signal, deadline]);
  try {
    const limits = { signal, mostBytes: act.mostBytes, connectMs };
    return await visit({ url, allowedHosts, hops: 0 }, { ...limits, resolve, ask });
  } catch (error) {
    return failureOf(error, { signal: act.signal, deadline });
  }
}

/** One request on the wire, to an address that was looked at. The name is never resolved here; it stays in Host and in TLS. */

import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIPv6, type LookupFunction } from "node:net";
import type { Route } from "./routing/route.ts";

export interface AskAct {
  readonly signal: AbortSignal;
  /** Milliseconds until a connection stands. */
  readonly connectMs: number;
}

/** The answer as soon as its head is here; whoever asked reads its body or destroys it. */
export function ask({ url, addresses }: Route, { signal, connectMs }: AskAct): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  const request = send(url, {
    // Neither the connections of others nor a proxy from the environment.
    agent: false,
    headers,
    lookup: pinnedTo(addresses),
    rejectUnauthorized: true,
    signal,
  });
  request.once("response", resolve).on("error", reject);
  limitConnecting(request, { connectMs, connected: url.protocol === "https:" ? "secureConnect" : "connect" });
  request.end();
  return promise;
}

const headers = {
  "user-agent": "pith",
  accept: "text/markdown, text/html;q=0.9, application/json;q=0.9, text/*;q=0.8, */*;q=0.5",
  "accept-encoding": "gzip, deflate, br",
};

function pinnedTo(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_name, { all }, tell) => {
    const [first] = found;
    if (all === true || first === undefined) tell(null, found);
    else tell(null, first.address, first.family);
  };
}

interface Connecting {
  readonly connectMs: number;
  readonly connected: "connect" | "secureConnect";
}

function limitConnecting(request: ClientRequest, { connectMs, connected }: Connecting): void {
  const timer = setTimeout(() => request.destroy(new ConnectTimeout()), connectMs);
  const stop = (): void => clearTimeout(timer);
  request.once("socket", (socket) => socket.once(connected, stop)).once("close", stop);
}

export class ConnectTimeout extends Error {
  override readonly name: string = "ConnectTimeout";
}

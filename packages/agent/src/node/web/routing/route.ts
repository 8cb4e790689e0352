/** The way to a page: its name resolved once, every address looked at, and only these dialled afterwards. */

import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { WebFailed, WebRefused } from "../../../tools/fetch/web.ts";
import { unlessAborted } from "../../../waiting/unless-aborted.ts";
import { failed, refused } from "../outcome.ts";
import { objectionTo } from "./address.ts";
import { type Destination, destinationOf } from "./destination.ts";

export interface Route extends Omit<Destination, "type"> {
  readonly type: "route";
  /** At least one; all of them may be dialled. */
  readonly addresses: readonly string[];
}

/** All addresses of a name. */
export type Resolve = (name: string) => Promise<readonly string[]>;

export interface RouteParts {
  readonly resolve: Resolve;
  readonly allowedHosts: readonly string[];
  readonly signal: AbortSignal;
}

export async function routeTo(text: string, parts: RouteParts): Promise<Route | WebRefused | WebFailed> {
  const destination = destinationOf(text, parts.allowedHosts);
  if (destination.type === "refused") return destination;
  const addresses = await addressesOf(destination, parts);
  if (addresses.length === 0) return failed("unresolved", `the name ${destination.host} cannot be resolved`);
  return addressRefusal(destination, addresses) ?? { ...destination, type: "route", addresses };
}

export const systemResolve: Resolve = async (name) => {
  const found = await lookup(name, { all: true });
  return found.map(({ address }) => address);
};

async function addressesOf({ host }: Destination, { resolve, signal }: RouteParts): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  // The system's resolver cannot be stopped; what it still finds is not waited for.
  const found = await unlessAborted(resolve(host).catch(none), signal);
  signal.throwIfAborted();
  return found ?? [];
}

/** Whatever the resolver said, there is nothing to dial. */
function none(): readonly string[] {
  return [];
}

// One private address among public ones is a trap: which of them is dialled would be chance.
function addressRefusal({ host, isAllowed }: Destination, addresses: readonly string[]): WebRefused | null {
  if (isAllowed) return null;
  for (const address of addresses) {
    const objection = objectionTo(address);
    if (objection === null) continue;
    const who = address === host ? host : `${host} (${address})`;
    return refused("address", `${who} is not on the public internet: ${objection}`);
  }
  return null;
}

/** What there is to know of a command: for people, for whoever reads its fields, and for whoever runs it. */

import type { RpcCommand, RpcGives, RpcName, RpcTakes } from "../line/rpc-commands.ts";
import type { Fields } from "../reading/field.ts";
import type { Seat } from "../serving/seat.ts";

export interface Row<Name extends RpcName> {
  /** What it does, in one line. */
  readonly says: string;
  /** A whole line. */
  readonly example: RpcCommand<Name>;
  readonly fields: Fields<RpcTakes<Name>>;
  /** Those that speak begin one after the other; behind those that leave a session everything waits; `urgent` waits for nothing. */
  readonly lane?: "speaking" | "leaving" | "urgent";
  readonly run: (takes: RpcTakes<Name>, seat: Seat) => Promise<Outcome<RpcGives<Name>>>;
}

/** One for every command: the compiler sees that none is missing. */
export type Rows<Name extends RpcName = RpcName> = { readonly [Each in Name]: Row<Each> };

export type Outcome<Data> =
  | { readonly type: "done"; readonly data: Data }
  | { readonly type: "failed"; readonly message: string };

export function done<Data>(data: Data): Outcome<Data> {
  return { type: "done", data };
}

export function failed(message: string): Outcome<never> {
  return { type: "failed", message };
}

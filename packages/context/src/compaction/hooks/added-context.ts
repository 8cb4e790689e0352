/** What hooks put behind an act in the log: messages for the model and state of their own, within bounds. */

import type { Draft } from "../../entry.ts";
import { type HookHost, reportTo } from "../../hook.ts";
import { textTokens } from "../../reading/tokens/text-tokens.ts";
import { isObject } from "../../session/codec/line/read-line.ts";
import type { Session } from "../../session/session.ts";
import { jsonDetails } from "./hook-values.ts";

export type Added =
  | Extract<Draft, { type: "custom" }>
  | (Extract<Draft, { type: "custom_message" }> & { readonly content: string });

/** Null where there is nothing; throws where it is nonsense or too much. What is Pith's own, nobody else writes. */
export function addedIn(result: unknown, { tokens }: { readonly tokens: number }): readonly Added[] | null {
  const { entries } = Object(result) as { readonly entries?: unknown };
  if (entries === undefined || entries === null) return null;
  if (!Array.isArray(entries)) throw new Error("its entries are no list");
  const added = entries.map(entryIn);
  const size = sizeOf(added);
  if (size > tokens) throw new Error(`its entries have ${size} tokens, ${tokens} are allowed`);
  return added;
}

function entryIn(value: unknown): Added {
  const { type, customType, content, display, details, data } = Object(value) as Readonly<Record<string, unknown>>;
  if (typeof customType !== "string" || customType === "" || customType.startsWith("pith."))
    throw new Error("its entry has no type of its own");
  if (type === "custom") return { type, customType, ...(isObject(data) && { data: jsonDetails(data) }) };
  if (type !== "custom_message" || typeof content !== "string")
    throw new Error("its entry is neither state nor a message");
  return {
    type,
    customType,
    content,
    display: display !== false,
    ...(isObject(details) && { details: jsonDetails(details) }),
  };
}

/** What all hooks of one act may add together: each has what the ones before it left. */
export function addingUpTo(tokens: number): (result: unknown) => readonly Added[] | null {
  let left = tokens;
  return (result) => {
    const added = addedIn(result, { tokens: left });
    left -= sizeOf(added ?? []);
    return added;
  };
}

function sizeOf(added: readonly Added[]): number {
  return added.reduce((sum, entry) => sum + textTokens(JSON.stringify(entry)), 0);
}

export interface Adding {
  readonly session: Session;
  /** The entry they are to stand behind. */
  readonly behind: string | null;
  readonly host: HookHost;
  readonly event: string;
}

/** Where the session has gone elsewhere meanwhile, nothing is written, and the host hears why. */
export async function appendAdded(added: readonly Added[], { session, behind, host, event }: Adding): Promise<void> {
  if (added.length === 0) return;
  const isHere = behind === session.leaf || session.window.entries.some(({ id }) => id === behind);
  if (isHere) await session.append(...added);
  else reportTo(host, { event, why: "the session has gone elsewhere meanwhile" });
}

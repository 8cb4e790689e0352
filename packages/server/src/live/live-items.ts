/** Defines what workers and API processes tell each other by NOTIFY, and packs it into payloads. */

import type { LiveDelta } from "./reply-text.ts";

/** From workers to API processes. */
export const LIVE_CHANNEL = "pith_live";
/** From API processes to workers: the keys of sessions whose replies should be sent again. */
export const REPEAT_CHANNEL = "pith_repeat";

/**
 * `entries`: the session has new ones. `state`: its state has changed. A delta that `isRepeat` is for those who do not have it yet. Otherwise
 * it is new, and replaces what is known from its offset on.
 */
export type LiveItem = { readonly type: "entries" | "state"; readonly key: string } | DeltaItem;

export interface DeltaItem extends LiveDelta {
  readonly key: string;
  readonly isRepeat: boolean;
}

type PackedItem = readonly ["entries" | "state", key: string] | PackedDelta;

type PackedDelta = readonly [
  ...(readonly ["delta" | "repeat", key: string, holder: string, reply: string]),
  ...(readonly [part: number, kind: LiveDelta["kind"], offset: number, text: string]),
  ...(readonly [id?: string, name?: string]),
];

/** PostgreSQL takes less than 8,000 bytes. */
const MAX_PAYLOAD_BYTES = 7_900;

/** Packs items into as few payloads as possible, in their order. Divides long deltas. */
export function packItems(items: readonly LiveItem[]): readonly string[] {
  return joinPayloads(items.flatMap(packItem));
}

export function unpackItems(payload: string): readonly LiveItem[] {
  return (JSON.parse(payload) as readonly PackedItem[]).map((packed) =>
    packed.length === 2 ? { type: packed[0], key: packed[1] } : unpackDelta(packed),
  );
}

function unpackDelta([type, key, holder, reply, part, kind, offset, text, id, name]: PackedDelta): DeltaItem {
  const call = id === undefined || name === undefined ? {} : { call: { id, name } };
  return { type: "delta", key, isRepeat: type === "repeat", holder, reply, part, kind, offset, text, ...call };
}

/** Packs the keys of sessions. */
export function packKeys(keys: readonly string[]): readonly string[] {
  return joinPayloads(keys.map((key) => JSON.stringify(key)));
}

export function unpackKeys(payload: string): readonly string[] {
  return JSON.parse(payload) as readonly string[];
}

function joinPayloads(texts: readonly string[]): readonly string[] {
  const payloads: string[] = [];
  let current: string[] = [];
  let bytes = BRACKETS;
  for (const text of texts) {
    const size = Buffer.byteLength(text) + COMMA;
    if (bytes + size > MAX_PAYLOAD_BYTES && current.length > 0) {
      payloads.push(`[${current.join(",")}]`);
      current = [];
      bytes = BRACKETS;
    }
    current.push(text);
    bytes += size;
  }
  if (current.length > 0) payloads.push(`[${current.join(",")}]`);
  return payloads;
}

const BRACKETS = 2;
const COMMA = 1;
const MAX_ITEM_BYTES = MAX_PAYLOAD_BYTES - BRACKETS - COMMA;

function packItem(item: LiveItem): readonly string[] {
  const text = JSON.stringify(toPacked(item));
  if (Buffer.byteLength(text) <= MAX_ITEM_BYTES) return [text];
  // With ids that are as long as a payload, a reply appears only when it is an entry.
  if (item.type !== "delta" || item.text.length < 2) return [];
  const middle = Math.ceil(item.text.length / 2);
  const { call: _, ...rest } = item;
  return [
    ...packItem({ ...item, text: item.text.slice(0, middle) }),
    ...packItem({ ...rest, offset: item.offset + middle, text: item.text.slice(middle) }),
  ];
}

function toPacked(item: LiveItem): PackedItem {
  if (item.type !== "delta") return [item.type, item.key];
  const { isRepeat, key, holder, reply, part, kind, offset, text, call } = item;
  const delta = [isRepeat ? "repeat" : "delta", key, holder, reply, part, kind, offset, text] as const;
  return call ? [...delta, call.id, call.name] : delta;
}

/** Reads the messages, blocks and calls of a request with their paths. Accepts any JSON and never throws. */

import type { Request } from "../../model.ts";

export type Fields = Readonly<Record<string, unknown>>;

export interface MessagePlace {
  readonly at: string;
  readonly index: number;
  readonly role: string;
  readonly message: Fields;
  readonly blocks: readonly BlockPlace[];
}

export interface BlockPlace {
  readonly at: string;
  readonly type: string;
  readonly block: Fields;
}

export interface CallPlace extends BlockPlace {
  readonly id: string;
  readonly name: string;
}

/** Two dozen checks ask for the places of the same request, so it is taken apart once. */
export function messagePlaces(request: Request): readonly MessagePlace[] {
  const known = takenApart.get(request);
  if (known) return known;
  const places = listAt(request, "messages").map(messagePlace);
  if (isFields(request)) takenApart.set(request, places);
  return places;
}

/** The messages of the assistant. */
export function replyPlaces(request: Request): readonly MessagePlace[] {
  return messagePlaces(request).filter(({ role }) => role === "assistant");
}

export function callPlaces(place: MessagePlace): readonly CallPlace[] {
  return place.blocks
    .filter(({ type }) => type === "toolCall")
    .map((call) => ({ ...call, id: textAt(call.block, "id"), name: textAt(call.block, "name") }));
}

/** The items whose key an earlier item already has. */
export function repeats<Item>(items: readonly Item[], key: (item: Item) => string): readonly Item[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const known = seen.has(key(item));
    seen.add(key(item));
    return known;
  });
}

export function fields(value: unknown): Fields {
  return isFields(value) ? value : {};
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function textAt(value: unknown, key: string): string {
  const found = fields(value)[key];
  return typeof found === "string" ? found : "";
}

export function listAt(value: unknown, key: string): readonly unknown[] {
  const found = fields(value)[key];
  return Array.isArray(found) ? found : [];
}

const takenApart = new WeakMap<object, readonly MessagePlace[]>();

function messagePlace(value: unknown, index: number): MessagePlace {
  const message = fields(value);
  const at = `messages[${index}]`;
  return { at, index, role: textAt(message, "role"), message, blocks: blockPlaces(message, at) };
}

function blockPlaces(message: Fields, at: string): readonly BlockPlace[] {
  const content = message.content;
  if (typeof content === "string") {
    return [{ at: `${at}.content`, type: "text", block: { type: "text", text: content } }];
  }
  return listAt(message, "content").map((value, index) => {
    return { at: `${at}.content[${index}]`, type: textAt(value, "type"), block: fields(value) };
  });
}

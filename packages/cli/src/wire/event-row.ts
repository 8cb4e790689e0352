/** What the page on events says of each. */

export interface EventRow<Event> {
  /** When it is told, and what one must know of its fields. */
  readonly says: string;
  readonly example: Event;
}

/** One for every event: the compiler sees that none is missing. */
export type Rows<Event extends { readonly type: string }> = {
  readonly [Type in Event["type"]]: EventRow<Of<Event, Type>>;
};

/** Also of a shape that several types share. */
type Of<Event, Type> = Event extends { readonly type: infer Own } ? (Type extends Own ? Event : never) : never;

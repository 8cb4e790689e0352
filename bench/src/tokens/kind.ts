/** A text of one kind, as a model gets to see it: source code, a listing, a log. */

export interface Kind {
  readonly name: string;
  readonly text: string;
}

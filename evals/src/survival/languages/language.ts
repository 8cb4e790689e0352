/** What a language gives to made-up sessions: sentences with slots, from which results, talk and facts are put together. */

/** In each text `{slot}` stands for something by chance; in a fact «…» is what is looked for. */
export interface Language {
  readonly name: "en" | "de" | "es" | "zh";
  /** Between sentences. */
  readonly space: string;
  readonly slots: Readonly<Record<Slot, readonly string[]>>;
  /** How a sentence of prose is built. */
  readonly sentences: readonly string[];
  readonly logs: readonly string[];
  readonly requests: readonly string[];
  readonly replies: readonly string[];
  readonly facts: Readonly<Record<Sort, readonly string[]>>;
}

export type Slot = "part" | "act" | "when" | "aside" | "thing" | "first" | "last" | "state" | "fixed";

/** The sorts of facts, from the most to the least striking. */
export const sorts = [
  "identifier",
  "path",
  "port",
  "version",
  "date",
  "number",
  "name",
  "decision",
  "unusual",
  "plain",
] as const;

export type Sort = (typeof sorts)[number];

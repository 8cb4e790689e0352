/** Defines a rule that the user states in a session, and tells whether it still holds after some of the messages. */

/** A part of a rule, usually a sentence. */
export interface Statement {
  /** The exact words of the user's message. */
  readonly quote: string;
  /** Whether a line of a summary says the same. */
  readonly isStatedIn: (line: string) => boolean;
}

export interface Rule {
  /** The rule in short, for the log. */
  readonly text: string;
  /** The index of the user's message that states it. */
  readonly message: number;
  /** A rule is shown if all of its statements are. */
  readonly statements: readonly Statement[];
  /** The index of the user's message that replaced it. Null if it holds to the end. */
  readonly replacedBy: number | null;
}

/** A message of the user in a live session. */
export interface UserMessage {
  /** The number of its entry. */
  readonly number: number;
  /** The text that the user typed, without attachments. */
  readonly text: string;
}

/** Lists the rules that were stated in the first messages. */
export function listStatedRules(rules: readonly Rule[], messageCount: number): readonly Rule[] {
  return rules.filter(({ message }) => message < messageCount);
}

/** Whether none of the first messages replaced a rule. */
export function isInForce({ replacedBy }: Rule, messageCount: number): boolean {
  return replacedBy === null || replacedBy >= messageCount;
}

/** Makes texts comparable that differ only in their line breaks and spaces. */
export function collapseSpaces(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

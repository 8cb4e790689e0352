/** What can be wrong with a summary. */

export type FlawCode =
  | "empty"
  | "sections"
  | "too-long"
  | "unknown-id"
  | "unresolved-citations"
  | "false-quote"
  | "unknown-name"
  | "unfounded"
  | "uncited"
  | "wrong-number"
  | "not-from-user"
  | "wrong-request"
  | "other-language";

/** Something wrong with a summary. */
export interface Flaw {
  readonly code: FlawCode;
  /** A sentence for users, and for the model that must correct the summary. */
  readonly note: string;
  /** An instruction for the model that must correct the summary. Users do not see it. */
  readonly advice?: string;
}

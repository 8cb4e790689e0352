/** What a session needs from outside: time, chance, patience and a checksum. Handed in, so that every test can repeat itself. */

export interface Ports {
  /** Milliseconds since 1970; shown to people, never used to order anything. */
  readonly now: () => number;
  /** A new entry id: at least 80 random bits. */
  readonly entryId: () => string;
  readonly sessionId: () => string;
  /** A random word that no content can foresee, for marks in prompts. */
  readonly nonce: () => string;
  /** Ends when the time is over, or at once when it is aborted. */
  readonly sleep: (ms: number, act: { readonly signal?: AbortSignal }) => Promise<void>;
  readonly checksum: Checksum;
}

/** CRC-32 of the bytes, as an unsigned number. */
export type Checksum = (bytes: Uint8Array) => number;

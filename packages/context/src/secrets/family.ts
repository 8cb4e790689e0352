/** A family of secrets as data: how people call it, how it is found fast, and what a text must look like to be one. */

export interface Family {
  /** Stands in placeholders: small letters and digits. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  /**
   * One of these stands at its beginning; a text that has none of all needles is looked at no further. Three letters at least,
   * and white space at the end alone: a stream passes whole words on.
   */
  readonly needles: readonly string[];
  /**
   * From the needle on, on one line; where it has a group, the group is the secret and the rest what gives it away. What could
   * go on without end is bounded, or made of letters before which no needle counts, so that looking takes as long as the text.
   */
  readonly pattern: string;
  /** The needle stands within: so many of these letters before it belong to the secret. */
  readonly back?: { readonly letters: RegExp; readonly most: number };
  /** The needle may follow a letter: it is a part of a name, not the beginning of the secret. */
  readonly isWithinWords?: true;
  /** Counts only where no other family knows the secret better. */
  readonly isWeak?: true;
  /** What else must hold of the secret; that it is varied, unless said. */
  readonly isLikely?: (secret: string) => boolean;
}

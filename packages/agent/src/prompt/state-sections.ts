/** State that goes on beside the conversation, such as a list of things to do: told to the model when it changes, and again after a compaction. */

export interface StateSection {
  readonly name: string;
  /** Null where there is nothing to say. */
  readonly text: () => string | null;
}

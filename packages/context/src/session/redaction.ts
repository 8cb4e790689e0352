/** What must not be written: the port behind which secrets are found. Everything passes it on its way into the log, and nothing that is in the log already. */

export interface Redaction {
  /**
   * The same value where it holds no secret, else a copy in which a placeholder stands for each. A text, or anything made of
   * texts, lists and objects. What was redacted is not changed by being redacted again.
   */
  redacted<Value>(value: Value): Value;
}

/** Everything as it is. */
export const asItIs: Redaction = { redacted: (value) => value };

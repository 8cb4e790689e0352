/** Defines the kinds of sessions that the bench runs. The id of a session begins with its kind, and so does the path of its model. */

/**
 * `stream`: one long reply. `calls`: tool rounds and a short reply. `hang`: a long context, and a summarizer that never answers. `large`: a
 * context of several megabytes that is compacted.
 */
export type SessionKind = (typeof KIND_LIST)[number];

export const KIND_LIST = ["stream", "calls", "hang", "large"] as const;

/** How many tool calls a session of kind `calls` has. */
export const TOOL_ROUNDS = 4;

export function kindOf(sessionId: string): SessionKind {
  const kind = KIND_LIST.find((each) => sessionId.startsWith(`${each}-`));
  if (!kind) throw new Error(`the id ${sessionId} does not begin with a kind of session`);
  return kind;
}

/** What all protocols have in common: words and calls as they are, without any signature. */

import type { Dialect } from "./dialect.ts";

export const unsigned: Dialect = {
  sentText: ({ text }) => ({ type: "text", text }),
  sentThinking: () => [],
  sentCall: ({ id, name, arguments: input }) => ({ type: "tool-call", toolCallId: id, toolName: name, input }),
  sentCallId: (id) => id,
  sentServed: () => [],
  textFields: () => ({}),
  thinkingFields: () => ({}),
  callFields: ({ id }) => ({ id }),
};

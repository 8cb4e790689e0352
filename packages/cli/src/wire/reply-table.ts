/** The pieces of a reply, as programs read them, with an example each. */

import type { Rows } from "./event-row.ts";
import type { AssistantMessageEvent } from "./wire-event.ts";

export const replyTable: Rows<AssistantMessageEvent> = {
  text_start: { says: "a text begins", example: { type: "text_start", contentIndex: 0 } },
  text_delta: { says: "more of it", example: { type: "text_delta", contentIndex: 0, delta: "Hel" } },
  text_end: { says: "all of it", example: { type: "text_end", contentIndex: 0, content: "Hello." } },
  thinking_start: { says: "a thought begins", example: { type: "thinking_start", contentIndex: 0 } },
  thinking_delta: { says: "more of it", example: { type: "thinking_delta", contentIndex: 0, delta: "The user" } },
  thinking_end: { says: "all of it", example: { type: "thinking_end", contentIndex: 0, content: "The user greets." } },
  toolcall_start: {
    says: "a call begins",
    example: { type: "toolcall_start", contentIndex: 1, id: "c1", toolName: "bash" },
  },
  toolcall_delta: {
    says: "more of its arguments, as JSON text",
    example: { type: "toolcall_delta", contentIndex: 1, delta: '{"comm' },
  },
  toolcall_end: {
    says: "the call, whole; calls end with the reply",
    example: {
      type: "toolcall_end",
      contentIndex: 1,
      toolCall: { type: "toolCall", id: "c1", name: "bash", arguments: { command: "ls" } },
    },
  },
};

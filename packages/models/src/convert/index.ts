/** Public API of `@pith/models/convert`: requests to AI SDK calls, streams to messages. Imports no provider's package. */

export {
  type Draft,
  type DraftBlock,
  type DraftCall,
  type DraftServed,
  type DraftText,
  type DraftThinking,
  emptyDraft,
  type Metadata,
  type ServedResult,
} from "./draft.ts";
export { type Conversation, messagesOf } from "./from-prompt.ts";
export { costOf, type Ending, endingOf, type MessageParts, messageOf, type Prices, usageOf } from "./reply-message.ts";
export { type Delta, deltaOf, fold } from "./reply-stream.ts";
export { type CallParts, callOptions, promptOf, thinkingNotice } from "./request.ts";
export { type Served, type ServedBlock, searches, servedIn, webSearch } from "./server-tools.ts";

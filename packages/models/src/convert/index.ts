/** The door `@pith/models/convert`: requests to the AI SDK's language models, their streams back to messages; knows no provider. */

export { type CallParts, callOptions } from "./asking/call-options.ts";
export { promptOf } from "./asking/prompt-of.ts";
export { searches, webSearch } from "./served/own-search.ts";
export { type Served, type ServedBlock, servedIn } from "./served/served-block.ts";
export { costOf, type Prices } from "./telling/cost-of.ts";
export { type Delta, deltaOf } from "./telling/delta-of.ts";
export type {
  Draft,
  DraftBlock,
  DraftCall,
  DraftServed,
  DraftText,
  DraftThinking,
  Metadata,
  ServedResult,
} from "./telling/draft.ts";
export { emptyDraft } from "./telling/draft.ts";
export { type Ending, endingOf } from "./telling/ending.ts";
export { fold } from "./telling/fold.ts";
export { type MessageParts, messageOf } from "./telling/message-of.ts";
export { type Conversation, messagesOf } from "./telling/messages-of.ts";
export { usageOf } from "./telling/usage-of.ts";

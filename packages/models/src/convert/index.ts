/** Public API of `@pith/models/convert`: requests to AI SDK calls, streams to messages. Imports no provider's package. */

export {
  type Draft,
  type DraftBlock,
  type DraftCall,
  type DraftServerTool,
  type DraftText,
  type DraftThinking,
  emptyDraft,
  type ProviderMetadata,
  type ServerToolResult,
} from "./draft.ts";
export { type Conversation, fromPrompt } from "./from-prompt.ts";
export {
  buildAssistantMessage,
  computeCost,
  determineEnding,
  type Ending,
  type MessageOptions,
  type Prices,
  toUsage,
} from "./reply-message.ts";
export { applyStreamPart, type Delta, toDelta } from "./reply-stream.ts";
export { buildCallOptions, buildPrompt, type ConvertOptions, thinkingNotice } from "./request.ts";
export {
  readServerToolRun,
  type ServerToolBlock,
  type ServerToolRun,
  supportsWebSearch,
  webSearch,
} from "./server-tools.ts";

/** Public API of `@pith/models/convert`: requests to AI SDK calls, streams to messages. Imports no provider package. */

export { type Conversation, fromPrompt } from "./from-prompt.ts";
export type { ConvertOptions } from "./protocol.ts";
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
} from "./reply-draft.ts";
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
export { buildCallOptions, buildPrompt, thinkingNotice } from "./request.ts";
export {
  readServerToolRun,
  type ServerToolBlock,
  type ServerToolRun,
  webSearch,
} from "./server-tools.ts";
export { supportsWebSearch } from "./web-search.ts";

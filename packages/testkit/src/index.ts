/** Public API of `@pith/testkit`: a scripted model server that speaks the providers' wire protocols. */

export type {
  ProtocolName,
  ProviderError,
  RefusalStep,
  Reply,
  ReplyBreak,
  ReplyPace,
  ReplyPart,
  Script,
  ScriptRequest,
  SearchPart,
  SearchResult,
  Step,
  StopReason,
  TokenUsage,
} from "./script.ts";
export type { LocalServer } from "./server/local-servers.ts";
export type { ServedRequest } from "./server/request-log.ts";
export { type ServerOptions, startServer, type TestServer } from "./server/server.ts";

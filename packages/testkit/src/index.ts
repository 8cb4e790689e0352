/** Public API of `@pith/testkit`: a scripted model server that speaks the providers' wire protocols. */

export type {
  Asked,
  Break,
  Counted,
  Pace,
  Part,
  ProviderError,
  Refused,
  Reply,
  Script,
  Search,
  SearchResult,
  Step,
  Stop,
  WireName,
} from "./script.ts";
export type { LocalServer } from "./server/local-servers.ts";
export type { Served } from "./server/request-log.ts";
export { type ServerParts, startServer, type TestServer } from "./server/server.ts";

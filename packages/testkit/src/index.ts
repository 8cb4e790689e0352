/** The door `@pith/testkit`: a scripted model server that speaks the wire protocols of the providers. */

export type { LocalServer } from "./local/local-server.ts";
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
export type { Served } from "./serving/request-log.ts";
export { type ServerParts, startServer, type TestServer } from "./serving/server.ts";

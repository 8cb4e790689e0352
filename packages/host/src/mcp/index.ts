/** Connects to MCP servers, and asks whether to trust them. */

export { createClientOptions, McpClient } from "./client.ts";
export type { FindSandbox } from "./server-sandbox.ts";
export { formatServerStatuses, readServerStatuses } from "./server-status.ts";
export { readConfiguredServers } from "./servers.ts";
export { Trust } from "./trust.ts";
export { type Confirm, formatTrustText, formatTrustTitle } from "./trust-question.ts";
export {
  createTrustRecord,
  isSameTrustRecord,
  type OfferedTool,
  readTrustRecords,
  type ServerTrustRecord,
  saveTrustRecord,
  trustRecordKey,
} from "./trust-records.ts";

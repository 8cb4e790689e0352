/** Connects to MCP servers, and asks whether to trust them. */

export * from "./client.ts";
export * from "./server-sandbox.ts";
export * from "./server-status.ts";
export * from "./servers.ts";
export * from "./trust.ts";
export * from "./trust-question.ts";
export * from "./trust-records.ts";

/** Opens the sandbox of a session. */

export * from "./sandbox.ts";

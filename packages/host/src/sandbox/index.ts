/** Opens the sandbox of a session. */

export { buildLimits, runtimeFolderPath } from "./sandbox.ts";

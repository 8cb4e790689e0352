/** Opens the sandbox of a session. */

export { describeLeftFiles } from "./caught.ts";
export { buildLimits, closeSandbox, type OpenSandbox, openSandbox, runtimeFolderPath } from "./sandbox.ts";

/** The door `@pith/agent/node`: files and a shell of the machine the agent runs on. */

export { nodeFiles } from "./files/node-files.ts";
export { nodeShell } from "./shell/shell.ts";

/** The door `@pith/agent/node`: files and a shell of the machine the agent runs on. */

export { type SessionBlobsParts, sessionBlobs } from "./blobs/session-blobs.ts";
export { nodeFiles } from "./files/node-files.ts";
export { type ProjectRules, type ProjectRulesParts, projectRules } from "./permissions/project-rules.ts";
export { realPath } from "./permissions/real-path.ts";
export { type OriginalsFolderParts, originalsFolder } from "./restore/originals-folder.ts";
export type { Box } from "./sandbox/box.ts";
export { type Bubblewrap, type SandboxHere, sandboxHere } from "./sandbox/sandbox-here.ts";
export { sandboxedShell } from "./sandbox/sandboxed-shell.ts";
export { type NodeSearchParts, nodeSearch } from "./search/node-search.ts";
export { nodeShell } from "./shell/shell.ts";
export { nodeWeb } from "./web/node-web.ts";
export type { NodeWebParts } from "./web/open-page.ts";
export type { Resolve } from "./web/route.ts";

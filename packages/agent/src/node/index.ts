/** The door `@pith/agent/node`: the machine the agent runs on, behind the agent's ports: files, searches, a shell, a sandbox, the web. */

export { type Believed, believedText, setAside } from "./disk/believed-text.ts";
export { type HeldFile, type Opening, openHeld } from "./disk/open-held.ts";
export { ownFile } from "./disk/own-files.ts";
export { realPath } from "./disk/real-path.ts";
export { syncFolder } from "./disk/take-place.ts";
export { type NodeFilesParts, nodeFiles } from "./files/node-files.ts";
export { type OriginalsFolderParts, originalsFolder } from "./kept/originals-folder.ts";
export { type SessionBlobsParts, sessionBlobs } from "./kept/session-blobs.ts";
export { inOrder } from "./permissions/in-order.ts";
export { type ProjectRules, type ProjectRulesParts, projectRules } from "./permissions/project-rules.ts";
export type { Box, Bubblewrap } from "./sandbox/box.ts";
export { type SandboxHere, sandboxHere } from "./sandbox/sandbox-here.ts";
export { sandboxedShell } from "./sandbox/sandboxed-shell.ts";
export { type NodeSearchParts, nodeSearch } from "./search/node-search.ts";
export { nodeShell } from "./shell/node-shell.ts";
export { nodeWeb } from "./web/node-web.ts";
export type { NodeWebParts } from "./web/open-page.ts";
export type { Resolve } from "./web/routing/route.ts";

/** Exports `@pith/agent/node`: the agent's ports implemented on this machine (files, search, shell, sandbox, web). */

export { type OriginalsFolderParts, originalsFolder, type SessionBlobsParts, sessionBlobs } from "./blobs.ts";
export { type NodeFilesParts, nodeFiles } from "./files.ts";
export { inOrder } from "./lock-file.ts";
export { type ProjectRules, type ProjectRulesParts, projectRules } from "./project-rules.ts";
export {
  type Believed,
  believedText,
  type HeldFile,
  type Opening,
  openHeld,
  ownFile,
  readOwn,
  realPath,
  setAside,
  syncFolder,
} from "./safe-files.ts";
export type { Box } from "./sandbox/box.ts";
export type { Bubblewrap } from "./sandbox/bubblewrap.ts";
export {
  findSandbox,
  isExecutable,
  type SandboxHere,
  type Sought,
  safeEnvironment,
  safeProgram,
  sandboxHere,
  unfitRoot,
} from "./sandbox/detect.ts";
export { type LaunchOptions, type LaunchResult, type SandboxLaunch, SandboxLauncher } from "./sandbox/launch.ts";
export {
  type HostDecision,
  type HostRequest,
  type JoinedCommand,
  type NetworkCommand,
  type PermitHost,
  SandboxNetwork,
  type SandboxNetworkOptions,
} from "./sandbox/network/network.ts";
export {
  openPrivateFolders,
  type PrivateFolderOptions,
  type PrivateFolders,
  removeUnusedFolders,
} from "./sandbox/private-folders.ts";
export { sandboxedShell } from "./sandbox/sandbox.ts";
export { type NodeSearchParts, nodeSearch } from "./search/search.ts";
export { nodeShell } from "./shell.ts";
export type { NodeWebParts } from "./web/open-page.ts";
export type { Resolve } from "./web/public-address.ts";
export { nodeWeb } from "./web/web.ts";

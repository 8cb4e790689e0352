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
  type CommandSandbox,
  findCommandSandbox,
  findSandbox,
  isExecutable,
  type SandboxHere,
  type SandboxPlace,
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
export type { RuntimeBox } from "./sandbox/runtime/config.ts";
export {
  findForeignFiles,
  hashPackage,
  type InstalledRuntime,
  installCommand,
  packageFolder,
  RUNTIME,
  RUNTIME_VERSION,
} from "./sandbox/runtime/install.ts";
export { type RuntimeShell, runtimeShell } from "./sandbox/runtime/shell.ts";
export { sandboxedShell } from "./sandbox/sandbox.ts";
export { type NodeSearchParts, nodeSearch } from "./search/search.ts";
export { nodeShell } from "./shell.ts";
export type { NodeWebParts } from "./web/open-page.ts";
export type { Resolve } from "./web/public-address.ts";
export { nodeWeb } from "./web/web.ts";
export { findGitBash } from "./windows.ts";

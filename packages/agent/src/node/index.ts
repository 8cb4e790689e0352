/** Exports `@pith/agent/node`: the agent's ports implemented on this machine (files, search, shell, sandbox, web). */

export { type OriginalsFolderOptions, originalsFolder, type SessionBlobsOptions, sessionBlobs } from "./blobs.ts";
export { type NodeFilesOptions, nodeFiles } from "./files.ts";
export { withLock } from "./lock-file.ts";
export { type ProjectRules, type ProjectRulesOptions, projectRules } from "./project-rules.ts";
export {
  moveAside,
  type OpenedFile,
  type OpenOptions,
  type OwnedFileResult,
  openNoFollow,
  readOwnedFile,
  readRegularFile,
  resolveRealPath,
  syncFolder,
  writeOwnerOnlyFile,
} from "./safe-files.ts";
export { selectCertificateVariables } from "./sandbox/certificates.ts";
export { findKernelLimits, type KernelLimits } from "./sandbox/cgroup.ts";
export {
  type CommandSandbox,
  detectBubblewrap,
  detectSandbox,
  findCommandSandbox,
  findRootProblem,
  findSafeProgram,
  isExecutable,
  type ProgramSearch,
  type SandboxDetection,
  type SandboxDetectionOptions,
  safeEnvironment,
} from "./sandbox/detect.ts";
export {
  describeChange,
  describeEffect,
  type GitSetting,
  type GitSettingChange,
  type GitSettingsDecision,
  type GitSettingsRequest,
  type PermitGitSettings,
} from "./sandbox/git-config.ts";
export { type LaunchOptions, type LaunchResult, type SandboxLaunch, SandboxLauncher } from "./sandbox/launcher.ts";
export {
  BYTES_PER_GB,
  type CommandLimits,
  defaultLimits,
  type WatchCommand,
} from "./sandbox/limits.ts";
export type { Bubblewrap } from "./sandbox/mounts.ts";
export type { AskToPutBack, CatchOptions, CaughtQuestion, SandboxOptions } from "./sandbox/options.ts";
export {
  cleanUpEndedSessions,
  type MovedName,
  openPrivateFolders,
  type PrivateFolderOptions,
  type PrivateFolders,
  removeUnusedFolders,
} from "./sandbox/private-folders.ts";
export { sandboxedShell } from "./sandbox/shell.ts";
export {
  type HostDecision,
  type HostRequest,
  type NetworkCommand,
  type PermitHost,
  type RegisteredCommand,
  SandboxNetwork,
  type SandboxNetworkOptions,
} from "./sandbox-network/network.ts";
export type { RuntimeSandboxOptions } from "./sandbox-runtime/config.ts";
export {
  findForeignFiles,
  formatInstallCommand,
  hashPackage,
  type InstalledRuntime,
  packageFolder,
  RUNTIME_PACKAGE,
  RUNTIME_VERSION,
} from "./sandbox-runtime/install.ts";
export { type RuntimeShell, runtimeShell } from "./sandbox-runtime/shell.ts";
export { type NodeSearchOptions, nodeSearch } from "./search/search.ts";
export { type SessionSearchOptions, sessionSearch } from "./session-search.ts";
export { findGitBash, nodeShell } from "./shell.ts";
export { shrinkImage } from "./shrink-image.ts";
export type { NodeWebOptions } from "./web/open-page.ts";
export type { ResolveHost } from "./web/public-address.ts";
export { nodeWeb } from "./web/web.ts";

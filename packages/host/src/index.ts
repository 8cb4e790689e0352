/** Builds an agent with its tools, permissions and sandbox, and exports its parts. */

export {
  type BuildAgentOptions,
  type BuiltAgent,
  buildAgent,
  type ExtensionSources,
  type PermissionModeControl,
  type SessionShutdown,
} from "./build-agent.ts";
export { createGitHeadReader, formatGitHead, type GitHeadReader } from "./git-branch.ts";
export type { HostContext } from "./host-context.ts";
export { previewRequestedChange } from "./permissions.ts";
export { openLocalWorkspace } from "./sandbox/local-workspace.ts";
export { createVault } from "./settings/secrets.ts";
export type { SessionStorage } from "./storage.ts";

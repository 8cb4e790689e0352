/** Builds an agent with its tools, permissions and sandbox, and exports its parts. */

export {
  type BuildAgentOptions,
  type BuiltAgent,
  buildAgent,
  type ExtensionSources,
  type PermissionModeControl,
  type SessionShutdown,
} from "./build-agent.ts";
export type { HostContext } from "./host-context.ts";
export { openLocalWorkspace } from "./sandbox/local-workspace.ts";
export { createVault } from "./settings/secrets.ts";
export type { SessionStorage } from "./storage.ts";

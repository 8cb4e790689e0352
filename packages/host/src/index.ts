/** Builds an agent with its tools, permissions and sandbox, and exports its parts. */

export { createGitHeadReader, describeGitHead, formatGitHead, type GitHeadReader } from "./git-branch.ts";
export { createPermissions, type PermissionSetup, previewRequestedChange } from "./permissions.ts";
export type { SessionStorage } from "./storage.ts";
export {
  createWorkspaceTools,
  describeUnknownTools,
  selectProviderTools,
  selectTools,
  type WorkspaceTools,
} from "./tools.ts";

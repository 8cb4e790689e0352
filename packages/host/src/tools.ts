/** Creates the tools of an agent for its workspace and its session. */

import { tmpdir } from "node:os";
import {
  allowsProviderSearch,
  type BlobStore,
  bashTool,
  fetchTool,
  fileTools,
  findSeenFiles,
  type Permissions,
  ReadTracker,
  type RereadOptions,
  type RewindOptions,
  recallTool,
  redactBlobs,
  redactSearch,
  redactShell,
  restoreFilePaths,
  searchTools,
  type Tool,
  type WorkspaceFiles,
  type WorkspaceShell,
} from "@pith/agent";
import { nodeFiles, nodeSearch, nodeWeb, shrinkImage } from "@pith/agent/node";
import type { Model, Session, Tool as ToolSchema } from "@pith/context";
import type { Vault } from "@pith/context/secrets";
import { supportsWebSearch, webSearch } from "@pith/models";
import type { HostContext } from "./host-context.ts";
import type { PermissionSetup } from "./permissions.ts";
import { listVisibleFolders } from "./sandbox/sandbox.ts";
import { createSecretSource } from "./secret-source.ts";
import { allTools, defaultTools } from "./settings/definitions.ts";
import { listKeyVariables } from "./settings/provider-keys.ts";
import type { SessionStorage } from "./storage.ts";
import type { Workspace } from "./workspace.ts";

export interface CreateToolsOptions {
  readonly context: HostContext;
  readonly workspace: Workspace;
  readonly storage: SessionStorage;
  readonly session: Session;
  /** Null: secrets are not redacted. */
  readonly vault: Vault | null;
  readonly permissionSetup: Extract<PermissionSetup, { type: "permissions" }>;
  /** Returns the name of the skill whose text is in the file; null for other files. */
  readonly findSkillName: (path: string) => string | null;
}

export interface AgentTools {
  readonly tools: readonly Tool[];
  readonly files: WorkspaceFiles;
  readonly blobs: BlobStore;
  /** Absent if files cannot be restored, because nothing keeps their contents. */
  readonly rewind?: RewindOptions;
  readonly rereadFiles: RereadOptions;
  readonly notes: readonly string[];
  /** Ends background jobs and closes the shell. */
  readonly close: () => Promise<void>;
}

export async function createTools(options: CreateToolsOptions): Promise<AgentTools> {
  const { context, workspace, session, storage, vault, permissionSetup } = options;
  const { cwd, userHome, settings } = context;
  const { permissions } = permissionSetup;
  const sandbox = await workspace.sandbox;
  const fileOptions = {
    root: cwd,
    home: userHome,
    temporary: sandbox.type === "available" && sandbox.isMounted ? sandbox.temporaryFolder : undefined,
    shown: listVisibleFolders(settings, userHome),
  };
  const unredactedFiles = nodeFiles(fileOptions);
  // Paths in the session may contain placeholders for secrets.
  const files = vault ? restoreFilePaths(unredactedFiles, vault) : unredactedFiles;
  const redaction = vault ?? undefined;
  const blobs = vault ? redactBlobs(storage.blobs, vault) : storage.blobs;
  const { originals } = storage;
  const readTracker = createReadTracker(session, files.resolve);
  const { bash, notes, close } = await createBashTool(options, blobs);
  const unredactedSearch = nodeSearch({ ...fileOptions, ...(await findRipgrep(settings.tools)) });
  const search = vault ? redactSearch(unredactedSearch, vault) : unredactedSearch;
  const fileToolOptions = {
    ...{ files: unredactedFiles, blobs, entries: session.store, redaction, skillAt: options.findSkillName },
    ...{ shrinkImage, ...(originals && { originals }) },
  };
  return {
    tools: [
      ...fileTools(fileToolOptions, readTracker),
      bash,
      ...createRecallTool(options),
      ...searchTools({ files: unredactedFiles, search }),
      fetchTool(nodeWeb({ allowedHosts: settings.fetchHosts ?? [] }), { redaction }),
    ],
    files: unredactedFiles,
    blobs,
    ...(originals && {
      rewind: { files, originals, checkPermission: (path) => permissions.permitRestore(path) },
    }),
    rereadFiles: { files, readTracker, checkPermission: (path) => permissions.permitReread(path) },
    notes,
    close,
  };
}

interface BashToolSetup {
  readonly bash: Tool;
  readonly notes: readonly string[];
  /** Ends background jobs, then closes the shell. */
  readonly close: () => Promise<void>;
}

async function createBashTool(
  { context, workspace, storage, vault, permissionSetup }: CreateToolsOptions,
  blobs: BlobStore,
): Promise<BashToolSetup> {
  const { cwd, userHome, environment } = context;
  const { permissions, mayWrite, deniedPaths } = permissionSetup;
  const { privatePaths = [] } = storage;
  const { shell, sandbox, notes, close } = await workspace.openShell({
    permissions,
    mayWrite,
    deniedPaths: { ...deniedPaths, unreadable: [...deniedPaths.unreadable, ...privatePaths] },
  });
  const redact = (unredacted: WorkspaceShell): WorkspaceShell => (vault ? redactShell(unredacted, vault) : unredacted);
  const secrets = createSecretSource({
    vault,
    environment,
    home: userHome,
    writable: [cwd, tmpdir()],
    withheldVariables: listKeyVariables(),
  });
  const bash = bashTool(redact(shell), {
    ...{ blobs, redaction: vault ?? undefined, secrets },
    ...(sandbox && { sandbox: { ...sandbox, unconfined: redact(sandbox.unconfined) } }),
  });
  return {
    bash,
    notes,
    close: async () => {
      await bash.dispose();
      await close();
    },
  };
}

/** Tracks which files the model has read on the current branch. Starts over after a move in the session tree. */
function createReadTracker(session: Session, resolve: (path: string) => string): ReadTracker {
  const tracker = new ReadTracker(findSeenFiles(session.branch.entries, resolve));
  let { leaf } = session;
  session.watch(([first]) => {
    // An entry whose parent is not the last leaf means that the session moved to another branch.
    if (first && first.parentId !== leaf) tracker.reset(findSeenFiles(session.branch.entries, resolve));
    leaf = session.leaf;
  });
  return tracker;
}

function createRecallTool({ context, session, storage, vault }: CreateToolsOptions): readonly Tool[] {
  const { search, openSession } = storage;
  if (!search) return [];
  const redaction = vault ?? undefined;
  return [recallTool({ session, search, ...(openSession && { openSession }), redaction, root: context.cwd })];
}

/** Returns the ripgrep that is installed with Pith. Without it, the search uses the machine's ripgrep, or walks the folders itself. */
async function findRipgrep(tools: readonly string[] = []): Promise<{ readonly ripgrep?: string }> {
  if (!tools.some((name) => ["all", "grep", "find"].includes(name))) return {};
  const ripgrepModule = await import("@vscode/ripgrep").catch(() => null);
  return ripgrepModule ? { ripgrep: ripgrepModule.rgPath } : {};
}

/** Selects tools by name. Without names: the default tools and all tools that the host or extensions add. */
export function selectTools(
  tools: readonly Tool[],
  {
    names,
    addedTools = [],
  }: { readonly names?: readonly string[] | undefined; readonly addedTools?: readonly Tool[] | undefined },
): readonly Tool[] {
  const isSelected = ({ name }: Tool): boolean => (names ?? defaultTools).includes(name);
  if (names?.includes("all")) return [...tools, ...addedTools];
  return [...tools.filter(isSelected), ...(names ? addedTools.filter(isSelected) : addedTools)];
}

/** Returns a warning for each name that is neither a built-in tool nor one of the added tools. */
export function describeUnknownTools(names: readonly string[] = [], addedTools: readonly Tool[]): readonly string[] {
  const knownNames = [...allTools, "all", ...addedTools.map(({ name }) => name)];
  const unknownNames = names.filter((name) => !knownNames.includes(name));
  return unknownNames.map(
    (name) => `unknown tool ${name}: no loaded extension provides it; pith extensions list shows extension tools`,
  );
}

/** Adds the provider's web search if the model may fetch and the provider supports it. */
export function selectProviderTools(
  tools: readonly Tool[],
  { permissions, model }: { readonly permissions: Permissions; readonly model: Model },
): readonly ToolSchema[] {
  const hasWebSearch =
    allowsProviderSearch(permissions) && tools.some(({ name }) => name === "fetch") && supportsWebSearch(model);
  return hasWebSearch ? [webSearch] : [];
}

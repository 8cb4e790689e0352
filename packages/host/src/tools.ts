/** Creates the workspace and its tools: files, search, the web, and a shell, which is sandboxed if the machine supports it. */

import { homedir, tmpdir } from "node:os";
import {
  allowsProviderSearch,
  type BashTool,
  type BlobStore,
  bashTool,
  type CheckRestorePermission,
  fetchTool,
  fileTools,
  findSeenFiles,
  type Permissions,
  ReadTracker,
  type RereadOptions,
  type RewindOptions,
  type Rule,
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
import {
  nodeFiles,
  nodeSearch,
  nodeShell,
  nodeWeb,
  type RuntimeShell,
  runtimeShell,
  type SandboxNetwork,
  sandboxedShell,
  shrinkImage,
} from "@pith/agent/node";
import type { Model, Session, Tool as ToolSchema } from "@pith/context";
import type { Vault } from "@pith/context/secrets";
import { supportsWebSearch, webSearch } from "@pith/models";
import { type CatchPermissions, createCatchDecisions } from "./sandbox/caught.ts";
import { createGitSettingsCheck, type GitSettingsPermissions } from "./sandbox/git-settings.ts";
import {
  createLazyNetwork,
  describeNetworkProblem,
  type LazyNetworkOptions,
  networkSetting,
} from "./sandbox/network.ts";
import {
  type BuildSandboxOptions,
  buildSandboxOptions,
  closeSandbox,
  listVisibleFolders,
  type OpenSandbox,
} from "./sandbox/sandbox.ts";
import { createSecretSource } from "./secret-source.ts";
import { allTools, defaultTools } from "./settings/definitions.ts";
import { listKeyVariables } from "./settings/provider-keys.ts";
import type { Settings } from "./settings/settings.ts";
import type { SessionStorage } from "./storage.ts";

export interface CreateBashToolOptions
  extends Omit<BuildSandboxOptions, "caught">,
    Omit<LazyNetworkOptions, "permissions"> {
  /** Null: secrets are not redacted. */
  readonly vault: Vault | null;
  readonly sandbox: Promise<OpenSandbox>;
  readonly permissions: CatchPermissions & GitSettingsPermissions;
}

export interface BashToolSetup {
  readonly bash: BashTool;
  readonly notes: readonly string[];
  /** Ends background jobs, the shells and the network of the sandbox. */
  readonly close: () => Promise<void>;
}

export async function createBashTool(options: CreateBashToolOptions, blobs: BlobStore): Promise<BashToolSetup> {
  const { cwd: root, environment, settings, mayWrite, deniedPaths, vault } = options;
  const withRedaction = (shell: WorkspaceShell): WorkspaceShell => (vault ? redactShell(shell, vault) : shell);
  const secrets = createSecretSource({
    vault: vault ?? null,
    environment,
    home: homedir(),
    writable: [root, tmpdir()],
    withheldVariables: listKeyVariables(),
  });
  const toolOptions = { blobs, redaction: vault ?? undefined, secrets };
  const unconfined = withRedaction(nodeShell({ root, environment, withheld: listKeyVariables() }));
  const openedSandbox = await options.sandbox;
  if (openedSandbox.type === "unavailable") {
    const notes = [
      ...describeMissingSandbox(openedSandbox, settings),
      ...describeUnenforcedRules([...deniedPaths.enforcedRules, ...deniedPaths.unenforcedRules]),
    ];
    const bash = bashTool(unconfined, toolOptions);
    return { bash, notes, close: () => bash.dispose() };
  }
  const network = createLazyNetwork(openedSandbox, options);
  const shells = await createSandboxShells(openedSandbox, options);
  const sandbox = {
    unconfined,
    mayWrite,
    network: network ? networkSetting(settings) : ("off" as const),
    temporary: shells.temporary,
    hasLocalhost: openedSandbox.type === "available",
    ...(network?.ports && { ports: network.ports }),
  };
  const bash = bashTool(withRedaction(network ? network.createShell(shells.create) : shells.create(null)), {
    ...toolOptions,
    sandbox,
  });
  return {
    bash,
    notes: [
      ...describeNetworkProblem(openedSandbox, settings),
      ...describeUnenforcedRules(deniedPaths.unenforcedRules),
    ],
    close: async () => {
      await bash.dispose();
      await shells.close();
      await network?.close();
    },
  };
}

interface SandboxShells {
  create(network: SandboxNetwork | null): WorkspaceShell;
  /** The temporary folder, as commands refer to it. */
  readonly temporary: string;
  close(): Promise<void>;
}

async function createSandboxShells(
  sandbox: Exclude<OpenSandbox, { type: "unavailable" }>,
  options: CreateBashToolOptions,
): Promise<SandboxShells> {
  const { permissions } = options;
  const common = await buildSandboxOptions(sandbox.folders, { ...options, caught: createCatchDecisions(permissions) });
  const sandboxOptions = { ...common, permitGitSettings: createGitSettingsCheck(permissions) };
  if (sandbox.type === "available") {
    const { program } = sandbox;
    return {
      create: (network) => sandboxedShell({ ...sandboxOptions, program, network }),
      temporary: "/tmp",
      close: async () => {},
    };
  }
  const { runtime } = sandbox;
  const shells: RuntimeShell[] = [];
  return {
    create: (network) => {
      const shell = runtimeShell({ ...sandboxOptions, runtime, network });
      shells.push(shell);
      return shell;
    },
    temporary: "$TMPDIR",
    close: async () => void (await Promise.all(shells.map((shell) => shell.close()))),
  };
}

function describeUnenforcedRules(rules: readonly Rule[]): readonly string[] {
  if (rules.length === 0) return [];
  const names = rules.map(({ text }) => text).join(", ");
  const subject = rules.length === 1 ? `the rule ${names} is` : `the rules ${names} are`;
  return [`${subject} enforced for tools but not for shell commands`];
}

/** Returns no note about the sandbox if the user switched it off. */
function describeMissingSandbox(
  { why, advice }: Extract<OpenSandbox, { type: "unavailable" }>,
  { sandbox, network }: Settings,
): readonly string[] {
  const reason = advice === undefined ? why : `${why}; ${advice}`;
  const notes =
    sandbox === "off"
      ? []
      : [`no sandbox is available, so each shell command needs --allow or --permission-mode all: ${reason}`];
  return network === "off" ? [...notes, "--network off applies only in the sandbox"] : notes;
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

export interface WorkspaceToolsOptions extends CreateBashToolOptions {
  readonly session: Session;
  readonly checkRestorePermission: CheckRestorePermission;
  readonly checkRereadPermission: CheckRestorePermission;
  readonly storage: SessionStorage;
  /** Returns the name of the skill whose text is in the file; null for other files. */
  readonly skillAt: (path: string) => string | null;
}

export interface WorkspaceTools {
  readonly tools: readonly Tool[];
  readonly files: WorkspaceFiles;
  readonly blobs: BlobStore;
  /** Absent if the session is not saved: then files cannot be restored. */
  readonly rewind?: RewindOptions;
  readonly rereadFiles: RereadOptions;
  readonly notes: readonly string[];
  /** Ends background jobs and closes the sandbox. */
  readonly close: () => Promise<void>;
}

export async function createWorkspaceTools(options: WorkspaceToolsOptions): Promise<WorkspaceTools> {
  const { cwd, session, storage, settings, vault } = options;
  const sandbox = await options.sandbox;
  // The sandbox runtime mounts nothing: commands and tools use the `/tmp` of the machine.
  const temporaryFolder = sandbox.type === "available" ? sandbox.folders.temporary : undefined;
  const fileOptions = { root: cwd, temporary: temporaryFolder, shown: listVisibleFolders(settings) };
  const files = nodeFiles(fileOptions);
  // Paths in the session may contain placeholders for secrets.
  const filesWithRestoredPaths = vault ? restoreFilePaths(files, vault) : files;
  const redaction = vault ?? undefined;
  const blobs = vault ? redactBlobs(storage.blobs, vault) : storage.blobs;
  const { originals } = storage;
  const readTracker = createReadTracker(session, filesWithRestoredPaths.resolve);
  const { bash, notes, close: closeBash } = await createBashTool(options, blobs);
  const unredactedSearch = nodeSearch({ ...fileOptions, ...(await findRipgrep(settings.tools)) });
  const search = vault ? redactSearch(unredactedSearch, vault) : unredactedSearch;
  const tools = [
    ...fileTools(
      {
        files,
        blobs,
        entries: session.store,
        redaction,
        skillAt: options.skillAt,
        shrinkImage,
        ...(originals && { originals }),
      },
      readTracker,
    ),
    bash,
    ...createRecallTool(options),
    ...searchTools({ files, search }),
    fetchTool(nodeWeb({ allowedHosts: settings.fetchHosts ?? [] }), { redaction }),
  ];
  const close = async (): Promise<void> => {
    await closeBash();
    await closeSandbox(sandbox);
  };
  const rewind = originals && {
    rewind: { files: filesWithRestoredPaths, originals, checkPermission: options.checkRestorePermission },
  };
  const rereadFiles = {
    files: filesWithRestoredPaths,
    readTracker,
    checkPermission: options.checkRereadPermission,
  };
  return { tools, files, blobs, ...rewind, rereadFiles, notes, close };
}

function createRecallTool({
  session,
  storage: { search, openSession },
  cwd,
  vault,
}: WorkspaceToolsOptions): readonly Tool[] {
  if (!search) return [];
  return [
    recallTool({ session, search, ...(openSession && { openSession }), redaction: vault ?? undefined, root: cwd }),
  ];
}

/** Returns the ripgrep that is installed with Pith. Without it, the search uses the machine's ripgrep, or walks the folders itself. */
async function findRipgrep(tools: readonly string[] = []): Promise<{ readonly ripgrep?: string }> {
  if (!tools.some((name) => ["all", "grep", "find"].includes(name))) return {};
  const ripgrepModule = await import("@vscode/ripgrep").catch(() => null);
  return ripgrepModule ? { ripgrep: ripgrepModule.rgPath } : {};
}

/** Selects tools by name. Without names: the default tools and all tools of extensions. */
export function selectTools(
  tools: readonly Tool[],
  {
    names,
    extensionTools = [],
  }: { readonly names?: readonly string[] | undefined; readonly extensionTools?: readonly Tool[] | undefined },
): readonly Tool[] {
  const isSelected = ({ name }: Tool): boolean => (names ?? defaultTools).includes(name);
  if (names?.includes("all")) return [...tools, ...extensionTools];
  return [...tools.filter(isSelected), ...(names ? extensionTools.filter(isSelected) : extensionTools)];
}

/** Returns a warning for each name that is neither a built-in tool nor a tool of an extension. */
export function describeUnknownTools(
  names: readonly string[] = [],
  extensionTools: readonly Tool[],
): readonly string[] {
  const knownNames = [...allTools, "all", ...extensionTools.map(({ name }) => name)];
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

/** Builds an agent from its parts: session, model, permissions, skills, extensions and tools. No other file knows all of them. */

import {
  Agent,
  type AgentEventListener,
  type AgentOptions,
  type AskPermission,
  type AuditRecord,
  type ExtensionActions,
  type Extensions,
  mergeHooks,
  type PermissionMode,
  type Permissions,
  type RewindOptions,
  type RunCostLimit,
  type SessionShutdownEvent,
  type SystemPromptOptions,
  type Tool,
} from "@pith/agent";
import { type Model, Session } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import type { Vault } from "@pith/context/secrets";
import type { RequestLimit } from "@pith/models";
import { type ExtensionOptions, findExtensionFolders, loadExtensions } from "./extensions/extensions.ts";
import { createSessionActions, createSessionListener } from "./extensions/session.ts";
import { createGitHeadReader, describeGitHead } from "./git-branch.ts";
import type { HostContext } from "./host-context.ts";
import { measureInBackground } from "./measure-session.ts";
import { loadSummarizers } from "./models/load-summarizers.ts";
import { createModelOpener, type OpenModelByName } from "./models/open-model.ts";
import { createPermissions, type FlagRules, type OutsideAccess, type PermissionSetup } from "./permissions.ts";
import { formatRefusal, getModeRefusal, requiresSandbox } from "./policy/policy.ts";
import {
  createGuidanceActions,
  type Guidance,
  type GuidanceActions,
  type GuidanceOptions,
  type LoadedGuidance,
  loadGuidance,
} from "./resources/guidance.ts";
import { openSessionModel, type SessionModel } from "./session-model.ts";
import type { SavedKeys } from "./settings/provider-keys.ts";
import { restoreSecrets } from "./settings/secrets.ts";
import type { Settings } from "./settings/settings.ts";
import type { SessionStorage } from "./storage.ts";
import { type AgentTools, createTools, describeUnknownTools, selectProviderTools, selectTools } from "./tools.ts";
import type { Workspace } from "./workspace.ts";

export interface BuildAgentOptions extends Pick<HostContext, "home" | "environment" | "settings"> {
  readonly storage: SessionStorage;
  readonly workspace: Workspace;
  /** The saved keys of providers. Default: the key file in Pith's home. */
  readonly keys?: SavedKeys;
  /** From `createVault`. Null: secrets are not redacted. */
  readonly vault: Vault | null;
  /** Who is asked and told. Absent: calls that need a permission are refused. */
  readonly user?: AgentUser;
  readonly permissions?: PermissionSources;
  /** The trusted files of the folder, and how to read the settings again. */
  readonly guidance?: GuidanceSources;
  /** Tools besides Pith's. */
  readonly tools?: readonly Tool[];
  /** Absent: no extensions are loaded, and no MCP servers. */
  readonly extensions?: ExtensionSources;
  /** Asked before every request to a model. Absent without a limit. */
  readonly costLimit?: (RunCostLimit & RequestLimit) | undefined;
  /** False if the work may need no model: then a missing model is no error. */
  readonly needsModel?: boolean;
  /** Further options of the agent and of its system prompt. */
  readonly agent?: AgentChoices;
}

export interface AgentUser {
  /** Asks before a call that needs permission. Absent: such a call is refused. */
  readonly ask?: AskPermission | undefined;
  readonly onEvent?: AgentEventListener;
  /** Shows a notice. */
  readonly notify?: (line: string) => void;
}

export interface PermissionSources {
  readonly flagRules?: FlagRules;
  /** Records decisions. Absent: they are not recorded. */
  readonly audit?: (record: AuditRecord) => void;
  /** How long a question of a running command waits before it counts as no. Default: as long as the command. */
  readonly commandQuestionTimeoutMs?: number;
  /** Default: `none`. */
  readonly outside?: OutsideAccess;
}

export type GuidanceSources = Pick<GuidanceOptions, "agentName" | "trustedFolder" | "commandNames" | "readSettings">;

export type ExtensionSources = Pick<ExtensionOptions, "readVersion" | "bundled" | "mcpServers" | "ui" | "onMcpStatus">;

export type AgentChoices = Pick<AgentOptions, "hooks" | "describeFailure" | "openingNote"> &
  Pick<SystemPromptOptions, "customPrompt" | "appendedPrompt"> & { readonly maxTurns?: number | undefined };

/** The agent and the parts that its program uses. */
export interface BuiltAgent extends GuidanceActions {
  readonly type: "built";
  readonly agent: Agent;
  readonly tools: readonly Tool[];
  /** Notices for the user. */
  readonly notes: readonly string[];
  /** Why there is no model. Null if there is one. */
  readonly missingModel: string | null;
  readonly openModel: OpenModelByName;
  readonly permissions: Permissions;
  readonly permissionMode: PermissionModeControl;
  /** Absent if files cannot be restored. */
  readonly rewind?: RewindOptions;
  /** Null if there are none. */
  readonly extensions: Extensions | null;
  /** The actions of extensions in this session. Null if there are no extensions. */
  readonly extensionActions: ExtensionActions | null;
  /** Emits `session_shutdown` to extensions, and ends background jobs. Default reason: `quit`. The storage and the workspace stay open. */
  readonly close: (shutdown?: SessionShutdown) => Promise<void>;
}

export interface PermissionModeControl {
  readonly get: () => PermissionMode;
  /** Returns why the mode cannot be set, or null on success. The model is informed before the next request. */
  readonly set: (mode: PermissionMode) => string | null;
}

/** Why the session ends, and the file of the next session if there is one. */
export type SessionShutdown = Omit<SessionShutdownEvent, "type">;

/** `isUsageError`: the settings or the flags have to change. */
export interface BuildFailure {
  readonly type: "failed";
  readonly message: string;
  readonly isUsageError: boolean;
}

/** After a failure, the caller closes the storage and the workspace. */
export async function buildAgent(options: BuildAgentOptions): Promise<BuiltAgent | BuildFailure> {
  const { storage, workspace, home, environment, settings, user } = options;
  const context: HostContext = { cwd: workspace.folder, userHome: workspace.userHome, home, environment, settings };
  const parts = await createParts(options, context);
  if (parts.type === "failed") return parts;
  const { extensions, permissionSetup, session, sessionModel, guidance, guidanceOptions, agentTools } = parts;
  const { permissions } = permissionSetup;
  const addedTools = listAddedTools(options, extensions);
  const tools = selectTools(agentTools.tools, { names: settings.tools, addedTools });
  const buildSystemPrompt = createPromptBuilder(options, { ...parts, context, tools });
  let agent: Agent | null = null;
  const getModel = (): Model => (agent ?? sessionModel).model;
  const openModel = createModelOpener({
    ...pickModelOptions(options),
    sessionId: session.store.header.id,
    provider: sessionModel.model.provider,
    currentProvider: () => getModel().provider,
  });
  agent = new Agent({
    ...createAgentOptions(options, parts),
    tools,
    systemPrompt: buildSystemPrompt(guidance.state.guidance),
    ...(await loadSummarizers(settings.compaction, {
      ...{ openModel, currentModel: getModel, home },
      extensionSummarizers: extensions?.summarizers ?? [],
    })),
  });
  const builtAgent = agent;
  measureInBackground(session);
  return {
    type: "built",
    agent,
    tools,
    notes: [
      ...sessionModel.notes,
      ...permissionSetup.notes,
      ...agentTools.notes,
      ...guidance.state.guidance.notes,
      ...(extensions?.notes ?? []),
      ...describeUnknownTools(settings.tools, addedTools),
    ],
    missingModel: sessionModel.error,
    openModel,
    permissions,
    permissionMode: {
      get: () => permissions.mode,
      set: (mode) => {
        const refusal = getModeRefusal(settings.policy, mode);
        if (refusal !== null) return refusal;
        permissions.setMode(mode);
        builtAgent.setSystemPrompt(buildSystemPrompt(guidance.state.guidance));
        return null;
      },
    },
    ...(agentTools.rewind && { rewind: agentTools.rewind }),
    extensions,
    extensionActions:
      extensions &&
      createSessionActions({
        ...{ agent, openModel, cwd: context.cwd, ui: options.extensions?.ui, notify: user?.notify },
        sessionFile: storage.file ?? null,
      }),
    ...createGuidanceActions(agent, guidance, { ...guidanceOptions, buildSystemPrompt }),
    close: async (shutdown = { reason: "quit" }) => {
      await extensions?.dispatch({ type: "session_shutdown", ...shutdown });
      await agentTools.close();
    },
  };
}

/** What exists before the agent. */
interface AgentParts {
  readonly type: "parts";
  readonly extensions: Extensions | null;
  readonly permissionSetup: Extract<PermissionSetup, { type: "permissions" }>;
  readonly session: Session;
  readonly sessionModel: SessionModel;
  readonly guidanceOptions: GuidanceOptions;
  readonly guidance: LoadedGuidance;
  readonly agentTools: AgentTools;
}

async function createParts(options: BuildAgentOptions, context: HostContext): Promise<AgentParts | BuildFailure> {
  const { storage, workspace, settings, vault, user } = options;
  const sandboxProblem = await findSandboxProblem(settings, workspace);
  if (sandboxProblem !== null) return { type: "failed", message: sandboxProblem, isUsageError: false };
  const extensions = await loadSessionExtensions(options, context);
  const permissionSetup = await createPermissions({
    ...{ context, workspace, vault, ask: user?.ask, privatePaths: storage.privatePaths ?? [] },
    addedTools: listAddedTools(options, extensions),
    extensionRules: extensions?.rules,
    ...options.permissions,
  });
  if (permissionSetup.type === "failed") return { ...permissionSetup, isUsageError: true };
  const session = await Session.open(storage.store, nodeRuntime, { redaction: vault ?? undefined });
  const sessionModel = await openSessionModel(session, pickModelOptions(options));
  if (sessionModel.error !== null && options.needsModel !== false)
    return { type: "failed", message: sessionModel.error, isUsageError: true };
  const guidanceOptions: GuidanceOptions = {
    ...context,
    ...options.guidance,
    mayRead: permissionSetup.mayRead,
    notify: user?.notify ?? (() => {}),
    extensionFolders: extensions ? await findExtensionFolders(extensions, context) : undefined,
  };
  const guidance = await loadGuidance(guidanceOptions);
  const { findSkillName } = guidance;
  const toolOptions = { context, workspace, storage, session, vault, permissionSetup, findSkillName };
  const agentTools = await createTools(toolOptions);
  const parts = { extensions, permissionSetup, session, sessionModel, guidanceOptions, guidance, agentTools };
  return { type: "parts", ...parts };
}

function listAddedTools({ tools = [] }: BuildAgentOptions, extensions: Extensions | null): readonly Tool[] {
  return [...tools, ...(extensions?.tools ?? [])];
}

function pickModelOptions({ home, environment, settings, keys, vault, costLimit }: BuildAgentOptions) {
  return { home, environment, settings, keys, vault, costLimit };
}

/** Waits for the sandbox only if the policy requires one. */
async function findSandboxProblem({ policy }: Settings, { sandbox }: Workspace): Promise<string | null> {
  if (policy === undefined || !requiresSandbox(policy)) return null;
  const status = await sandbox;
  if (status.type === "available") return null;
  return `${formatRefusal(policy, "commands without a sandbox")} No sandbox is available: ${status.why}`;
}

async function loadSessionExtensions(
  { extensions, guidance, user, vault }: BuildAgentOptions,
  context: HostContext,
): Promise<Extensions | null> {
  if (!extensions) return null;
  return await loadExtensions({ ...context, ...extensions, ...guidance, ...user, vault });
}

/** The permission mode decides which tools of the provider are offered. It is also stated in the prompt. */
function createPromptBuilder(
  { agent: { customPrompt, appendedPrompt } = {} }: BuildAgentOptions,
  {
    context: { cwd: folder },
    permissionSetup: { permissions },
    sessionModel: { model },
    tools,
  }: AgentParts & { readonly context: HostContext; readonly tools: readonly Tool[] },
): (guidance: Guidance) => SystemPromptOptions {
  const readGitHead = createGitHeadReader(folder);
  return ({ project, catalogue: skills }) => ({
    folder,
    readGitBranch: () => describeGitHead(readGitHead()),
    projectTexts: project,
    skills,
    mode: permissions.mode,
    providerTools: selectProviderTools(tools, { permissions, model }),
    ...(customPrompt !== undefined && { customPrompt }),
    ...(appendedPrompt !== undefined && { appendedPrompt }),
  });
}

function createAgentOptions(
  { settings: { compaction }, vault, user, costLimit, agent: choices = {} }: BuildAgentOptions,
  { extensions, permissionSetup, session, sessionModel, guidance, agentTools }: AgentParts,
): Omit<AgentOptions, "tools"> {
  const { permissions, mayRead } = permissionSetup;
  const { model, thinkingLevel } = sessionModel;
  const { describeFailure, openingNote, maxTurns } = choices;
  const hooks = extensions ? mergeHooks(...(choices.hooks ? [choices.hooks] : []), extensions.hooks) : choices.hooks;
  const onEvent = extensions
    ? createSessionListener(user?.onEvent, extensions, { model, level: thinkingLevel ?? "off" })
    : user?.onEvent;
  return {
    session,
    model,
    runtime: nodeRuntime,
    permissions,
    blobs: agentTools.blobs,
    skillFiles: guidance,
    limits: guidance.limits,
    runLimits: { ...(maxTurns !== undefined && { maxTurns }), ...(costLimit && { costLimit }) },
    ...(onEvent && { onEvent }),
    ...(hooks && { hooks }),
    ...(describeFailure && { describeFailure }),
    ...(openingNote !== undefined && { openingNote }),
    ...(extensions && { stateSections: extensions.stateSections }),
    ...(vault && { secrets: restoreSecrets(vault, { session, files: agentTools.files, mayRead }) }),
    ...(agentTools.rewind && { rewind: agentTools.rewind }),
    ...(compaction?.rereadFiles !== false && { rereadFiles: agentTools.rereadFiles }),
    ...(compaction?.instructions && { instructions: compaction.instructions }),
    ...(thinkingLevel && { thinkingLevel }),
  };
}

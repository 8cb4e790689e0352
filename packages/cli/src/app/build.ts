/** Builds the agent of a session from its parts: session, model, permissions, guidance and tools. No other file knows all of them. */

import { homedir } from "node:os";
import {
  Agent,
  type AgentOptions,
  type ExtensionActions,
  mergeHooks,
  type Permissions,
  type RewindOptions,
  type SessionShutdownEvent,
  type SystemPromptOptions,
  type Tool,
} from "@pith/agent";
import { nodeRuntime } from "@pith/context/node";
import {
  createGitHeadReader,
  createPermissions,
  createWorkspaceTools,
  describeGitHead,
  describeUnknownTools,
  type PermissionSetup,
  selectProviderTools,
  selectTools,
  type WorkspaceTools,
} from "@pith/host";
import { createSessionActions, createSessionListener } from "@pith/host/extensions";
import { createModelOpener, findBaseUrlOwner, loadSummarizers, type OpenModelByName } from "@pith/host/models";
import { formatRefusal, getModeRefusal, requiresSandbox } from "@pith/host/policy";
import {
  createGuidanceActions,
  type ExtensionFolders,
  type Guidance,
  type GuidanceActions,
  type GuidanceOptions,
  type LoadedGuidance,
  loadGuidance,
} from "@pith/host/resources";
import { closeSandbox, describeLeftFiles, type OpenSandbox, openSandbox } from "@pith/host/sandbox";
import { listOutsideSessionPaths, restoreSecrets, type Settings } from "@pith/host/settings";
import type { CliArgs } from "../args/args.ts";
import type { PermissionModeControl } from "../commands/command.ts";
import { listCommandNames } from "../commands/names.ts";
import { resolveSettings } from "../settings/resolve.ts";
import type { AppOptions } from "./app-options.ts";
import { type AuditClient, AuditLog } from "./audit-log.ts";
import {
  buildResumeHint,
  measureInBackground,
  openSessionAndModel,
  type ResumeHint,
  type SessionAndModel,
  type SessionModel,
  type StartFailure,
} from "./session.ts";
import { describeDamage, describeTornEnd, type SessionDamagedEvent } from "./session-damage.ts";
import { openStorage } from "./storage.ts";

/** The agent, its session, and the other parts that modes and commands use. */
export interface AppParts extends GuidanceActions, ResumeHint {
  readonly type: "built";
  readonly agent: Agent;
  readonly tools: readonly Tool[];
  /** Notices for the user. */
  readonly notes: readonly string[];
  /** The damage found when the session was opened. Null if all of the session can be read. */
  readonly damage: SessionDamagedEvent | null;
  /** The session's file. Null if the session is not saved. */
  readonly sessionPath: string | null;
  /** Why there is no model. Null if there is one. */
  readonly missingModel: string | null;
  readonly openModel: OpenModelByName;
  readonly permissions: Permissions;
  readonly permissionMode: PermissionModeControl;
  /** The contents of files before the session changed them. Absent if the session is not saved. */
  readonly rewind?: RewindOptions;
  /** The actions of extensions in this session. Null if there are no extensions. */
  readonly extensionActions: ExtensionActions | null;
  /** Emits `session_shutdown` to extensions, then closes the session and its files. Default reason: `quit`. */
  readonly close: (shutdown?: SessionShutdownDetails) => Promise<void>;
}

export type BuildAppResult = AppParts | StartFailure;

/** Why the session ends, and the file of the next session if there is one. */
export type SessionShutdownDetails = Omit<SessionShutdownEvent, "type">;

export async function buildApp(args: CliArgs, options: AppOptions): Promise<BuildAppResult> {
  const components = await createComponents(args, options);
  if (components.type === "failed") return components;
  const { sessionAndModel, permissionSetup, guidanceOptions, loadedGuidance, workspace, audit } = components;
  const { tools: toolNames } = options.settings;
  const { tools: extensionTools = [], notes: extensionNotes = [] } = options.extensions ?? {};
  const tools = selectTools(workspace.tools, { names: toolNames, extensionTools });
  const { permissions } = permissionSetup;
  if (options.parentLimits) {
    options.parentLimits.permissions = permissions;
    options.parentLimits.baseUrlOwner = findBaseUrlOwner(options.settings, sessionAndModel.model.provider);
  }
  const readGitHead = createGitHeadReader(options.cwd);
  const readGitBranch = (): string | null => describeGitHead(readGitHead());
  // The permission mode decides which provider tools are offered. It is also stated in the prompt.
  const buildSystemPrompt = ({ project, catalogue: skills }: Guidance): SystemPromptOptions => ({
    folder: options.cwd,
    readGitBranch,
    projectTexts: project,
    skills,
    mode: permissions.mode,
    providerTools: selectProviderTools(tools, { permissions, ...sessionAndModel }),
    ...pickPromptOptions(args),
  });
  const { session, path, modelError, damage } = sessionAndModel;
  const { gaps } = session.branch;
  const built: { agent?: Agent } = {};
  const openModel = createModelOpener({
    ...options,
    sessionId: session.store.header.id,
    provider: sessionAndModel.model.provider,
    currentProvider: () => (built.agent ?? sessionAndModel).model.provider,
  });
  const { guidance } = loadedGuidance.state;
  const { maxTurns } = args.runLimits ?? {};
  const { costLimit } = options;
  const agent = await createAgent(components, {
    options,
    tools,
    openModel,
    systemPrompt: buildSystemPrompt(guidance),
    runLimits: { ...(maxTurns !== undefined && { maxTurns }), ...(costLimit && { costLimit }) },
    mode: args.mode,
  });
  built.agent = agent;
  return {
    type: "built",
    agent,
    tools,
    notes: [
      ...sessionAndModel.modelNotes,
      ...permissionSetup.notes,
      ...workspace.notes,
      ...guidance.notes,
      ...extensionNotes,
      ...describeUnknownTools(toolNames, extensionTools),
    ],
    damage: path === null ? null : describeDamage({ ...options, damage, gaps, path, id: session.store.header.id }),
    sessionPath: path,
    missingModel: modelError,
    openModel,
    permissions,
    permissionMode: {
      get: () => permissions.mode,
      set: (mode) => {
        const refusal = getModeRefusal(options.settings.policy, mode);
        if (refusal !== null) return refusal;
        permissions.setMode(mode);
        agent.setSystemPrompt(buildSystemPrompt(loadedGuidance.state.guidance));
        return null;
      },
    },
    ...(workspace.rewind && { rewind: workspace.rewind }),
    extensionActions: options.extensions
      ? createSessionActions({ agent, options, sessionPath: path, openModel })
      : null,
    ...createGuidanceActions(agent, loadedGuidance, { ...guidanceOptions, buildSystemPrompt }),
    ...buildResumeHint(args, session),
    close: async (shutdown = { reason: "quit" }) => {
      await options.extensions?.dispatch({ type: "session_shutdown", ...shutdown });
      await workspace.close();
      await sessionAndModel.close();
      audit?.close();
    },
  };
}

/** The parts that exist before the agent: its session and model, permissions, guidance and workspace. */
interface AppComponents {
  readonly type: "components";
  readonly permissionSetup: Extract<PermissionSetup, { type: "permissions" }>;
  readonly sessionAndModel: Extract<SessionAndModel, { type: "opened" }>;
  readonly guidanceOptions: GuidanceOptions;
  readonly loadedGuidance: LoadedGuidance;
  readonly workspace: WorkspaceTools;
  readonly audit: AuditLog | null;
}

async function createComponents(args: CliArgs, options: AppOptions): Promise<AppComponents | StartFailure> {
  const { cwd, home, environment, settings, trustedFolder, notify = () => {} } = options;
  const userHome = homedir();
  // Not awaited here: a child process tests the sandbox while the other parts are created.
  const sandbox = openSandbox(options);
  void sandbox.then(async (opened) => {
    if (opened.type !== "unavailable") for (const line of describeLeftFiles(await opened.cleanup)) notify(line);
  });
  const temporaryFolder = sandbox.then((opened) => (opened.type === "unavailable" ? null : opened.folders.temporary));
  const sandboxFailure = await checkRequiredSandbox(settings, sandbox);
  if (sandboxFailure !== null) return sandboxFailure;
  const audit = openAuditLog(args, options);
  const auditFailure = checkRequiredAuditLog(settings, audit);
  if (auditFailure !== null) return await closeSandboxAndFail(sandbox, auditFailure);
  const sessionPaths = Promise.withResolvers<readonly string[]>();
  const permissionSetup = await createPermissions({
    ...{ ...options, userHome, temporaryFolder, sessionPaths: sessionPaths.promise, flagRules: args },
    vault: options.vault ?? null,
    extensions: options.extensions ?? null,
    ...(audit && { audit: (record) => audit.record(record) }),
  });
  if (permissionSetup.type === "failed") return await closeSandboxAndFail(sandbox, permissionSetup);
  const sessionAndModel = await openSessionAndModel(args, options);
  if (sessionAndModel.type === "failed") return await closeSandboxAndFail(sandbox, sessionAndModel);
  if (audit) audit.sessionId = sessionAndModel.session.store.header.id;
  const outsideSessionPaths = listOutsideSessionPaths(listSessionFiles(sessionAndModel), home);
  sessionPaths.resolve(outsideSessionPaths);
  const { mayRead, deniedPaths } = permissionSetup;
  const extensionFolders = await findExtensionFolders(options);
  const guidanceOptions = {
    agentName: args.agent,
    readSettings: () => resolveSettings(args, { cwd, home, userHome, environment }),
    cwd,
    home,
    userHome,
    settings,
    mayRead,
    trustedFolder,
    notify,
    commandNames: listCommandNames,
    ...(extensionFolders && { extensionFolders }),
  };
  const loadedGuidance = await loadGuidance(guidanceOptions);
  const { session } = sessionAndModel;
  const workspace = await createWorkspaceTools({
    ...options,
    ...permissionSetup,
    deniedPaths: { ...deniedPaths, unreadable: [...deniedPaths.unreadable, ...outsideSessionPaths] },
    vault: options.vault ?? null,
    session,
    storage: openStorage(sessionAndModel, options),
    sandbox,
    skillAt: loadedGuidance.findSkillName,
    checkRestorePermission: (path) => permissionSetup.permissions.permitRestore(path),
    checkRereadPermission: (path) => permissionSetup.permissions.permitReread(path),
  });
  return { type: "components", permissionSetup, sessionAndModel, guidanceOptions, loadedGuidance, workspace, audit };
}

/** The session's file, and that of the session that it was forked from or that started it. */
function listSessionFiles({ session, path }: Extract<SessionAndModel, { type: "opened" }>): readonly string[] {
  const { parentSession } = session.store.header;
  return [path, parentSession].filter((file) => typeof file === "string");
}

function openAuditLog(
  { mode }: CliArgs,
  { home, cwd, settings, notify = () => {} }: Pick<AppOptions, "home" | "cwd" | "settings" | "notify">,
): AuditLog | null {
  if (settings.auditLog === false) return null;
  return new AuditLog({ home, cwd, notify, client: toAuditClient(mode, settings) });
}

/** Fails the start if the policy requires the audit log and it cannot be written. */
function checkRequiredAuditLog({ policy }: Settings, audit: AuditLog | null): StartFailure | null {
  if (policy?.auditLog === undefined || audit === null) return null;
  const reason = audit.checkWritable();
  if (reason === null) return null;
  return {
    type: "failed",
    message: `${formatRefusal(policy, "work without the audit log")} The audit log cannot be written: ${reason}`,
    code: 1,
  };
}

function toAuditClient(mode: CliArgs["mode"], { plain }: Settings): AuditClient {
  if (mode === "screen") return plain ? "plain" : "screen";
  return mode === "rpc" || mode === "acp" ? mode : "print";
}

/** Fails the start if the policy requires a sandbox and there is none. Waits for the sandbox only in that case. */
async function checkRequiredSandbox({ policy }: Settings, sandbox: Promise<OpenSandbox>): Promise<StartFailure | null> {
  if (policy === undefined || !requiresSandbox(policy)) return null;
  const opened = await sandbox;
  if (opened.type !== "unavailable") return null;
  const message = `${formatRefusal(policy, "commands without a sandbox")} No sandbox is available: ${opened.why}`;
  return { type: "failed", message, code: 1 };
}

async function closeSandboxAndFail<Failed>(sandbox: Promise<OpenSandbox>, failure: Failed): Promise<Failed> {
  await closeSandbox(await sandbox);
  return failure;
}

/** Asks extensions for folders of skills and prompt templates. Returns null if there are no extensions. */
async function findExtensionFolders({
  extensions,
  cwd,
}: Pick<AppOptions, "extensions" | "cwd">): Promise<ExtensionFolders | null> {
  if (!extensions) return null;
  const resources = await extensions.dispatch({ type: "resources_discover", cwd, reason: "startup" });
  return {
    skills: resources.flatMap(({ skillPaths = [] }) => skillPaths),
    prompts: resources.flatMap(({ promptPaths = [] }) => promptPaths),
  };
}

interface CreateAgentOptions extends Pick<AgentOptions, "tools" | "systemPrompt" | "runLimits"> {
  readonly options: AppOptions;
  readonly openModel: OpenModelByName;
  readonly mode: CliArgs["mode"];
}

async function createAgent(
  components: AppComponents,
  { options, openModel, mode, ...agentOptions }: CreateAgentOptions,
): Promise<Agent> {
  const { sessionAndModel, permissionSetup, loadedGuidance, workspace } = components;
  const { settings, vault, extensions } = options;
  const hooks = extensions ? mergeHooks(...(options.hooks ? [options.hooks] : []), extensions.hooks) : options.hooks;
  const { session, model, thinkingLevel, damage } = sessionAndModel;
  const openingNote = describeTornEnd(damage);
  const { permissions, mayRead } = permissionSetup;
  const agent: Agent = new Agent({
    ...agentOptions,
    session,
    model,
    runtime: nodeRuntime,
    permissions,
    blobs: workspace.blobs,
    skillFiles: loadedGuidance,
    limits: loadedGuidance.limits,
    describeFailure: (failure, failedModel) => describeFailure(failure, failedModel, { mode, ...options }),
    ...createEventListener(options, sessionAndModel),
    ...(hooks && { hooks }),
    ...(openingNote !== null && { openingNote }),
    ...(extensions && { stateSections: extensions.stateSections }),
    ...(vault && { secrets: restoreSecrets(vault, { session, files: workspace.files, mayRead }) }),
    ...(workspace.rewind && { rewind: workspace.rewind }),
    ...(settings.compaction?.rereadFiles !== false && { rereadFiles: workspace.rereadFiles }),
    ...(settings.compaction?.instructions && { instructions: settings.compaction.instructions }),
    ...(thinkingLevel && { thinkingLevel }),
    ...(await loadSummarizers(settings.compaction, {
      openModel,
      currentModel: () => agent.model,
      extensionSummarizers: extensions?.summarizers ?? [],
      home: options.home,
    })),
  });
  measureInBackground(session);
  return agent;
}

/** Imports the module only after a failure. */
async function describeFailure(...failureArguments: Parameters<DescribeFailure>): Promise<string> {
  const { describeFailure: describe } = await import("../models/describe-failure.ts");
  return await describe(...failureArguments);
}

type DescribeFailure = typeof import("../models/describe-failure.ts").describeFailure;

/** Forwards events to extensions too. */
function createEventListener(
  { onEvent, extensions }: Pick<AppOptions, "onEvent" | "extensions">,
  { model, thinkingLevel = "off" }: SessionModel,
): Pick<AgentOptions, "onEvent"> {
  if (!extensions) return onEvent ? { onEvent } : {};
  return { onEvent: createSessionListener(onEvent, extensions, { model, level: thinkingLevel }) };
}

function pickPromptOptions({
  systemPrompt,
  appendSystemPrompt,
}: CliArgs): Pick<SystemPromptOptions, "customPrompt" | "appendedPrompt"> {
  return {
    ...(systemPrompt !== undefined && { customPrompt: systemPrompt }),
    ...(appendSystemPrompt !== undefined && { appendedPrompt: appendSystemPrompt }),
  };
}

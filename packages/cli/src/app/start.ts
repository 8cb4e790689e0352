/** Starts an app: resolves trust and settings, reads the first prompt, loads extensions and builds the agent. */

import { homedir } from "node:os";
import { type AgentEventListener, type AskPermission, MAX_IMAGE_SOURCE_BYTES, type UserContent } from "@pith/agent";
import { nodeFiles } from "@pith/agent/node";
import type { Redaction } from "@pith/context";
import { pithHome } from "@pith/context/node";
import type { ExtensionSources } from "@pith/host/build-agent";
import { askExtensionsForTrust } from "@pith/host/extensions/extensions";
import { emitSessionStart, type SessionStart } from "@pith/host/extensions/session";
import { resolveSummaryModels } from "@pith/host/models/open-model";
import type { ResolvedSettings } from "@pith/host/resources/guidance";
import { createVault, REDACTION_OFF_NOTICE } from "@pith/host/settings/secrets";
import { type UsageError, usageError } from "@pith/host/text/usage-error";
import { hashProject } from "@pith/host/trust/project-files";
import { CostLimit } from "@pith/models";
import type { CliArgs } from "../args/args.ts";
import { listCommandNames } from "../commands/names.ts";
import { listBundledExtensions } from "../extensions/bundled.ts";
import { buildPromptContent, type PromptContent } from "../resources/attachments.ts";
import { readStdin } from "../resources/read-stdin.ts";
import { type ListedSetting, listSettings } from "../settings/list.ts";
import { type EffectiveSettings, type ProcessContext, resolveSettings } from "../settings/resolve.ts";
import type { ApplyAgentResult } from "../sub-agents/definitions.ts";
import type { ParentLimits } from "../sub-agents/sub-agent-options.ts";
import { type AppOptions, type AppParts, buildApp } from "./build.ts";
import { takeNotices } from "./notices.ts";
import type { StartFailure } from "./session.ts";
import type { SessionDamagedEvent } from "./session-damage.ts";

/** An open session and everything that modes and commands use with it. */
export interface App
  extends Pick<AppOptions, "cwd" | "home" | "environment" | "settings" | "vault">,
    Omit<AppParts, "type" | "notes"> {
  readonly type: "app";
  readonly args: CliArgs;
  /** Shows a notice to the user. */
  readonly notify: (line: string) => void;
  /** Lists every setting with its value and its source. */
  readonly listSettings: () => readonly ListedSetting[];
  /** Describes the MCP servers of this session, or says that there are none. */
  readonly describeMcpServers: () => Promise<string>;
  /** The prompt of print or JSON mode. Null in other modes, and if the prompt may be a command, which is tried first. */
  readonly promptContent: Exclude<PromptContent, UsageError> | null;
  /** Emits `session_start` to extensions. Only the first call has an effect. `startApp` calls it, unless `Frontend.sessionStart` is `later`. */
  readonly emitSessionStart: (start?: SessionStart) => Promise<void>;
  /** Returns the event of a damaged session on the first call, and null on later calls. */
  readonly takeDamageEvent: () => SessionDamagedEvent | null;
}

export interface Frontend
  extends Pick<AppOptions, "costLimit" | "hooks" | "needsModel">,
    Pick<ExtensionSources, "mcpServers" | "ui"> {
  /** Asks the user before a call that needs permission; absent: such a call is refused. */
  readonly askPermission?: AskPermission;
  /** The folder to work in. Default: the folder that the program was started in. */
  readonly cwd?: string;
  /** Why the session starts. Default: the program starts. `later`: the caller calls `emitSessionStart` itself. */
  readonly sessionStart?: SessionStart | "later";
  /** Receives every event of the agent. */
  readonly onEvent: AgentEventListener;
  /** Shows a notice to the user. */
  readonly notify: (line: string) => void;
  /** Sets the redaction that all later output must pass through, so that it contains no secrets. */
  readonly setRedaction: (redaction: Redaction) => void;
}

export async function startApp(cliArgs: CliArgs, frontend: Frontend): Promise<App | UsageError | StartFailure> {
  const { notify, setRedaction, askPermission, hooks, mcpServers, ui, sessionStart, cwd = process.cwd() } = frontend;
  const processContext = { cwd, home: pithHome(), userHome: homedir(), environment: process.env };
  const { effective, trustedArgs } = await resolveSettingsAndTrust(cliArgs, processContext);
  if (effective.type === "mistake") return effective;
  const { sources: settingSources, trustedFolder } = effective;
  const resolved = await applyAgentDefinition(trustedArgs, {
    ...processContext,
    trustedFolder,
    settings: effective.settings,
  });
  if (resolved.type === "mistake") return resolved;
  const { args } = resolved;
  const withSummaryModels = await resolveSummaryModels(resolved.settings, processContext);
  if (withSummaryModels.type === "mistake") return withSummaryModels;
  const { settings } = withSummaryModels;
  const vault = await createVault({ ...processContext, settings, mcpServers });
  if (vault) setRedaction(vault);
  const isCommand = args.prompt.startsWith("/");
  // Interactive mode sends the prompt after the screen is ready. RPC and ACP clients send their own prompts.
  const isOneShot = args.mode === "text" || args.mode === "json";
  const promptContent = isCommand || !isOneShot ? null : await readPromptContent(args, notify, { cwd });
  if (promptContent?.type === "mistake") return promptContent;
  const { maxTurns, maxCost } = args.runLimits ?? {};
  const ownCostLimit = maxCost === undefined ? null : new CostLimit(maxCost);
  const costLimit = frontend.costLimit ?? ownCostLimit;
  let describeUsedServers: (() => Promise<string>) | null = null;
  const parentLimits: ParentLimits = {
    trustedHash: args.trustsProject && trustedFolder.type === "trusted" ? hashProject(trustedFolder.project) : null,
    maxTurns,
    costLimit: ownCostLimit,
    overrides: buildInheritedOverrides(args, settings),
    permissions: null,
    baseUrlOwner: null,
  };
  for (const notice of await takeNotices({ ...processContext, isSessionSaved: args.session.type !== "none" }))
    notify(notice);
  const built = await buildApp(args, {
    ...processContext,
    settings,
    vault,
    user: { ask: askPermission, onEvent: frontend.onEvent, notify },
    guidance: {
      agentName: args.agent,
      trustedFolder,
      commandNames: listCommandNames,
      readSettings: () => resolveSettings(args, processContext),
    },
    extensions: {
      readVersion: async () => (await import("../args/help.ts")).version(),
      bundled: listBundledExtensions({ ...processContext, trustedFolder, vault, notify, parentLimits }),
      mcpServers,
      ui,
      onMcpStatus: (describeServers) => {
        describeUsedServers = describeServers;
      },
    },
    costLimit: costLimit ?? undefined,
    hooks,
    parentLimits,
    needsModel: frontend.needsModel ?? !isCommand,
  });
  if (built.type === "failed") return built.code === 1 ? built : usageError(built.message);
  for (const line of [...effective.notes, ...resolved.notes, ...(vault ? [] : [REDACTION_OFF_NOTICE]), ...built.notes])
    notify(line);
  const emitSessionStart = createSessionStartEmitter(built);
  if (sessionStart !== "later") await emitSessionStart(sessionStart);
  const { notes: _, ...parts } = built;
  return {
    ...parts,
    type: "app",
    args,
    cwd,
    home: processContext.home,
    environment: processContext.environment,
    settings,
    vault,
    notify,
    listSettings: () => {
      const { settings: current, sources = settingSources } = built.readCurrentSettings();
      return listSettings(current, sources);
    },
    describeMcpServers: () =>
      (describeUsedServers ?? (() => describeUnusedServers({ ...processContext, settings, notify })))(),
    promptContent,
    emitSessionStart,
    takeDamageEvent: createTakeOnce(built.damage),
  };
}

/** Describes the servers while no session uses them: none is configured or enabled, or extensions are off. */
async function describeUnusedServers({
  cwd,
  home,
  environment,
  settings,
  notify,
}: Pick<App, "cwd" | "home" | "environment" | "settings" | "notify">): Promise<string> {
  if (settings.extensions === false)
    return "MCP servers are off, because --no-extensions or the setting extensions turns off all extensions.";
  const { listServers } = await import("../mcp/subcommands.ts");
  const result = await listServers({ cwd, home, environment, notify, arguments: [], flags: {} });
  return result.type === "success" ? result.text : result.message;
}

function createTakeOnce<Value>(value: Value | null): () => Value | null {
  let remaining = value;
  return () => {
    const current = remaining;
    remaining = null;
    return current;
  };
}

/** A sub-agent must not have a tool that its parent lacks, even if the parent's tools come from settings or an agent definition. */
function buildInheritedOverrides(args: CliArgs, { tools }: AppOptions["settings"]): CliArgs["overrides"] {
  return tools ? { ...args.overrides, tools } : args.overrides;
}

/** An extension of the user can declare the folder trusted. */
async function resolveSettingsAndTrust(
  args: CliArgs,
  processContext: ProcessContext,
): Promise<{ readonly effective: EffectiveSettings; readonly trustedArgs: CliArgs }> {
  const effective = await resolveSettings(args, processContext);
  if (
    effective.type === "mistake" ||
    effective.trustedFolder.type === "trusted" ||
    effective.trustedFolder.project.files.length === 0
  )
    return { effective, trustedArgs: args };
  const { trustedFolder, settings } = effective;
  const isTrusted = await askExtensionsForTrust({
    ...processContext,
    trustedFolder,
    settings,
    commandNames: listCommandNames,
  });
  if (!isTrusted) return { effective, trustedArgs: args };
  // The flag keeps the folder trusted when the settings are read again.
  const trustedArgs = { ...args, trustsProject: true };
  return { effective: await resolveSettings(trustedArgs, processContext), trustedArgs };
}

function createSessionStartEmitter({
  extensions,
  extensionActions,
}: Pick<AppParts, "extensions" | "extensionActions">): App["emitSessionStart"] {
  let isDone = false;
  return async (sessionStart) => {
    if (!extensions || !extensionActions || isDone) return;
    isDone = true;
    await emitSessionStart({ extensions, actions: extensionActions, start: sessionStart });
  };
}

/** Imports the module only if `--agent` is set, to keep the start fast. */
async function applyAgentDefinition(
  args: CliArgs,
  options: Pick<ResolvedSettings, "settings" | "trustedFolder"> & { readonly home: string },
): Promise<ApplyAgentResult> {
  const { agent } = args;
  if (agent === undefined) return { type: "applied", args, settings: options.settings, notes: [] };
  const { applyAgent } = await import("../sub-agents/definitions.ts");
  return await applyAgent({ ...args, agent }, options);
}

export interface ReadPromptOptions {
  readonly cwd?: string;
  /** Replaces the prompt of the arguments, for example with an expanded template. */
  readonly content?: UserContent;
}

export function readPromptContent(
  args: CliArgs,
  notify: (line: string) => void,
  { cwd = process.cwd(), content }: ReadPromptOptions = {},
): Promise<PromptContent> {
  const files = nodeFiles({ root: cwd, maxBytes: MAX_IMAGE_SOURCE_BYTES });
  return buildPromptContent(args, { files, readStdin: () => readStdin(notify), content });
}

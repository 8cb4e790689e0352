/** Defines the types of settings and MCP servers, and computes the compaction limits for a model from the settings. */

import type { LimitsForModel, PermissionMode } from "@pith/agent";
import { compactionLimits, type ThinkingLevel } from "@pith/context";
import { createSummaryTimeouts, type TokenLimit, toTokenAmount } from "@pith/context/host";
import { providers } from "@pith/models";
import type { Policy } from "../policy/policy.ts";

/** A number of tokens, or a share of the context window if it is above 0 and below 1. */
type TokenSetting = number;

export interface Settings extends SettingsOverrides {
  /** The organisation's policy, from its own file, never from settings files. The other settings are already limited by it. */
  readonly policy?: Policy;
  /** The maximum number of tokens in a request, even if the model supports more. */
  readonly contextWindow?: number;
  /** The timeout for the first token of a reply or a summary, in minutes. */
  readonly firstTokenMinutes?: number;
  /** Hosts that may be fetched even if they are in a private network, such as `localhost:5173`. */
  readonly fetchHosts?: readonly string[];
  /** Paths in the home folder or beside the workspace that sandboxed commands may read but not write. May start with `~`. */
  readonly sandboxRead?: readonly string[];
  /** Paths outside the workspace that sandboxed commands may write. */
  readonly sandboxWrite?: readonly string[];
  /** Variables that are passed to sandboxed commands although they look secret. */
  readonly sandboxEnvironment?: readonly string[];
  /** Whether sandboxed commands may use unix sockets. */
  readonly unixSockets?: OnOff;
  /** How many gigabytes (10⁹ bytes) of memory all processes of a sandboxed command may use together. */
  readonly sandboxMemoryGB?: number;
  /** How many processes and threads a sandboxed command may have. */
  readonly sandboxProcesses?: number;
  /** How many gigabytes the private `/tmp` of sandboxed commands may hold. */
  readonly sandboxTmpGB?: number;
  readonly branchSummary?: BranchSummarySettings;
  /** How the user is notified while the terminal is not in focus. */
  readonly notify?: "off" | "bell" | "desktop";
  /** The colours of the screen. `auto` detects whether the terminal is dark or light. */
  readonly theme?: "auto" | "dark" | "light";
  /** Whether permission decisions are recorded in Pith's home. */
  readonly auditLog?: boolean;
  readonly secrets?: SecretSettings;
  /** MCP servers, by the names that the user chose. */
  readonly mcpServers?: Readonly<Record<string, McpServerSettings>>;
}

/** The settings that a flag can override. */
export interface SettingsOverrides {
  /** As `provider/model`. */
  readonly model?: string;
  /** The base URL of the provider. */
  readonly baseUrl?: string;
  readonly thinking?: ThinkingLevel;
  readonly permissionMode?: PermissionMode;
  readonly sandbox?: OnOff;
  /** `on` is the old name of `hosts`. */
  readonly network?: "off" | "hosts" | "open" | "on";
  /** Names of the tools to use. Default: `defaultTools`. */
  readonly tools?: readonly string[];
  readonly compaction?: CompactionSettings;
  /** Whether AGENTS.md and CLAUDE.md are read. */
  readonly contextFiles?: boolean;
  /** Whether skills are listed in the system prompt. */
  readonly skills?: boolean;
  /** Whether extensions are loaded, including those that are part of Pith. */
  readonly extensions?: boolean;
  /** Whether an interactive session prints plain lines and never redraws them, for screen readers. */
  readonly plain?: boolean;
}

export type OnOff = "on" | "off";

/** Uses pi's names, with some additions. */
export interface CompactionSettings extends CompactionAmounts {
  readonly enabled?: boolean;
  /** The percentage of the limit at which the user is warned. */
  readonly softPercent?: number;
  /** Whether the summary of an automatic compaction is prepared in the background. */
  readonly prepare?: boolean;
  readonly removeOutdated?: boolean;
  /** Instructions for every summary. */
  readonly instructions?: string;
  /** Whether the files in use are read again after a compaction. */
  readonly rereadFiles?: boolean;
  /** Whether the user is asked before an automatic compaction, if a user can answer. */
  readonly ask?: boolean;
  /** The models that write summaries, in order of preference. Names may be short. Default: the session's model. */
  readonly model?: string | readonly string[];
  readonly modelOrder?: "listed" | "cheapest";
  /** By `provider/model`. */
  readonly modelOverrides?: Readonly<Record<string, CompactionAmounts>>;
  /** By the agent's name. */
  readonly agentOverrides?: Readonly<Record<string, CompactionAmounts>>;
}

/** The amounts that can also be set for one model or one agent. */
export interface CompactionAmounts {
  readonly reserveTokens?: TokenSetting;
  readonly keepRecentTokens?: TokenSetting;
  readonly thresholdPercent?: number;
  readonly thresholdTokens?: number;
}

export interface BranchSummarySettings {
  /** The part of the context window that stays free when an abandoned branch is summarized. The newest part of the branch fills the rest. */
  readonly reserveTokens?: TokenSetting;
  /** Whether the user leaves a branch without the question about a summary. */
  readonly skipPrompt?: boolean;
}

export interface SecretSettings {
  readonly redact?: OnOff;
  /** Further environment variables whose values are secrets. */
  readonly also?: readonly string[];
}

/** An MCP server as in the settings: a program with its arguments, or a URL. */
export interface McpServerSettings extends Partial<StdioServer> {
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly enabled?: boolean;
}

export type McpServers = Readonly<Record<string, McpServer>>;

export type McpServer = StdioServer | HttpServer;

/** A server that Pith starts as a process and talks to over stdin and stdout. */
export interface StdioServer {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The working folder: an absolute path, or one that starts with `~/`. Default: a separate folder in Pith's home. */
  readonly cwd?: string;
  /** Hosts that the server may reach without a question: `api.example.com`, `*.example.com`. */
  readonly hosts?: readonly string[];
  /** Folders that the server may read and write: absolute paths, or paths that start with `~/`. */
  readonly folders?: readonly string[];
  /** `off`: the server runs with all rights of the user. */
  readonly sandbox?: OnOff;
}

export interface HttpServer {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface NamedServer<Server extends McpServer = McpServer> {
  readonly name: string;
  readonly server: Server;
  /** The source: the user's settings, a trusted folder, or the editor that started Pith. */
  readonly from: "settings" | "folder" | "caller";
}

export interface DisabledServer extends Pick<NamedServer, "name" | "from"> {
  /** The command line or URL; empty if it is unknown. */
  readonly commandOrUrl: string;
}

/** The source of a server, as the end of a sentence. */
export const serverSourceLabels: Readonly<Record<NamedServer["from"], string>> = {
  settings: "your settings, under mcpServers",
  folder: "this folder (.mcp.json or .pith/mcp.json)",
  caller: "your editor",
};

/** Returns the command line or URL of a server, for messages. */
export function formatServerCommand(server: McpServer): string {
  return "url" in server ? server.url : [server.command, ...(server.args ?? [])].join(" ");
}

export interface LimitsOptions {
  /** The name of the current agent. Absent if it has none. */
  readonly agent?: string;
  readonly firstTokenMinutes?: number | undefined;
  /** The value of `branchSummary.reserveTokens`. */
  readonly branchReserve?: TokenSetting | undefined;
}

/** For each amount, a value for the agent overrides one for the model, which overrides the general one. Of several thresholds the lowest applies. */
export function createLimitsForModel(settings: CompactionSettings = {}, options: LimitsOptions = {}): LimitsForModel {
  const {
    enabled = compactionLimits.enabled,
    softPercent,
    removeOutdated = true,
    prepare = true,
    ask = false,
  } = settings;
  const { agent, firstTokenMinutes, branchReserve } = options;
  return ({ api, provider, model }) => {
    const amountLayers = [
      findOverride(settings.agentOverrides, agent),
      ...listProviderIds(provider).map((name) => findOverride(settings.modelOverrides, `${name}/${model}`)),
      settings,
    ];
    const findAmount = (name: keyof CompactionAmounts): number | undefined =>
      amountLayers.map((amounts) => amounts[name]).find((value) => value !== undefined);
    const [reserve, percent, tokens] = [
      findAmount("reserveTokens"),
      findAmount("thresholdPercent"),
      findAmount("thresholdTokens"),
    ];
    const { outdated } = compactionLimits;
    const cacheLifetime = api === "anthropic-messages" ? ANTHROPIC_CACHE_MS : outdated.cacheLifetime;
    return {
      ...compactionLimits,
      enabled,
      ...(softPercent !== undefined && { soft: softPercent / 100 }),
      // A user who wants to be asked decides before a summary is paid for.
      prepare: !prepare || ask ? "never" : isLocalProvider(provider) ? "between-runs" : "during-runs",
      thresholds: [
        {
          ...(reserve === undefined ? DEFAULT_RESERVE : { reserve: toTokenAmount(reserve) }),
          ...(percent !== undefined && { percent }),
          ...(tokens !== undefined && { tokens }),
        },
      ],
      tail: limitTail(findAmount("keepRecentTokens")),
      ...(firstTokenMinutes !== undefined && { summaryTime: createSummaryTimeouts(firstTokenMinutes * 60_000) }),
      ...(branchReserve !== undefined && { branchReserve: toTokenAmount(branchReserve) }),
      outdated: { ...outdated, enabled: removeOutdated, cacheLifetime },
    };
  };
}

/** Anthropic keeps what the requests mark for 5 minutes after the last use. Other providers say at most an hour, or nothing. */
const ANTHROPIC_CACHE_MS = 5 * 60_000;

const [DEFAULT_RESERVE] = compactionLimits.thresholds;

function limitTail(setting: TokenSetting | undefined): TokenLimit {
  const { tail } = compactionLimits;
  if (setting === undefined) return tail;
  const amount = toTokenAmount(setting);
  return "tokens" in amount
    ? { ...tail, tokens: amount.tokens }
    : { tokens: Number.POSITIVE_INFINITY, share: Math.min(amount.share, tail.share) };
}

/** A local server usually answers one request at a time. */
function isLocalProvider(provider: string): boolean {
  return providers.some(({ id, isLocal }) => id === provider && isLocal);
}

/** An override may use the provider's main id or an alias. */
function listProviderIds(provider: string): readonly string[] {
  return [provider, ...providers.filter(({ canonicalId }) => canonicalId === provider).map(({ id }) => id)];
}

function findOverride(overrides: CompactionSettings["modelOverrides"] = {}, name?: string): CompactionAmounts {
  return (name !== undefined && Object.hasOwn(overrides, name) && overrides[name]) || {};
}

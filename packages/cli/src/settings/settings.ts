/** Defines the types of settings and MCP servers, and computes compaction limits from the settings. */

import type { LimitsForModel, PermissionMode } from "@pith/agent";
import type { CompactionLimits } from "@pith/context";
import { compactionLimits, type ThinkingLevel } from "@pith/context";
import { createSummaryTimeouts } from "@pith/context/host";
import { providers } from "@pith/models";
import type { Policy } from "../policy/policy.ts";

type TokensOrShare = CompactionLimits["branchReserve"];

export interface Settings extends SettingsOverrides {
  /** What the organisation allows: from its own file, and never from settings. The other settings are narrowed to it already. */
  readonly policy?: Policy;
  /** Tokens that a model may see at most, whatever it could. */
  readonly contextWindow?: number;
  /** Minutes until the first token of an answer or of a summary. */
  readonly firstTokenMinutes?: number;
  /** Hosts that may be fetched wherever they are, such as a server of one's own: `localhost:5173`. */
  readonly fetchHosts?: readonly string[];
  /** Paths that sandboxed commands see and only read, although they lie in the home; `~` stands for it. */
  readonly sandboxRead?: readonly string[];
  /** Paths that sandboxed commands may write besides the workspace. */
  readonly sandboxWrite?: readonly string[];
  /** Variables that sandboxed commands see although they look secret. */
  readonly sandboxEnvironment?: readonly string[];
  /** Whether sandboxed commands may use unix sockets. */
  readonly unixSockets?: OnOff;
  readonly branchSummary?: BranchSummarySettings;
  /** How somebody who looks elsewhere is called. */
  readonly notify?: "off" | "bell" | "desktop";
  /** The colours of the screen: for a dark or a light terminal, or as the terminal says itself. */
  readonly theme?: "auto" | "dark" | "light";
  /** Whether permission decisions are recorded in Pith's home. */
  readonly auditLog?: boolean;
  readonly secrets?: SecretSettings;
  /** Servers of tools, by the names that the user gives them. */
  readonly mcpServers?: Readonly<Record<string, McpServerSettings>>;
}

/** What a flag can say, too. */
export interface SettingsOverrides {
  /** As `provider/model`. */
  readonly model?: string;
  /** Where the provider is reached. */
  readonly baseUrl?: string;
  readonly thinking?: ThinkingLevel;
  readonly permissionMode?: PermissionMode;
  readonly sandbox?: OnOff;
  /** `on` is read as `hosts`. */
  readonly network?: "off" | "hosts" | "open" | "on";
  /** Names of the tools to use; the usual ones where nothing is said. */
  readonly tools?: readonly string[];
  readonly compaction?: CompactionSettings;
  /** Whether AGENTS.md and CLAUDE.md are read. */
  readonly contextFiles?: boolean;
  /** Whether the model is told of skills. */
  readonly skills?: boolean;
  /** Whether extensions are loaded, those that come with Pith included. */
  readonly extensions?: boolean;
  /** Whether a talk is told in lines that are never drawn anew, as for who hears it. */
  readonly plain?: boolean;
}

export type OnOff = "on" | "off";

/** In the names that pi's users know, and some more. */
export interface CompactionSettings extends CompactionAmounts {
  readonly enabled?: boolean;
  /** Of the limit: where one is warned. */
  readonly softPercent?: number;
  /** What every summary should look at. */
  readonly instructions?: string;
  /** Whether somebody who is there is asked before anything is compacted by itself. */
  readonly ask?: boolean;
  /** Who writes summaries, as `provider/model`, in order of preference; who speaks, where nobody is named. */
  readonly model?: string | readonly string[];
  /** By `provider/model`. */
  readonly modelOverrides?: Readonly<Record<string, CompactionAmounts>>;
  /** By the agent's name. */
  readonly agentOverrides?: Readonly<Record<string, CompactionAmounts>>;
}

/** What can be set for one model or one agent, too. */
export interface CompactionAmounts {
  readonly reserveTokens?: TokensOrShare;
  readonly keepRecentTokens?: TokensOrShare;
  readonly thresholdPercent?: number;
  readonly thresholdTokens?: number;
}

export interface BranchSummarySettings {
  /** What stays free of the window when a left branch is summarised; the newest of the branch fills the rest. */
  readonly reserveTokens?: TokensOrShare;
  /** Whether a branch is left without the question if it should be told. */
  readonly skipPrompt?: boolean;
}

export interface SecretSettings {
  readonly redact?: OnOff;
  /** Environment variables whose values are secrets, too. */
  readonly also?: readonly string[];
}

/** A program with its arguments, or an address. */
export interface McpServerSettings extends Partial<StdioServer> {
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly enabled?: boolean;
}

export type McpServers = Readonly<Record<string, McpServer>>;

export type McpServer = StdioServer | HttpServer;

/** A program that is started and talked to. */
export interface StdioServer {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The folder in which it starts; absolute, or from `~/`. Absent: a folder of its own under Pith's home. */
  readonly cwd?: string;
  /** Hosts that it may reach without a question: `api.example.com`, `*.example.com`. */
  readonly hosts?: readonly string[];
  /** Folders that it sees and may write; absolute, or from `~/`. */
  readonly folders?: readonly string[];
  /** Off: it runs with all rights of the user. */
  readonly sandbox?: OnOff;
}

export interface HttpServer {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface NamedServer<Server extends McpServer = McpServer> {
  readonly name: string;
  readonly server: Server;
  /** Who named it: the user's settings, a trusted folder, or an editor that called. */
  readonly from: "settings" | "folder" | "caller";
}

/** A server that somebody switched off. */
export interface DisabledServer extends Pick<NamedServer, "name" | "from"> {
  /** As it would be started or reached; empty where that cannot be told. */
  readonly how: string;
}

/** Who named it, as the end of a sentence. */
export const serverSourceLabels: Readonly<Record<NamedServer["from"], string>> = {
  settings: "your settings, under mcpServers",
  folder: "this folder (.mcp.json or .pith/mcp.json)",
  caller: "your editor",
};

/** As it is started or reached, in one line for people. */
export function formatServerCommand(server: McpServer): string {
  return "url" in server ? server.url : [server.command, ...(server.args ?? [])].join(" ");
}

export interface LimitsOptions {
  /** The agent that works, where it has a name. */
  readonly agent?: string;
  readonly firstTokenMinutes?: number | undefined;
  /** What `branchSummary.reserveTokens` says. */
  readonly branchReserve?: TokensOrShare | undefined;
}

/** Each amount as specific as it was set: for the agent, for the model, for all. Of several thresholds the lowest applies. */
export function createLimitsForModel(settings: CompactionSettings = {}, options: LimitsOptions = {}): LimitsForModel {
  const { enabled = compactionLimits.enabled, softPercent } = settings;
  const { agent, firstTokenMinutes, branchReserve = compactionLimits.branchReserve } = options;
  return ({ provider, model }) => {
    const amountLayers = [
      findOverride(settings.agentOverrides, agent),
      ...listProviderIds(provider).map((name) => findOverride(settings.modelOverrides, `${name}/${model}`)),
      settings,
    ];
    const findAmount = (name: keyof CompactionAmounts): number | undefined =>
      amountLayers.map((amounts) => amounts[name]).find((value) => value !== undefined);
    const [reserve = DEFAULT_RESERVE, percent, tokens] = [
      findAmount("reserveTokens"),
      findAmount("thresholdPercent"),
      findAmount("thresholdTokens"),
    ];
    const { tail } = compactionLimits;
    return {
      ...compactionLimits,
      enabled,
      ...(softPercent !== undefined && { soft: softPercent / 100 }),
      thresholds: [{ reserve, ...(percent !== undefined && { percent }), ...(tokens !== undefined && { tokens }) }],
      tail: { ...tail, tokens: findAmount("keepRecentTokens") ?? tail.tokens },
      ...(firstTokenMinutes !== undefined && { summaryTime: createSummaryTimeouts(firstTokenMinutes * 60_000) }),
      branchReserve,
    };
  };
}

const DEFAULT_RESERVE = compactionLimits.thresholds[0]?.reserve ?? 0;

/** A provider that goes by two names is overridden by either. */
function listProviderIds(provider: string): readonly string[] {
  return [provider, ...providers.filter(({ canonicalId }) => canonicalId === provider).map(({ id }) => id)];
}

function findOverride(overrides: CompactionSettings["modelOverrides"] = {}, name?: string): CompactionAmounts {
  return (name !== undefined && Object.hasOwn(overrides, name) && overrides[name]) || {};
}

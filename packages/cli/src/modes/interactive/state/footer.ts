/** Defines the data that the footer shows, and collects it from the open session. */

import { homedir } from "node:os";
import type { PermissionMode } from "@pith/agent";
import type { Model } from "@pith/context";
import type { App } from "../../../app/start.ts";
import type { MeterParts } from "../../../context-report/meter.ts";

/** What is found out beside: it takes a look at the disk, or at the whole context. */
export type SlowFooterData = Pick<FooterData, "gitBranch" | "sessionName" | "treePosition" | "cost" | "meter">;

export const emptySlowData: SlowFooterData = {
  gitBranch: null,
  sessionName: null,
  treePosition: null,
  cost: null,
  meter: null,
};

export function buildFooterData(app: App, slowData: SlowFooterData = emptySlowData): FooterData {
  const { agent, permissions, tools } = app;
  const bashIntent = tools.find(({ name }) => name === "bash")?.intent?.({ command: "true" });
  const { gitBranch, sessionName, treePosition, cost, meter } = slowData;
  return {
    model: formatModel(agent.model),
    thinkingLevel: agent.thinkingLevel,
    folder: shortenHome(app.cwd),
    isSandboxed: bashIntent?.type === "command" && bashIntent.isConfined,
    permissionMode: permissions.mode,
    gitBranch,
    sessionName,
    treePosition,
    cost,
    meter,
  };
}

/** Where nobody can speak and nobody ever did, that is said. */
function formatModel({ api, provider, model }: Model): string {
  return api === "none" && provider === "none" ? "no model yet" : `${provider}/${model}`;
}

function shortenHome(folder: string): string {
  const home = homedir();
  const isInHome = home.length > 1 && (folder === home || folder.startsWith(`${home}/`));
  return isInHome ? `~${folder.slice(home.length)}` : folder;
}

export interface FooterData {
  readonly model: string;
  readonly thinkingLevel: string;
  /** The folder, with `~` for the user's home. */
  readonly folder: string;
  /** Of the version control system. */
  readonly gitBranch: string | null;
  readonly sessionName: string | null;
  /** How many branches the session has, and whether one stands at the end of one of them; null where there is but one. */
  readonly treePosition: string | null;
  /** Of the whole session; null until it is counted. */
  readonly cost: number | null;
  /** Null until it is known, as is the mode: nothing is told that may be wrong. */
  readonly isSandboxed: boolean | null;
  readonly permissionMode: PermissionMode | null;
  readonly meter: ContextMeter | null;
}

/** How full the context is, by the one estimator. */
export interface ContextMeter {
  readonly tokens: number;
  /** Whether no reply has measured any of it; then the figures have a `~`. */
  readonly isEstimate: boolean;
  readonly contextWindow: number;
  /** More than this is compacted; null in a window nobody knows. */
  readonly limit: number | null;
  readonly softLimit: number | null;
  readonly isAutoCompactEnabled: boolean;
  /** Why nothing would happen by itself although it is too much; null where it would, or need not. */
  readonly pauseReason: "off" | "undone" | "breaker" | null;
  /** In tokens: what stays first and cached, what is kept as it was said, what came since. */
  readonly parts: MeterParts;
}

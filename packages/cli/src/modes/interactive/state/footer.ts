/** Defines the data that the footer shows, and collects it from the open session. */

import { homedir } from "node:os";
import type { PermissionMode } from "@pith/agent";
import type { Model } from "@pith/context";
import type { App } from "../../../app/start.ts";
import type { MeterParts } from "../../../context-report/meter.ts";

/** Data that is collected separately, because it needs the disk or the whole context. */
export type SlowFooterData = Pick<FooterData, "gitBranch" | "sessionName" | "treePosition" | "cost" | "meter">;

export const emptySlowData: SlowFooterData = {
  gitBranch: null,
  sessionName: null,
  treePosition: null,
  cost: null,
  meter: null,
};

/** What the footer shows of an app. */
export type FooterApp = Pick<App, "agent" | "permissions" | "tools" | "cwd">;

export function buildFooterData(app: FooterApp, slowData: SlowFooterData = emptySlowData): FooterData {
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

/** Shows a placeholder if no model is available and the session never had one. */
function formatModel({ api, provider, model }: Model): string {
  return api === "none" && provider === "none" ? "no model yet" : `${provider}/${model}`;
}

export function shortenHome(folder: string): string {
  const home = homedir();
  const isInHome = home.length > 1 && (folder === home || folder.startsWith(`${home}/`));
  return isInHome ? `~${folder.slice(home.length)}` : folder;
}

export interface FooterData {
  readonly model: string;
  readonly thinkingLevel: string;
  /** The folder, with `~` for the user's home. */
  readonly folder: string;
  readonly gitBranch: string | null;
  readonly sessionName: string | null;
  /** The number of branches, and whether the leaf is the end of one of them. Null if there is only one branch. */
  readonly treePosition: string | null;
  /** The cost of the whole session. Null until it is counted. */
  readonly cost: number | null;
  /** Null until it is known, like the permission mode, so that the footer never shows a wrong value. */
  readonly isSandboxed: boolean | null;
  readonly permissionMode: PermissionMode | null;
  readonly meter: ContextMeter | null;
}

/** How full the context is, by the estimator that all other figures use. */
export interface ContextMeter {
  readonly tokens: number;
  /** Whether no reply has measured any of it. The figures then have a `~`. */
  readonly isEstimate: boolean;
  readonly contextWindow: number;
  /** A larger context is compacted. Null if the context window is unknown. */
  readonly limit: number | null;
  readonly softLimit: number | null;
  readonly isAutoCompactEnabled: boolean;
  /** Why automatic compaction does not run although the context is too large. Null if it runs or is not needed. */
  readonly pauseReason: "off" | "undone" | "breaker" | null;
  /** Whether the summary of the next automatic compaction is ready. */
  readonly isSummaryReady: boolean;
  /** In tokens: the cached beginning, the part that is kept unchanged, and the part that was added since. */
  readonly parts: MeterParts;
}

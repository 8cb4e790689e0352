/** What other programs are told of a session when they ask: its state, its costs, its tree and who could speak. */

import type { Entry, Usage } from "@pith/context";

/** How much of what waits is said at once. */
export type Delivery = "all" | "one-at-a-time";

export interface RpcState {
  /** Null where nobody can speak. */
  readonly model: RpcModel | null;
  readonly thinkingLevel: string;
  readonly isStreaming: boolean;
  readonly isCompacting: boolean;
  readonly steeringMode: Delivery;
  readonly followUpMode: Delivery;
  /** Null where nothing is kept. */
  readonly sessionFile: string | null;
  readonly sessionId: string;
  readonly sessionName?: string;
  readonly autoCompactionEnabled: boolean;
  readonly messageCount: number;
  readonly pendingMessageCount: number;
}

export interface RpcModel {
  readonly provider: string;
  readonly id: string;
  readonly api?: string;
  /** 0 where nobody knows it. */
  readonly contextWindow: number;
  readonly maxTokens: number;
  readonly reasoning?: boolean;
}

export interface RpcUsage {
  readonly tokens: number;
  readonly contextWindow: number;
  /** Of the window; null where nobody knows it. */
  readonly percent: number | null;
  /** More than this is compacted; null where nobody knows the window. */
  readonly limit: number | null;
}

/** Over all branches. */
export interface RpcStats {
  readonly sessionFile: string | null;
  readonly sessionId: string;
  readonly userMessages: number;
  readonly assistantMessages: number;
  readonly toolCalls: number;
  readonly toolResults: number;
  readonly totalMessages: number;
  readonly compactions: number;
  readonly tokens: Omit<Usage, "cost" | "totalTokens"> & { readonly total: number };
  /** In dollars. */
  readonly cost: number;
  readonly contextUsage: RpcUsage;
}

export interface RpcTreeNode {
  readonly entry: Entry;
  readonly children: readonly RpcTreeNode[];
  readonly label?: string;
}

export interface RpcSlashCommand {
  /** Without its slash. */
  readonly name: string;
  readonly description: string;
  readonly source: "pith" | "extension" | "prompt" | "skill";
}

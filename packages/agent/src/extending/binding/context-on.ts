/** A session as extensions see it: as it is at the moment they look, and only copies of what it holds. */

import type { Agent } from "../../agent.ts";
import type { CompactWish, ExtensionContext, SessionSight } from "../extension.ts";

export interface SightParts extends Pick<ExtensionContext, "ui" | "hasUI" | "cwd"> {
  /** Null where nothing is kept. */
  readonly sessionFile: string | null;
  /** Of the session, where its loaded end does not say. */
  readonly sessionName?: () => string | null;
}

export function contextOn(agent: Agent, { ui, hasUI, cwd, ...parts }: SightParts): ExtensionContext {
  return {
    ui,
    hasUI,
    cwd,
    session: sightOf(agent, parts),
    get model() {
      const { api, provider, model, contextWindow, maxTokens } = agent.model;
      return { api, provider, model, contextWindow, maxTokens };
    },
    isIdle: () => !agent.isBusy && !agent.isRunning,
    hasPendingMessages: () => agent.queue.length > 0,
    abort: () => void agent.abort(),
    getContextUsage: () => {
      const { tokens, contextWindow } = agent.contextUsage();
      return { tokens, contextWindow, percent: Math.round((tokens / contextWindow) * 1000) / 10 };
    },
    compact: (wish = {}) => void compacted(agent, wish),
  };
}

function sightOf({ session }: Agent, parts: Pick<SightParts, "sessionFile" | "sessionName">): SessionSight {
  return {
    id: session.store.header.id,
    file: parts.sessionFile,
    get name() {
      const named = session.window.entries.findLast(({ type }) => type === "session_info");
      return named?.type === "session_info" ? named.name || null : (parts.sessionName?.() ?? null);
    },
    get leafId() {
      return session.leaf;
    },
    entries: () => structuredClone(session.window.entries),
    branch: async () => structuredClone(await session.branch()),
    entry: async (id) => structuredClone(await session.store.entry(id)),
  };
}

/** What its own listeners throw is nobody else's affair. */
async function compacted(agent: Agent, { customInstructions, onComplete, onError }: CompactWish): Promise<void> {
  try {
    const outcome = await agent.compact(customInstructions);
    if (outcome.type === "compacted") onComplete?.(structuredClone(outcome));
    else onError?.(new Error("why" in outcome ? `${outcome.type}: ${outcome.why}` : outcome.type));
  } catch (error) {
    try {
      onError?.(error instanceof Error ? error : new Error(String(error)));
    } catch {
      // It was told; there is nobody else to tell.
    }
  }
}

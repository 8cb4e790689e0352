/** Finds the last request of a branch that the model answered, so that a summary can be requested with the same beginning, which the provider may have cached. */

import { buildSessionContext, latestEdit, type SessionContext } from "../context/build-context.ts";
import { findCalibration } from "../context/calibration.ts";
import {
  assistantReply,
  collectCalibration,
  entryTokens,
  lastMeasuredIndex,
  readTokenReport,
} from "../context/context-size.ts";
import type { Entry } from "../entry.ts";
import type { AgentMessage, AssistantMessage } from "../message.ts";
import type { ModelName, Request } from "../model.ts";
import type { LoadedBranch } from "../session/loaded-branch.ts";
import { findReply } from "./prices.ts";

/** How a host builds the requests of a session. */
export interface RequestBuilder {
  /** The session's model. */
  readonly model: ModelName;
  /** Builds the request for a context exactly as it is sent. Null if it cannot be built again, e.g. because hooks change it. */
  readonly build: (context: SessionContext) => Request | null;
}

/** The last answered request, followed by the covered messages that were not sent yet. */
export interface SentRequest {
  readonly request: Request;
  readonly model: ModelName;
  /** The tokens of the request, as the provider reported them, and an estimate of the messages that were not sent yet. */
  readonly tokens: number;
  /** The tokens that the provider probably still has in its cache. */
  readonly cachedTokens: number;
  /** The messages of the request that a compaction keeps, oldest first. */
  readonly kept: readonly AgentMessage[];
}

/** The fields of a plan that decide which part of the request a summary covers. */
export interface CoveredPart {
  readonly branch: LoadedBranch;
  readonly covered: readonly Entry[];
  readonly kept: readonly Entry[];
  readonly originals?: readonly Entry[];
}

export interface SentRequestOptions extends RequestBuilder {
  readonly now: number;
  /** How long the provider caches the beginning of a request at most, in milliseconds. */
  readonly cacheLifetime: number;
}

/**
 * Finds the last answered request. Null if there is none since the last compaction or edit, or if it does not contain everything that
 * is covered: the originals before a compaction are not in it.
 */
export function findSentRequest(part: CoveredPart, options: SentRequestOptions): SentRequest | null {
  const { branch } = part;
  const { api, provider, model: name } = options.model;
  const model = { api, provider, model: name };
  const index = lastMeasuredIndex(branch, model);
  const entry = branch.entries[index];
  const reply = assistantReply(entry);
  const report = reply && readTokenReport(reply);
  if (!entry || !report || part.originals || index !== lastMeasuredIndex(branch, undefined)) return null;
  const context = buildSessionContext(branch);
  const coveredIds = new Set(part.covered.map(({ id }) => id));
  const replyAt = context.sources.indexOf(entry.id);
  const end = Math.max(replyAt, context.sources.findLastIndex((id) => coveredIds.has(id)) + 1);
  const request = options.build(sliceContext(context, end));
  if (!request) return null;
  const unsentIds = new Set(context.sources.slice(replyAt, end));
  const unsent = branch.entries.filter(({ id }) => unsentIds.has(id));
  return {
    request,
    model,
    tokens: report.prompt + sumEntryTokens(unsent, branch, model),
    cachedTokens: isProbablyCached(branch, index, options) ? report.prompt : 0,
    kept: findKeptMessages(context, end, part.kept),
  };
}

function sliceContext(context: SessionContext, end: number): SessionContext {
  return { ...context, messages: context.messages.slice(0, end), sources: context.sources.slice(0, end) };
}

function sumEntryTokens(entries: readonly Entry[], branch: LoadedBranch, model: ModelName): number {
  const calibration = findCalibration(collectCalibration(branch), model);
  return entries.reduce((sum, entry) => sum + entryTokens(entry, latestEdit(branch.edits, entry), calibration), 0);
}

function findKeptMessages(
  { messages, sources }: SessionContext,
  end: number,
  kept: readonly Entry[],
): readonly AgentMessage[] {
  const keptIds = new Set(kept.flatMap(({ type, id }) => (type === "compaction" ? [] : [id])));
  return messages
    .slice(0, end)
    .filter((message, index) => message.role !== "system" && keptIds.has(sources[index] ?? ""));
}

/**
 * Whether the provider caches requests, according to earlier replies, and has probably not dropped this one yet. A changed thinking
 * level changes the whole request.
 */
function isProbablyCached(
  { entries }: LoadedBranch,
  replyIndex: number,
  { model, now, cacheLifetime }: SentRequestOptions,
): boolean {
  const isThinkingChanged = entries.slice(replyIndex + 1).some(({ type }) => type === "thinking_level_change");
  const age = now - Date.parse(entries[replyIndex]?.timestamp ?? "");
  const lifetime = Math.min(cacheLifetime, model.api === "anthropic-messages" ? ANTHROPIC_CACHE_MS : USUAL_CACHE_MS);
  return !isThinkingChanged && age < lifetime && entries.some((entry) => reportsCache(findReply(entry, model)));
}

/** Anthropic drops a prefix five minutes after its last use, unless the request asks for an hour. */
const ANTHROPIC_CACHE_MS = 5 * 60_000;
/** OpenAI says five to ten minutes. A transcript for a cache that is still warm is the dearer mistake. */
const USUAL_CACHE_MS = 10 * 60_000;

function reportsCache(reply: AssistantMessage | null): boolean {
  return (reply?.usage?.cacheRead ?? 0) > 0 || (reply?.usage?.cacheWrite ?? 0) > 0;
}

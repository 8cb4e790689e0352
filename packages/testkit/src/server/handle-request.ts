/** Handles one request: checks its path, body and size, then replies as the script says. */

import type { ServerResponse } from "node:http";
import type { PromptCache } from "../prompt-cache.ts";
import { isObject } from "../protocols/json.ts";
import type { Body, Prompt, Protocol, ProtocolRequest, Refusal } from "../protocols/protocol.ts";
import { findProtocol } from "../protocols/registry.ts";
import type { RefusalStep, Reply, Script, ScriptRequest, Step, TokenUsage } from "../script.ts";
import { checkStep } from "../script-checks.ts";
import { countPromptTokens, countReplyTokens } from "../tokens.ts";
import { buildReply } from "./build-reply.ts";
import { answerLocalRequest, type LocalServer } from "./local-servers.ts";
import type { IncomingRequest } from "./request.ts";
import type { RequestLog, ServedRequest } from "./request-log.ts";
import { pause, sendBody, sendStream, writeJson } from "./response.ts";

/** The state that all requests of a server share. */
export interface ServerState {
  readonly script: Script;
  readonly log: RequestLog;
  readonly cache: PromptCache;
  readonly window: WindowLimit | undefined;
  readonly local: LocalServer | undefined;
  /** The number of requests that reached the script. */
  scriptedRequests: number;
}

export interface WindowLimit {
  readonly tokens: number;
  /** A longer prompt is refused with the provider's error, or loses its beginning silently. */
  readonly onOverflow: "refuse" | "truncate";
}

export async function handleRequest(
  incomingRequest: IncomingRequest,
  response: ServerResponse,
  state: ServerState,
): Promise<void> {
  const protocol = incomingRequest.method === "POST" ? findProtocol(incomingRequest.path) : undefined;
  if (!protocol) return answerSideRequest(incomingRequest, response, state);
  const exchange: Exchange = { protocol, ...toProtocolRequest(protocol, incomingRequest, state), response, state };
  const { request } = exchange;
  const refusal = refuseUnreadable(incomingRequest) ?? protocol.checkRequest(request);
  if (refusal) return sendRefusal(exchange, { refuse: refusal }, "refused");
  const prompt = protocol.readPrompt(request.body);
  const tokens = countPromptTokens(prompt);
  const { window } = state;
  if (window?.onOverflow === "refuse" && tokens > window.tokens)
    return sendRefusal(exchange, overflowRefusal(exchange, { tokens, window: window.tokens }), "overflow");
  if (state.local?.supportsTools === false && Object.hasOwn(exchange.request.body, "tools"))
    return sendRefusal(
      exchange,
      { refuse: { status: 400, message: `${state.local.model} does not support tools` } },
      "refused",
    );
  const scriptRequest = toScriptRequest(exchange);
  const step = await resolveStep(state, scriptRequest);
  if (typeof step === "object" && "refuse" in step) return sendRefusal(exchange, step, "scripted");
  return sendReply(exchange, typeof step === "string" ? { parts: [{ type: "text", text: step }] } : step, {
    request: scriptRequest,
    prompt,
  });
}

interface SideRequestOptions {
  readonly log: RequestLog;
  readonly local: LocalServer | undefined;
}

/** Answers requests that are not model calls: a local server's own API, unknown paths, and requests that cannot be read. */
function answerSideRequest(
  request: IncomingRequest,
  response: ServerResponse,
  { local, log }: SideRequestOptions,
): void {
  const { method, path, query, body, bytes } = request;
  const logFields = { path, wire: null, model: "", bytes };
  if (request.readError) {
    const { status, message: reason } = request.readError;
    log.add({ ...logFields, outcome: "refused", status, why: reason });
    writeJson(response, { status, body: { error: { type: "invalid_request_error", message: reason } } });
    return;
  }
  const localAnswer = local
    ? answerLocalRequest(local, { method, path: query.size > 0 ? `${path}?${query}` : path, body })
    : null;
  const status = localAnswer?.status ?? 404;
  log.add({ ...logFields, outcome: localAnswer ? "local" : "unknown", status });
  const message = `testkit: unknown endpoint ${method} ${path}`;
  writeJson(response, {
    status,
    body: localAnswer ? localAnswer.body : { error: { type: "not_found_error", message } },
  });
}

interface Exchange {
  readonly protocol: Protocol;
  readonly request: ProtocolRequest;
  /** The body as the client sent it, before normalization. */
  readonly sentBody: Body;
  readonly response: ServerResponse;
  readonly state: ServerState;
}

function toProtocolRequest(
  protocol: Protocol,
  incomingRequest: IncomingRequest,
  { local }: ServerState,
): { readonly request: ProtocolRequest; readonly sentBody: Body } {
  // A local server needs no API key.
  const headers = local ? { authorization: "Bearer none needed", ...incomingRequest.headers } : incomingRequest.headers;
  const sentBody = isObject(incomingRequest.body) ? incomingRequest.body : {};
  return { request: { ...incomingRequest, headers, body: protocol.normalizeBody?.(sentBody) ?? sentBody }, sentBody };
}

function refuseUnreadable({ readError, body }: IncomingRequest): Refusal | null {
  if (readError) return { status: readError.status, message: readError.message };
  return isObject(body) ? null : NOT_JSON;
}

const NOT_JSON: Refusal = { status: 400, type: "invalid_request_error", message: "The request body is not valid JSON" };

function sendRefusal(exchange: Exchange, { refuse: refusal }: RefusalStep, outcome: ServedRequest["outcome"]): void {
  const { protocol, response } = exchange;
  const { status, headers = {}, body } = refusal;
  logRequest(exchange, { outcome, status, why: refusal.message });
  if (body === undefined) writeJson(response, { status, body: protocol.errorBody(refusal, status), headers });
  else response.writeHead(status, { "content-type": "text/plain", ...headers }).end(body);
}

function logRequest(
  { protocol, request, sentBody, state }: Exchange,
  fields: Pick<ServedRequest, "outcome" | "status"> & Partial<ServedRequest>,
): void {
  const { path, bytes } = request;
  state.log.add({
    path,
    wire: protocol.name,
    model: protocol.readRequest(request).model,
    bytes,
    body: sentBody,
    ...fields,
  });
}

function overflowRefusal(
  { protocol }: Exchange,
  size: { readonly tokens: number; readonly window: number },
): RefusalStep {
  return { refuse: { status: 400, ...protocol.overflowError(size) } };
}

function toScriptRequest({ protocol, request, state }: Exchange): ScriptRequest {
  state.scriptedRequests += 1;
  return { number: state.scriptedRequests, wire: protocol.name, ...protocol.readRequest(request), body: request.body };
}

async function resolveStep({ script }: ServerState, request: ScriptRequest): Promise<Step> {
  const step = typeof script === "function" ? await script(request) : script[request.number - 1];
  if (step === undefined && Array.isArray(script))
    throw new Error(`request ${request.number}: the script ends after step ${script.length}`);
  for (const fault of checkStep(step, `the step for request ${request.number}`)) throw new Error(fault);
  if (hasUndeclaredSearch(step as Step, request))
    throw new Error(
      `the step for request ${request.number} has a search, but the request does not declare the provider's search tool`,
    );
  return step as Step;
}

function hasUndeclaredSearch(step: Step, { tools }: ScriptRequest): boolean {
  const parts = typeof step === "object" && "parts" in step ? step.parts : [];
  return parts.some(({ type }) => type === "search") && !tools.some((name) => SEARCH_TOOL_NAMES.includes(name));
}

const SEARCH_TOOL_NAMES = ["web_search", "google_search"];

/** A request that reached the script, with its prompt. */
interface ScriptQuestion {
  readonly request: ScriptRequest;
  readonly prompt: Prompt;
}

async function sendReply(exchange: Exchange, step: Reply, { request, prompt }: ScriptQuestion): Promise<void> {
  const { protocol, response } = exchange;
  const { usage: promptUsage, truncatedTokens } = measurePrompt(exchange, { request, prompt });
  const finalReply = buildReply(step, { model: request.model, promptUsage });
  logRequest(exchange, {
    outcome: "said",
    status: 200,
    usage: { ...promptUsage, output: countReplyTokens(finalReply.parts) },
    ...(step.usage !== undefined && { reported: finalReply.usage }),
    ...(truncatedTokens > 0 && { truncated: truncatedTokens }),
    ...(step.breaks && { broke: step.breaks.how }),
  });
  if (step.pace?.waitMs) await pause(response, step.pace.waitMs);
  if (!request.isStreaming)
    return sendBody(response, { protocol, body: protocol.formatReply(finalReply, request.body), breaks: step.breaks });
  await sendStream(response, {
    protocol,
    events: protocol.streamReply(finalReply, request.body),
    pace: step.pace ?? {},
    breaks: step.breaks,
  });
}

/** Counts the tokens of the prompt, those read from the cache, and those that a truncating server drops. */
function measurePrompt(
  { protocol, state }: Exchange,
  { request: { model }, prompt }: ScriptQuestion,
): { readonly usage: Omit<TokenUsage, "output">; readonly truncatedTokens: number } {
  const { cache, window } = state;
  const tokens = countPromptTokens(prompt);
  const { read: readTokens, written: writtenTokens } = cache.countUsage(prompt, {
    modelKey: `${protocol.name} ${model}`,
    rules: protocol.cacheRules(model),
  });
  const truncatedTokens = window?.onOverflow === "truncate" ? Math.max(0, tokens - window.tokens) : 0;
  if (truncatedTokens > 0)
    return { usage: { input: tokens - truncatedTokens, cacheRead: 0, cacheWrite: 0 }, truncatedTokens };
  return {
    usage: { input: tokens - readTokens - writtenTokens, cacheRead: readTokens, cacheWrite: writtenTokens },
    truncatedTokens,
  };
}

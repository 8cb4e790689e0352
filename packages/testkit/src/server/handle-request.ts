/** Handles one request: checks its path, body and size, then replies as the script says. */

import type { ServerResponse } from "node:http";
import type { CacheLedger } from "../prompt-cache.ts";
import { isObject } from "../protocols/json.ts";
import type { Body, Prompt, Refusal, Wire, WireRequest } from "../protocols/protocol.ts";
import { wireFor } from "../protocols/registry.ts";
import type { Asked, Counted, Refused, Reply, Script, Step } from "../script.ts";
import { stepFaults } from "../script-checks.ts";
import { promptTokens, replyTokens } from "../tokens.ts";
import { said } from "./build-reply.ts";
import { type LocalServer, localAnswer } from "./local-servers.ts";
import type { Incoming } from "./request.ts";
import type { RequestLog, Served } from "./request-log.ts";
import { pause, send, sendWhole, writeJson } from "./response.ts";

export interface Beside {
  readonly log: RequestLog;
  readonly local: LocalServer | undefined;
}

/** Answers a local server's own questions, unknown paths and requests that cannot be read. */
export function aside(incoming: Incoming, response: ServerResponse, { local, log }: Beside): void {
  const { method, path, query, body, bytes } = incoming;
  const place = { path, wire: null, model: "", bytes };
  if (incoming.unreadable) {
    const { status, why } = incoming.unreadable;
    log.add({ ...place, outcome: "refused", status, why });
    writeJson(response, { status, body: { error: { type: "invalid_request_error", message: why } } });
    return;
  }
  const own = local ? localAnswer(local, { method, path: query.size > 0 ? `${path}?${query}` : path, body }) : null;
  const status = own?.status ?? 404;
  log.add({ ...place, outcome: own ? "local" : "unknown", status });
  const message = `testkit: nothing is served at ${method} ${path}`;
  writeJson(response, { status, body: own ? own.body : { error: { type: "not_found_error", message } } });
}

/** What all requests of a server have in common. */
export interface Answering {
  readonly script: Script;
  readonly log: RequestLog;
  readonly ledger: CacheLedger;
  readonly window: Window | undefined;
  readonly local: LocalServer | undefined;
  /** Requests that got as far as the script. */
  scripted: number;
}

export async function answer(incoming: Incoming, response: ServerResponse, answering: Answering): Promise<void> {
  const wire = incoming.method === "POST" ? wireFor(incoming.path) : undefined;
  if (!wire) return aside(incoming, response, answering);
  const turn: Turn = { wire, ...requestTo(wire, incoming, answering), response, answering };
  const { request } = turn;
  const refusal = unreadable(incoming) ?? wire.refusal(request);
  if (refusal) return refuse(turn, { refuse: refusal }, "refused");
  const prompt = wire.prompt(request.body);
  const tokens = promptTokens(prompt);
  const { window } = answering;
  if (window?.over === "refuse" && tokens > window.tokens)
    return refuse(turn, tooMuch(turn, { tokens, window: window.tokens }), "overflow");
  if (answering.local?.tools === false && Object.hasOwn(turn.request.body, "tools"))
    return refuse(
      turn,
      { refuse: { status: 400, message: `${answering.local.model} does not support tools` } },
      "refused",
    );
  const asked = askedOf(turn);
  const step = await stepFor(answering, asked);
  if (typeof step === "object" && "refuse" in step) return refuse(turn, step, "scripted");
  return reply(turn, typeof step === "string" ? { parts: [{ type: "text", text: step }] } : step, { asked, prompt });
}

/** What is asked, and the prompt it is asked with. */
interface Question {
  readonly asked: Asked;
  readonly prompt: Prompt;
}

interface Turn {
  readonly wire: Wire;
  readonly request: WireRequest;
  /** The body as it was sent. */
  readonly sent: Body;
  readonly response: ServerResponse;
  readonly answering: Answering;
}

function requestTo(
  wire: Wire,
  incoming: Incoming,
  { local }: Answering,
): { readonly request: WireRequest; readonly sent: Body } {
  // A local server asks for no key.
  const headers = local ? { authorization: "Bearer none needed", ...incoming.headers } : incoming.headers;
  const sent = isObject(incoming.body) ? incoming.body : {};
  return { request: { ...incoming, headers, body: wire.inOneSpelling?.(sent) ?? sent }, sent };
}

function unreadable({ unreadable: fault, body }: Incoming): Refusal | null {
  if (fault) return { status: fault.status, message: fault.why };
  return isObject(body) ? null : notJson;
}

const notJson: Refusal = { status: 400, type: "invalid_request_error", message: "The request body is not valid JSON" };

function tooMuch({ wire }: Turn, size: { readonly tokens: number; readonly window: number }): Refused {
  return { refuse: { status: 400, ...wire.tooLong(size) } };
}

function askedOf({ wire, request, answering }: Turn): Asked {
  answering.scripted += 1;
  return { number: answering.scripted, wire: wire.name, ...wire.read(request), body: request.body };
}

async function stepFor({ script }: Answering, asked: Asked): Promise<Step> {
  const step = typeof script === "function" ? await script(asked) : script[asked.number - 1];
  if (step === undefined && Array.isArray(script))
    throw new Error(`request ${asked.number}: the script ends after step ${script.length}`);
  for (const fault of stepFaults(step, `the step for request ${asked.number}`)) throw new Error(fault);
  if (searchesUnbidden(step as Step, asked))
    throw new Error(
      `the step for request ${asked.number} searches, and the request does not declare the provider's own search`,
    );
  return step as Step;
}

function searchesUnbidden(step: Step, { tools }: Asked): boolean {
  const parts = typeof step === "object" && "parts" in step ? step.parts : [];
  return parts.some(({ type }) => type === "search") && !tools.some((name) => OWN_SEARCHES.includes(name));
}

const OWN_SEARCHES = ["web_search", "google_search"];

function refuse(turn: Turn, { refuse: refused }: Refused, outcome: Served["outcome"]): void {
  const { wire, response } = turn;
  const { status, headers = {}, body } = refused;
  record(turn, { outcome, status, why: refused.message });
  if (body === undefined) writeJson(response, { status, body: wire.errorBody(refused, status), headers });
  else response.writeHead(status, { "content-type": "text/plain", ...headers }).end(body);
}

async function reply(turn: Turn, step: Reply, { asked, prompt }: Question): Promise<void> {
  const { wire, response } = turn;
  const { counted, truncated } = promptUsage(turn, { asked, prompt });
  const told = said(step, { model: asked.model, prompt: counted });
  record(turn, {
    outcome: "said",
    status: 200,
    usage: { ...counted, output: replyTokens(told.parts) },
    ...(step.usage !== undefined && { reported: told.usage }),
    ...(truncated > 0 && { truncated }),
    ...(step.breaks && { broke: step.breaks.how }),
  });
  if (step.pace?.waitMs) await pause(response, step.pace.waitMs);
  if (!asked.streams) return sendWhole(response, { wire, body: wire.whole(told, asked.body), breaks: step.breaks });
  await send(response, { wire, events: wire.events(told, asked.body), pace: step.pace ?? {}, breaks: step.breaks });
}

/** What the prompt counts, what the cache holds of it, and what a server that truncates has dropped. */
function promptUsage(
  { wire, answering }: Turn,
  { asked: { model }, prompt }: Question,
): { readonly counted: Omit<Counted, "output">; readonly truncated: number } {
  const { ledger, window } = answering;
  const tokens = promptTokens(prompt);
  const { read, written } = ledger.ask(prompt, { of: `${wire.name} ${model}`, rules: wire.cache(model) });
  const truncated = window?.over === "truncate" ? Math.max(0, tokens - window.tokens) : 0;
  if (truncated > 0) return { counted: { input: tokens - truncated, cacheRead: 0, cacheWrite: 0 }, truncated };
  return { counted: { input: tokens - read - written, cacheRead: read, cacheWrite: written }, truncated };
}

function record(
  { wire, request, sent, answering }: Turn,
  rest: Pick<Served, "outcome" | "status"> & Partial<Served>,
): void {
  const { path, bytes } = request;
  answering.log.add({ path, wire: wire.name, model: wire.read(request).model, bytes, body: sent, ...rest });
}

export interface Window {
  readonly tokens: number;
  /** More is refused in the provider's words, or cut from the start without a word. */
  readonly over: "refuse" | "truncate";
}

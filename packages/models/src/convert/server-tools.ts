/** Declares, records and replays the web search that some providers run themselves. */

import type {
  JSONObject,
  JSONValue,
  LanguageModelV4ProviderTool,
  LanguageModelV4ToolCall,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResult,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import type { ModelName, Request, SystemMessage, TextBlock, ThinkingLevel, Tool } from "@pith/context";
import { type DraftBlock, type DraftServed, type Metadata, objectOf } from "./draft.ts";

/** Add it to the tools by a system message; models without a search of their own are not told of it. */
export const webSearch: Tool = {
  name: "web_search",
  description: "Searches the web. The provider runs it.",
  parameters: { type: "object", properties: { query: { type: "string" } } },
  from: "provider",
};

/** Whether a model's provider searches the web for it, beside other tools. */
export function searches(model: ModelName): boolean {
  return ownSearch(model, "off") !== null;
}

/** As its package takes it; null where the request wants none, or there is none. */
export function declaredSearch(request: Request, to: ModelName): LanguageModelV4ProviderTool | null {
  return isWanted(request) ? ownSearch(to, request.thinking) : null;
}

// Nobody could refuse its calls: one that was removed is declared no longer, whatever that costs the cache.
function isWanted({ tools, messages }: Request): boolean {
  const changes = messages.filter((message) => message.role === "system");
  const all = [...tools, ...changes.flatMap(({ toolsAdded = [] }) => toolsAdded)];
  return changes.reduce(wantedAfter, tools.some(isWebSearch)) && !all.some(hasItsName);
}

/** A tool of the host's own, which is declared for good; two of one name are refused. */
function hasItsName({ name, from }: Tool): boolean {
  return from === undefined && name === webSearch.name;
}

function wantedAfter(before: boolean, { toolsAdded = [], toolsRemoved = [] }: SystemMessage): boolean {
  return toolsAdded.some(isWebSearch) || (before && !toolsRemoved.some(({ name }) => name === webSearch.name));
}

function isWebSearch({ name, from }: Tool): boolean {
  return from === "provider" && name === webSearch.name;
}

function ownSearch({ api, provider, model }: ModelName, thinking: ThinkingLevel): LanguageModelV4ProviderTool | null {
  const [id, known, args = {}] = own[`${provider} ${api}`] ?? [];
  if (!id || !known?.test(model) || (thinking === "minimal" && provider === "openai")) return null;
  return { type: "provider", id, name: webSearch.name, args };
}

type OwnSearch = readonly [id: LanguageModelV4ProviderTool["id"], models: RegExp, args?: Record<string, unknown>];

/**
 * Anthropic pauses a reply after ten searches, which we would take for its end. OpenAI refuses to search with the least
 * effort. Gemini before 3 searches only in the place of all other tools.
 */
const own: Readonly<Record<string, OwnSearch>> = {
  "anthropic anthropic-messages": [
    "anthropic.web_search_20250305",
    /^claude-(?!3-(opus|sonnet|haiku))/,
    { maxUses: 8 },
  ],
  "openai openai-responses": ["openai.web_search", /^(gpt-4o|gpt-4\.1(?!-nano)|gpt-[5-9]|o3(?!-mini)|o4)/],
  "google google-generative-ai": ["google.google_search", /^gemini-([3-9]|\d\d)/],
};

/** As the provider's package gave it, to be handed back as it came. */
export interface Served {
  readonly id: string;
  readonly name: string;
  readonly input: JSONValue;
  readonly output: JSONValue;
  readonly failed?: true;
  /** It came after a thought, without which OpenAI refuses it. */
  readonly thought?: true;
  readonly beside?: { readonly call?: SharedV4ProviderMetadata; readonly result?: SharedV4ProviderMetadata };
}

/** A text block with a field that pi passes over. */
export interface ServedBlock extends TextBlock {
  readonly pith: { readonly served: Served };
}

export function servedBlock(text: string, served: Served): ServedBlock {
  return { type: "text", text, pith: { served } };
}

/** What a block keeps; null for any other block. It comes from a file, so nothing in it is taken on trust. */
export function servedIn(block: unknown): Served | null {
  if (!isRecord(block) || block.type !== "text" || !isRecord(block.pith) || !isRecord(block.pith.served)) return null;
  const { id, name, input, output, beside } = block.pith.served;
  if (typeof id !== "string" || typeof name !== "string" || input === undefined || output === undefined) return null;
  if (beside !== undefined && !(isRecord(beside) && Object.values(beside).every(isMetadata))) return null;
  return block.pith.served as unknown as Served;
}

function isMetadata(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every(isRecord);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Without `output`, nothing had come back. */
export type Ran = Pick<Served, "name" | "input" | "failed"> & { readonly output?: JSONValue };

/** One line for people, and for models that cannot read what the tool found. Stands alone between two texts. */
export function servedLine(ran: Ran): string {
  return `\n[${told(ran)}]\n`;
}

function told({ name, input, output, failed }: Ran): string {
  const action = fieldOf(output, "action");
  const url = textIn(action, "url");
  if (url !== "") return pageAction(url, textIn(action, "pattern"));
  const queries = [...queriesIn(input), ...queriesIn(action)].map((query) => `"${short(query)}"`);
  const act = queries.length > 0 || /search/i.test(name) ? "searched the web" : `ran ${short(name)} at the provider`;
  const about = queries.length > 0 ? ` for ${[...new Set(queries)].join(", ")}` : "";
  if (output === undefined || failed) return `${act}${about}, without an answer`;
  const pages = pagesIn(output);
  return pages.length > 0 ? `${act}${about}: ${pages.join("; ")}` : `${act}${about}`;
}

function pageAction(url: string, pattern: string): string {
  return pattern === ""
    ? `opened the web page ${short(url)}`
    : `looked for "${short(pattern)}" in the web page ${short(url)}`;
}

function queriesIn(value: JSONValue | undefined): readonly string[] {
  const several = fieldOf(value, "queries");
  const query = textIn(value, "query");
  const all = Array.isArray(several) ? several.filter((each) => typeof each === "string") : [];
  return query === "" ? all : [query, ...all];
}

/** A list of pages, or a list of sources. */
function pagesIn(output: JSONValue): readonly string[] {
  const pages = Array.isArray(output) ? output : fieldOf(output, "sources");
  return (Array.isArray(pages) ? pages : []).slice(0, MOST_PAGES).flatMap((page) => {
    const [url, title] = [textIn(page, "url"), textIn(page, "title")];
    if (url === "") return [];
    return [title === "" ? short(url) : `${short(title)} (${short(url)})`];
  });
}

const MOST_PAGES = 10;

function fieldOf(value: JSONValue | undefined, name: string): JSONValue | undefined {
  return isRecord(value) ? (value as JSONObject)[name] : undefined;
}

function textIn(value: JSONValue | undefined, name: string): string {
  const text = fieldOf(value, name);
  return typeof text === "string" ? text : "";
}

// Titles are anybody's words: on one line, none of them long, nothing in them that closes the bracket.
function short(text: string): string {
  const words = text
    .slice(0, LETTERS * 2)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .replace(/[[\]]/g, "|")
    .trim();
  return words.length > LETTERS ? `${words.slice(0, LETTERS - 1).toWellFormed()}…` : words.toWellFormed();
}

const LETTERS = 200;

export type ServedPart = LanguageModelV4ToolCallPart | LanguageModelV4ToolResultPart;

export function servedParts({ id, name, input, output, failed, beside }: Served): readonly ServedPart[] {
  const both = { toolCallId: id, toolName: name };
  return [
    {
      type: "tool-call",
      ...both,
      input,
      providerExecuted: true,
      ...(beside?.call && { providerOptions: beside.call }),
    },
    {
      type: "tool-result",
      ...both,
      output: { type: failed ? "error-json" : "json", value: output },
      ...(beside?.result && { providerOptions: beside.result }),
    },
  ];
}

export function servedCall({
  toolCallId,
  toolName,
  input,
  providerMetadata = {},
}: LanguageModelV4ToolCall): DraftServed {
  return { kind: "served", id: toolCallId, name: toolName, json: input, metadata: providerMetadata, result: null };
}

/** The call that has waited for this result; none for a result that others will take the place of. */
export function waitingCall(
  blocks: readonly DraftBlock[],
  { toolCallId, preliminary }: LanguageModelV4ToolResult,
): DraftServed | undefined {
  const waiting = blocks.filter((block) => block.kind === "served" && !block.result) as readonly DraftServed[];
  return preliminary ? undefined : waiting.findLast(({ id }) => id === toolCallId);
}

export function answered(call: DraftServed, part: LanguageModelV4ToolResult): DraftServed {
  const { result: output, isError: failed = false, providerMetadata: metadata = {} } = part;
  return { ...call, result: { output, failed, metadata } };
}

/** `thought`: it came after one. A call without a result is a line and nothing more: no provider takes it back. */
export function servedTextBlock(draft: DraftServed, { thought }: { readonly thought: boolean }): TextBlock {
  const { id, name, json, metadata, result } = draft;
  const input = objectOf(json) ?? {};
  if (!result) return { type: "text", text: servedLine({ name, input }) };
  const { output, failed } = result;
  const served = { id, name, input, output, ...(failed && { failed }), ...(thought && { thought }) };
  return servedBlock(servedLine(served), { ...served, ...besideOf(metadata, result.metadata) });
}

function besideOf(call: Metadata, result: Metadata): Pick<Served, "beside"> {
  const beside = { ...(!isEmpty(call) && { call }), ...(!isEmpty(result) && { result }) };
  return isEmpty(beside) ? {} : { beside };
}

const isEmpty = (value: object): boolean => Object.keys(value).length === 0;

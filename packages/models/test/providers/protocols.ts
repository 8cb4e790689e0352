/** Endpoints and conversations for tests: a real provider package for each of the four protocols, with one scripted server. */

import {
  type AssistantMessage,
  buildRequest,
  buildSessionContext,
  MemoryStore,
  type Model,
  type ModelEvent,
  type NewEntry,
  Session,
  type ThinkingLevel,
} from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import type { ServedRequest, TestServer } from "@pith/testkit";
import { type OpenModelDependencies, openModel } from "../../src/open-model.ts";

export interface Endpoint {
  readonly provider: string;
  readonly model: string;
  /** The path of its API. */
  readonly path: string;
}

export const endpoints: readonly Endpoint[] = [
  { provider: "anthropic", model: "claude-sonnet-4-5", path: "/v1" },
  { provider: "openai", model: "gpt-5", path: "/v1" },
  { provider: "openrouter", model: "qwen/qwen3-coder", path: "/v1" },
  { provider: "google", model: "gemini-3-pro-preview", path: "/v1beta" },
];

/** Every pair of two endpoints. */
export const endpointPairs: readonly (readonly [Endpoint, Endpoint])[] = endpoints.flatMap((from) =>
  endpoints.filter((to) => to !== from).map((to) => [from, to] as const),
);

export async function modelOf(
  endpoint: Endpoint,
  server: TestServer,
  dependencies: OpenModelDependencies & { readonly contextWindow?: number } = {},
): Promise<Model> {
  const { provider, model, path } = endpoint;
  const { contextWindow, ...otherDependencies } = dependencies;
  const opened = await openModel(
    {
      provider,
      model,
      baseUrl: server.url + path,
      apiKey: "test",
      ...(contextWindow !== undefined && { contextWindow }),
    },
    { environment: {}, ...otherDependencies },
  );
  if (opened.type !== "opened") throw new Error(opened.message);
  return opened.model;
}

/** The requests to a model, without the probes of its window. */
export function modelRequests(server: TestServer): readonly ServedRequest[] {
  return server.requests.filter(({ wire }) => wire !== null);
}

/** The last event of a stream. */
export async function lastOf(events: AsyncIterable<ModelEvent>): Promise<ModelEvent> {
  let last: ModelEvent | undefined;
  for await (const event of events) last = event;
  if (!last) throw new Error("there was no event at all");
  return last;
}

/** A session with models: every reply and result is an entry, every request is built from the branch. */
export class TestConversation {
  readonly session: Session;
  readonly #thinking: ThinkingLevel;

  private constructor(session: Session, thinking: ThinkingLevel) {
    this.session = session;
    this.#thinking = thinking;
  }

  static async begin(thinking: ThinkingLevel = "high"): Promise<TestConversation> {
    const session = await Session.open(MemoryStore.create(nodeRuntime), nodeRuntime);
    const conversation = new TestConversation(session, thinking);
    await conversation.note({
      type: "message",
      message: { role: "system", content: "You are a test.", toolsAdded: tools, timestamp: 0 },
    });
    return conversation;
  }

  async note(...drafts: readonly NewEntry[]): Promise<void> {
    await this.session.append(...drafts);
  }

  async say(text: string): Promise<void> {
    await this.note({ type: "message", message: { role: "user", content: [{ type: "text", text }], timestamp: 0 } });
  }

  /** Sends one request and appends the reply. Throws if the model fails. */
  async ask(model: Model): Promise<AssistantMessage> {
    const request = buildRequest(buildSessionContext(this.session.branch), { model, thinking: this.#thinking });
    const end = await lastOf(model.stream(request, {}));
    if (end.type !== "reply-ended") throw new Error(`${model.api}: ${JSON.stringify(end)}`);
    await this.note({ type: "message", message: end.message });
    return end.message;
  }

  /** Appends a result for every call of the reply: text, an image for `look`, an error for `fail`. */
  async answer({ content }: AssistantMessage): Promise<void> {
    for (const block of content) {
      if (block.type !== "toolCall") continue;
      const image = { type: "image" as const, data: PIXEL, mimeType: "image/png" };
      const text = { type: "text" as const, text: `result of ${JSON.stringify(block.arguments)}` };
      await this.note({
        type: "message",
        message: {
          role: "toolResult",
          toolCallId: block.id,
          toolName: block.name,
          content: block.name === "look" ? [text, image] : [text],
          isError: block.name === "fail",
          timestamp: 0,
        },
      });
    }
  }
}

export const tools = ["read", "look", "fail"].map((name) => ({
  name,
  description: `The tool ${name}.`,
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
}));

/** A red pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

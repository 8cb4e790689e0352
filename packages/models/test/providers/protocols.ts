/** Four voices over HTTP: a real provider package for each protocol, all at one scripted server. */

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

export interface Voice {
  readonly provider: string;
  readonly model: string;
  /** Where its API begins. */
  readonly path: string;
}

export const voices: readonly Voice[] = [
  { provider: "anthropic", model: "claude-sonnet-4-5", path: "/v1" },
  { provider: "openai", model: "gpt-5", path: "/v1" },
  { provider: "openrouter", model: "qwen/qwen3-coder", path: "/v1" },
  { provider: "google", model: "gemini-3-pro-preview", path: "/v1beta" },
];

/** Every way from one protocol to another. */
export const ways: readonly (readonly [Voice, Voice])[] = voices.flatMap((from) =>
  voices.filter((to) => to !== from).map((to) => [from, to] as const),
);

export async function modelOf(
  voice: Voice,
  server: TestServer,
  surroundings: OpenModelDependencies & { readonly contextWindow?: number } = {},
): Promise<Model> {
  const { provider, model, path } = voice;
  const { contextWindow, ...around } = surroundings;
  const opened = await openModel(
    {
      provider,
      model,
      baseUrl: server.url + path,
      apiKey: "test",
      ...(contextWindow !== undefined && { contextWindow }),
    },
    { environment: {}, ...around },
  );
  if (opened.type !== "opened") throw new Error(opened.message);
  return opened.model;
}

/** The requests to a model, without the questions about its window. */
export function asked(server: TestServer): readonly ServedRequest[] {
  return server.requests.filter(({ wire }) => wire !== null);
}

/** How a stream of events ends. */
export async function lastOf(events: AsyncIterable<ModelEvent>): Promise<ModelEvent> {
  let last: ModelEvent | undefined;
  for await (const event of events) last = event;
  if (!last) throw new Error("there was no event at all");
  return last;
}

/** A session that talks to models: every reply and every result is an entry, every request is built from the branch. */
export class Talk {
  readonly session: Session;
  readonly #thinking: ThinkingLevel;

  private constructor(session: Session, thinking: ThinkingLevel) {
    this.session = session;
    this.#thinking = thinking;
  }

  static async begin(thinking: ThinkingLevel = "high"): Promise<Talk> {
    const session = await Session.open(MemoryStore.create(nodeRuntime), nodeRuntime);
    const talk = new Talk(session, thinking);
    await talk.note({
      type: "message",
      message: { role: "system", content: "You are a test.", toolsAdded: tools, timestamp: 0 },
    });
    return talk;
  }

  async note(...drafts: readonly NewEntry[]): Promise<void> {
    await this.session.append(...drafts);
  }

  async say(text: string): Promise<void> {
    await this.note({ type: "message", message: { role: "user", content: [{ type: "text", text }], timestamp: 0 } });
  }

  /** One request; the reply is noted. Throws where the model fails: nothing here may be refused. */
  async ask(model: Model): Promise<AssistantMessage> {
    const request = buildRequest(buildSessionContext(this.session.branch), { model: model, thinking: this.#thinking });
    const end = await lastOf(model.stream(request, {}));
    if (end.type !== "reply-ended") throw new Error(`${model.api}: ${JSON.stringify(end)}`);
    await this.note({ type: "message", message: end.message });
    return end.message;
  }

  /** A result for every call of the reply: text, an image for those who look, an error for those who fail. */
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

/** A red point. */
export const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

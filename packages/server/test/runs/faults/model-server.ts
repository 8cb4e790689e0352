/** A scripted model whose reply depends only on the request: it works on the newest task of the conversation, and it counts the requests of each step. */

import { type Script, type ScriptRequest, startServer, type TestServer } from "@pith/testkit";
import type { RandomSource } from "../../../../context/test/support/seeded-random.ts";

/** What a prompt asks for: some rounds of tools, then an answer. */
export interface Task {
  readonly id: string;
  readonly rounds: number;
}

export function describeTask({ id, rounds }: Task): string {
  return `Task ${id}: ${rounds} rounds, please.`;
}

export function describeAnswer({ id }: Pick<Task, "id">): string {
  return `Answer to ${id}.`;
}

/** The key of a request: which step of which task it asks for. */
export function stepKey(id: string, round: number): string {
  return `${id}/${round}`;
}

export interface ModelServer extends TestServer {
  /** The number of requests of each step. */
  readonly counts: ReadonlyMap<string, number>;
  /** The calls of which a request said that their outcome is not known. */
  readonly toldUnknown: ReadonlySet<string>;
}

export async function startModelServer(random: RandomSource): Promise<ModelServer> {
  const counts = new Map<string, number>();
  const toldUnknown = new Set<string>();
  const script: Script = (request) => {
    const messages = readMessages(request);
    for (const call of listUnknown(messages)) toldUnknown.add(call);
    const { id, rounds, round } = findStep(messages);
    const attempt = (counts.get(stepKey(id, round)) ?? 0) + 1;
    counts.set(stepKey(id, round), attempt);
    const pace = { waitMs: Math.floor(random() * 100), everyMs: 10 + Math.floor(random() * 30), chunk: 4 };
    if (round === rounds) return { parts: [{ type: "text", text: describeAnswer({ id }) }], pace };
    // Each reply has calls of its own, so that a call of a reply that is not in the log can be told apart.
    const names = round % 2 === 0 ? ["look", "work"] : ["work", "look"];
    const calls = names.map((name) => {
      return { type: "call", name, arguments: {}, id: `${name}-${id}-${round}-${attempt}` } as const;
    });
    return { parts: [{ type: "text", text: `Round ${round} of ${id}.` }, ...calls], pace };
  };
  const server = await startServer({ script });
  return { ...server, counts, toldUnknown };
}

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly tool_use_id?: string;
  readonly content?: unknown;
}

interface RequestMessage {
  readonly role: string;
  readonly content: readonly Block[];
}

function readMessages({ body }: ScriptRequest): readonly RequestMessage[] {
  const messages = body.messages as readonly { readonly role: string; readonly content: string | readonly Block[] }[];
  return messages.map(({ role, content }) => ({
    role,
    content: typeof content === "string" ? [{ type: "text", text: content }] : content,
  }));
}

/** The newest task, and how many rounds it had. */
function findStep(messages: readonly RequestMessage[]): Task & { readonly round: number } {
  let round = 0;
  for (const { role, content } of messages.toReversed()) {
    if (role === "assistant") round += 1;
    const texts = role === "user" ? content.map(({ text = "" }) => text) : [];
    const [, id, rounds] = TASK.exec(texts.join("\n")) ?? [];
    if (id !== undefined) return { id, rounds: Number(rounds), round };
  }
  throw new Error("the conversation has no task");
}

const TASK = /Task (\S+): (\d+) rounds, please\./;

function listUnknown(messages: readonly RequestMessage[]): readonly string[] {
  return messages.flatMap(({ content }) =>
    content.flatMap(({ tool_use_id: call, content: result }) =>
      call !== undefined && isUnknownOutcome(JSON.stringify(result)) ? [call] : [],
    ),
  );
}

/** Whether the result of a call says that it may or may not have run. */
export function isUnknownOutcome(result: string): boolean {
  return result.includes("it may or may not have completed");
}

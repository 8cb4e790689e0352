/** Makes a realistic session with a fact planted in each of its long results. */

import { between, type Random } from "@pith/bench/random";
import type { Texts } from "@pith/bench/texts";
import { MemoryStore, type NewEntry, Session } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { emptyUsage } from "@pith/context/testing";
import type { Fact } from "./facts.ts";
import { filled, type Language, pick } from "./languages/language.ts";
import { diff, json, log, type Output, type OutputParts, prose, withFact } from "./tool-outputs.ts";

export interface PlantedSession {
  readonly session: Session;
  /** For each fact the id of the entry it stands in. */
  readonly entryIds: readonly string[];
}

const outputs: Readonly<Record<Fact["kind"], (parts: OutputParts) => Output>> = { prose, log, json, diff };

export interface Chance {
  readonly next: Random;
  /** Prose from a folder, instead of what is made up. */
  readonly corpus: Texts | null;
}

export async function plantedSession(facts: readonly Fact[], { next, corpus }: Chance): Promise<PlantedSession> {
  const session = await Session.open(MemoryStore.create(nodeRuntime), nodeRuntime);
  const entryIds: string[] = [];
  for (const fact of facts) {
    const parts = { language: fact.language, letters: between(next, SHORTEST, LONGEST), next, corpus };
    const text = withFact(outputs[fact.kind](parts), fact, next);
    await session.append(...talk(fact.language, next));
    await session.append(...exchange(fact.language, { kind: fact.kind, output: text }, next));
    entryIds.push(session.branch.entries.at(-1)?.id ?? "");
  }
  await tail(session, facts[0]?.language, next);
  return { session, entryIds };
}

/** Letters of a result. */
const [SHORTEST, LONGEST] = [6_000, 40_000];

function talk(language: Language, next: Random): readonly NewEntry[] {
  const said = (): string => filled(pick(language.replies, next), language, next);
  const asked = user(filled(pick(language.requests, next), language, next));
  const short = exchange(language, { kind: "log", output: said() }, next);
  return [asked, ...(next() < 0.5 ? short : []), reply([{ type: "text", text: `${said()} ${said()}` }])];
}

interface Ran {
  readonly kind: Fact["kind"];
  readonly output: string;
}

function exchange(language: Language, { kind, output }: Ran, next: Random): readonly NewEntry[] {
  const id = `call_${between(next, 1, 1e12)}`;
  const thinking = filled(`${pick(language.replies, next)} ${pick(language.sentences, next)}`, language, next);
  const call = { type: "toolCall" as const, id, ...calls[kind](filled("{path}", language, next)) };
  return [
    reply([...(next() < 0.3 ? [{ type: "thinking" as const, thinking }] : []), call]),
    says({
      role: "toolResult",
      toolCallId: id,
      toolName: call.name,
      content: [{ type: "text", text: output }],
      isError: false,
      timestamp: 1,
    }),
  ];
}

interface Call {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

const calls: Readonly<Record<Fact["kind"], (path: string) => Call>> = {
  prose: (path) => ({ name: "read", arguments: { path } }),
  log: (path) => ({ name: "bash", arguments: { command: `tail -n 2000 ${path}` } }),
  json: (path) => ({ name: "bash", arguments: { command: `curl -s localhost${path}` } }),
  diff: () => ({ name: "bash", arguments: { command: "git diff main" } }),
};

// A little more than either side keeps as it was said.
async function tail(session: Session, language: Language | undefined, next: Random): Promise<void> {
  for (let letters = 0; language && letters < TAIL; ) {
    const text = filled(language.sentences.join(language.space), language, next);
    letters += text.length * (language.name === "zh" ? 4 : 1);
    await session.append(...talk(language, next), reply([{ type: "text", text }]));
  }
}

/** In letters that are a quarter of a token. */
const TAIL = 90_000;

type Message = Extract<NewEntry, { type: "message" }>["message"];
type Reply = Extract<Message, { role: "assistant" }>;

const says = (message: Message): NewEntry => ({ type: "message", message });
const user = (content: string): NewEntry => says({ role: "user", content, timestamp: 1 });

function reply(content: Reply["content"]): NewEntry {
  const stopReason = content.at(-1)?.type === "toolCall" ? "toolUse" : "stop";
  const by = { api: "anthropic-messages", provider: "anthropic", model: "planted" };
  return says({ role: "assistant", ...by, content, usage: emptyUsage, stopReason, timestamp: 1 });
}

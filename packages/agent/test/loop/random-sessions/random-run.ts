/** Runs an agent through random acts, such as messages, replies, tool results, summaries, aborts and crashes, and finds what is wrong with its session after them. */

import { buildSessionContext, type Entry, MemoryStore, Session } from "@pith/context";
import { decodeSession } from "@pith/context/store";
import { testRuntime } from "@pith/context/testing";
import fc from "fast-check";
import type { RunEnd } from "../../../src/index.ts";
import { findPendingWork } from "../../../src/pending-work.ts";
import {
  calls,
  createTestAgent,
  type HeldModel,
  type HeldTool,
  type HeldWriter,
  heldModel,
  heldTool,
  heldWriter,
  quiet,
  reopenTestAgent,
  type TestAgent,
  text,
  tooLong,
} from "../../support/held-agent.ts";

export const acts = [
  "prompt",
  "steer",
  "follow up",
  "abort",
  "compact",
  "says little",
  "says much",
  "calls",
  "calls twice",
  "is too long",
  "breaks off",
  "tool ends",
  "last tool ends",
  "writer answers",
  "writer fails",
  "crash",
  "move",
  "undo",
  "think",
  "clear queue",
] as const;

export type Act = (typeof acts)[number];

/** Replies are more frequent than crashes. */
const weights: Partial<Readonly<Record<Act, number>>> = { prompt: 4, "says much": 5, calls: 4, "last tool ends": 4 };

export const actSequences: fc.Arbitrary<readonly Act[]> = fc.array(
  fc.oneof(...acts.map((act) => ({ arbitrary: fc.constant(act), weight: weights[act] ?? 1 }))),
  { minLength: 1, maxLength: 80, size: "max" },
);

export interface SentMessage {
  readonly words: string;
  readonly kind: "prompt" | "steer" | "followUp";
}

interface Things {
  readonly model: HeldModel;
  readonly tool: HeldTool;
  readonly writer: HeldWriter;
}

export class RandomRun {
  readonly sent: SentMessage[] = [];
  /** The calls that the tool was run for, crashes or not. */
  readonly ran: string[] = [];
  /** What was taken back before it was heard. */
  readonly cleared = new Set<string>();
  /** Whether it went to another place, so that what was said lies on several branches. */
  hasMoved = false;
  /** Runs that said they were done, and left something waiting. */
  hasty = 0;
  #scene: TestAgent;
  #things: Things;
  #crashes = 0;
  #count = 0;

  static async begin(): Promise<RandomRun> {
    const things = freshThings();
    return new RandomRun(await createTestAgent(things.model, partsOf(things), "l0-"), things);
  }

  private constructor(test: TestAgent, things: Things) {
    this.#scene = test;
    this.#things = things;
  }

  get session(): Session {
    return this.#scene.agent.session;
  }

  async act(act: Act): Promise<void> {
    await this.#perform(act);
    await quiet();
  }

  /** Lets everything come to its end: whoever waits is answered, and what was left open is taken up. */
  async end(): Promise<void> {
    for (let step = 0; step < 300; step += 1) {
      await quiet();
      const { model, tool, writer } = this.#things;
      if (writer.waiting.length > 0) await this.act("writer fails");
      else if (tool.waiting.length > 0) await this.act("tool ends");
      else if (model.waiting.length > 0) await this.act("says little");
      else if (this.#scene.agent.isRunning) continue;
      else if (await this.isOpen()) void this.#watch(this.#scene.resume());
      else return void this.ran.push(...tool.ran);
    }
    throw new Error("it never came to an end");
  }

  /** Whether something waits to be said, answered or run. */
  async isOpen(): Promise<boolean> {
    const { queue, session } = this.#scene.agent;
    return queue.length > 0 || (findPendingWork(await session.branchEntries())?.type ?? "nothing") !== "nothing";
  }

  async #perform(act: Act): Promise<void> {
    const { agent } = this.#scene;
    const { model, tool, writer } = this.#things;
    const reply = model.waiting[0]?.end ?? (() => {});
    switch (act) {
      case "prompt":
        if (!agent.isRunning) void this.#watch(this.#scene.prompt(this.#words("prompt")));
        return;
      case "steer":
        return agent.steer(this.#words("steer"));
      case "follow up":
        return agent.followUp(this.#words("followUp"));
      case "abort":
        return agent.abort();
      case "compact":
        return void agent.compact();
      case "says little":
        return reply(text("Good."));
      case "says much":
        return reply(text(`Much. ${"And more than that. ".repeat(400)}`));
      case "calls":
        return reply(calls("work", this.#name("c")));
      case "calls twice":
        return reply(calls("work", this.#name("c"), this.#name("c")));
      case "is too long":
        return reply(tooLong);
      case "breaks off":
        return reply({ failure: { kind: "unreachable", message: "the line is dead" } });
      case "tool ends":
        return tool.waiting[0]?.end("worked");
      case "last tool ends":
        return tool.waiting.at(-1)?.end(`worked ${"on and on ".repeat(400)}`);
      case "writer answers":
        return writer.waiting[0]?.end("tells");
      case "writer fails":
        return writer.waiting[0]?.end("fails");
      case "crash":
        return this.#crash();
      case "move":
        return this.#move();
      case "undo":
        return this.#undo();
      case "think":
        return void agent.setThinkingLevel(this.#count % 2 === 0 ? "high" : "low");
      case "clear queue":
        for (const { content } of await agent.clearQueue()) this.cleared.add(String(content).split(" ")[0] ?? "");
    }
  }

  async #watch(run: Promise<RunEnd>): Promise<void> {
    const { agent } = this.#scene;
    const { type } = await run;
    if (type === "done" && agent.queue.length > 0) this.hasty += 1;
  }

  /** Somewhere into the past. */
  async #move(): Promise<void> {
    const { agent } = this.#scene;
    const branch = await agent.session.branchEntries();
    const target = branch[Math.floor(branch.length * 0.6)];
    if (agent.isRunning || target?.type !== "message") return;
    this.hasMoved = true;
    void agent.navigateTree(target.id);
  }

  async #undo(): Promise<void> {
    const { agent } = this.#scene;
    if (agent.session.branch.compactionIndex === -1) return;
    this.hasMoved = true;
    void agent.undoCompaction();
  }

  /** Another process opens what is on the disk, and takes up what was left open. */
  async #crash(): Promise<void> {
    this.ran.push(...this.#things.tool.ran);
    this.#crashes += 1;
    this.#things = freshThings();
    this.#scene = await reopenTestAgent(this.#scene, partsOf(this.#things), `l${this.#crashes}-`);
    void this.#watch(this.#scene.resume());
  }

  #words(kind: SentMessage["kind"]): string {
    const words = this.#name("m");
    this.sent.push({ words, kind });
    return `${words} ${"Here is what you need to know. ".repeat(50)}`;
  }

  #name(letter: string): string {
    this.#count += 1;
    return `${letter}${this.#count}`;
  }
}

function freshThings(): Things {
  return { model: heldModel({ contextWindow: 8_192 }), tool: heldTool("work"), writer: heldWriter() };
}

function partsOf({ model, tool, writer }: Things) {
  return { model, tools: [tool], summarizers: [writer] };
}

export async function faultsOf(run: RandomRun): Promise<readonly string[]> {
  const branch = await run.session.branchEntries();
  const sent = run.sent.filter(({ words }) => !run.cleared.has(words));
  return [
    ...messageFaults(sent, allEntries(run.session)),
    ...(run.hasMoved ? [] : orderFaults(sent, branch)),
    ...callFaults(branch),
    ...run.ran.filter((id, at) => run.ran.indexOf(id) !== at).map((id) => `${id} was run twice`),
    ...(run.hasty > 0 ? ["a run said it was done while something waited"] : []),
    ...((await run.isOpen()) ? ["it is idle, and something is open"] : []),
    ...(await memoryFaults(run.session)),
  ];
}

/** Every message is delivered once, on some branch. */
function messageFaults(sent: readonly SentMessage[], entries: readonly Entry[]): readonly string[] {
  const userTexts = entries.flatMap(userWords);
  const times = ({ words }: SentMessage): number => userTexts.filter((each) => each === words).length;
  return sent.filter((each) => times(each) !== 1).map((each) => `${each.words} was delivered ${times(each)} times`);
}

/** Messages of each kind are delivered in order. */
function orderFaults(sent: readonly SentMessage[], branch: readonly Entry[]): readonly string[] {
  const userTexts = branch.flatMap(userWords);
  const kinds = ["prompt", "steer", "followUp"] as const;
  const disordered = kinds.filter((kind) => {
    const inOrder = sent.filter((each) => each.kind === kind).map(({ words }) => words);
    return userTexts.filter((words) => inOrder.includes(words)).join() !== inOrder.join();
  });
  return disordered.map((kind) => `the ${kind} messages are out of order`);
}

/** The entries of all branches. */
function allEntries({ store }: Session): readonly Entry[] {
  if (!(store instanceof MemoryStore)) throw new Error("the session is not in memory");
  return decodeSession(store.bytes(), testRuntime("all-")).lines.map(({ entry }) => entry);
}

/** Every valid call has one result, before the next message. */
function callFaults(branch: readonly Entry[]): readonly string[] {
  const faults: string[] = [];
  let open = new Set<string>();
  for (const entry of branch) {
    if (entry.type !== "message") continue;
    const { message } = entry;
    if (message.role === "toolResult") {
      if (!open.delete(message.toolCallId)) faults.push(`${message.toolCallId} has a result too many`);
      continue;
    }
    if (open.size > 0) faults.push(`${[...open].join()} had no result when ${message.role} spoke`);
    open = new Set();
    if (message.role === "assistant" && message.stopReason === "toolUse")
      open = new Set(message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : [])));
  }
  return faults;
}

/** The loaded branch equals what another process reads (INV23). */
async function memoryFaults(session: Session): Promise<readonly string[]> {
  if (!(session.store instanceof MemoryStore)) throw new Error("the session is not in memory");
  const ports = testRuntime("check-");
  const read = await Session.open(MemoryStore.open(session.store.bytes(), ports), ports);
  const context = ({ branch: window }: Session): string => JSON.stringify(buildSessionContext(window));
  return context(read) === context(session) ? [] : ["another process reads another context"];
}

function userWords(entry: Entry): readonly string[] {
  if (entry.type !== "message" || entry.message.role !== "user") return [];
  const [block] = entry.message.content;
  const text = typeof block === "string" ? block : block?.type === "text" ? block.text : "";
  return [text.split(" ")[0] ?? ""];
}

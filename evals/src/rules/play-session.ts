/** Plays a planned session on disk: sends its messages, fills the window, compacts it with a scripted model over HTTP, and measures every compaction. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRandom } from "@pith/bench/random";
import { createTextSource, type TextSource } from "@pith/bench/texts";
import {
  type Budget,
  buildRequest,
  buildSessionContext,
  type CompactionOutcome,
  compact,
  compactionDue,
  compactionLimits,
  contextSize,
  createBudget,
  type Entry,
  type Model,
  modelSummarizer,
  type NewEntry,
  readReceipt,
  Session,
  textTokens,
  type Usage,
} from "@pith/context";
import { prepareSummary, requestTokens } from "@pith/context/host";
import { createStore, nodeRuntime } from "@pith/context/node";
import { emptyUsage } from "@pith/context/testing";
import { openModel } from "@pith/models";
import { startServer } from "@pith/testkit";
import { createEntry, toolResult } from "../session-entries.ts";
import { findCompaction, readCompactedRequest } from "./compacted-request.ts";
import type { PlannedMessage, PlannedSession } from "./generated-session.ts";
import { type CompactionMeasures, findNoticedNumbers, findOverruns, measureCompaction } from "./measure-compaction.ts";
import { isInForce, type UserMessage } from "./rule.ts";
import { createSummaryScript, type KnownRule, type SummarizerName } from "./summarizers.ts";

export interface PlayOptions {
  readonly contextWindow: number;
  readonly summarizer: SummarizerName;
  readonly compactions: number;
  readonly seed: number;
  /** With `same-prefix`, the replies report cached tokens, and the summary is requested after the session's last request. */
  readonly route?: "transcript" | "same-prefix";
  /** Whether each summary is prepared before the last messages arrive. */
  readonly isPrepared?: boolean;
  /** If set, the last compaction follows a refusal by the provider, and this many compactions of the same request. */
  readonly overflowAttempt?: number;
  /** The size of the system prompt. */
  readonly systemTokens?: number;
}

/** A compaction of a session and what was measured after it. */
export interface PlayedCompaction extends CompactionMeasures {
  readonly overruns: readonly string[];
  readonly route: string;
  readonly rung: string;
  readonly isPrepared: boolean;
  /** The tokens of all messages of the user so far, and how many fit their budget. */
  readonly messageTokens?: { readonly all: number; readonly fit: number };
}

export async function playSession(plan: PlannedSession, options: PlayOptions): Promise<readonly PlayedCompaction[]> {
  const folder = mkdtempSync(join(tmpdir(), "pith-rules-"));
  const opened = await createStore(join(folder, "session.jsonl"), { cwd: folder });
  if (opened.type !== "opened") throw new Error(`the session could not be created: ${JSON.stringify(opened)}`);
  const player = new SessionPlayer(plan, await Session.open(opened.store, nodeRuntime), options);
  const server = await startServer({ script: createSummaryScript(options.summarizer, player.findRules) });
  try {
    await player.start(await openScriptedModel(server.url, options.contextWindow));
    const compactions: PlayedCompaction[] = [];
    for (let index = 0; index < options.compactions; index += 1) compactions.push(await player.playSegment(index));
    return compactions;
  } finally {
    await server.close();
    await opened.store.close();
    rmSync(folder, { recursive: true });
  }
}

async function openScriptedModel(url: string, contextWindow: number): Promise<Model> {
  const modelOptions = { ...MODEL_NAME, baseUrl: `${url}/v1`, apiKey: "any", contextWindow };
  const result = await openModel(modelOptions, { environment: {}, requestPolicy: { retries: 0 } });
  if (result.type !== "opened") throw new Error(result.message);
  return result.model;
}

const MODEL_NAME = { provider: "anthropic", model: "claude-sonnet-4-5" };

/** Without the hourly limits, because a session of hours is played in seconds. */
const LIMITS = { ...compactionLimits, hourly: { calls: Number.POSITIVE_INFINITY, cost: Number.POSITIVE_INFINITY } };

class SessionPlayer {
  readonly #plan: PlannedSession;
  readonly #session: Session;
  readonly #options: PlayOptions;
  readonly #makeText: TextSource;
  readonly #sent: UserMessage[] = [];
  readonly #noticed = new Set<number>();
  #model: Model | null = null;
  #calls = 0;

  constructor(plan: PlannedSession, session: Session, options: PlayOptions) {
    this.#plan = plan;
    this.#session = session;
    this.#options = options;
    this.#makeText = createTextSource(createRandom(options.seed), undefined);
  }

  /** Finds the rules of a sent message, for the summarizer. */
  readonly findRules = (number: number): readonly KnownRule[] => {
    const message = this.#sent.findIndex((sent) => sent.number === number);
    return this.#plan.rules
      .filter((rule) => rule.message === message)
      .flatMap((rule) => rule.statements.map((statement) => ({ ...statement, ...this.#describeRule(rule) })));
  };

  #describeRule(rule: PlannedSession["rules"][number]): Pick<KnownRule, "line" | "isReplaced" | "replaces"> {
    const replaced = this.#plan.rules.find(({ replacedBy }) => replacedBy === rule.message);
    return {
      line: rule.line,
      isReplaced: !isInForce(rule, this.#sent.length),
      replaces: replaced ? (this.#sent[replaced.message]?.number ?? null) : null,
    };
  }

  async start(model: Model): Promise<void> {
    this.#model = model;
    const toolsAdded = [
      { name: "bash", description: "Runs a command.", parameters: { type: "object", properties: {} } },
      { name: "recall", description: "Searches the session.", parameters: { type: "object", properties: {} } },
    ];
    const { systemTokens = 0 } = this.#options;
    const content = `You are a coding agent. ${this.#makeText(Math.ceil(systemTokens * CHARS_PER_TOKEN))}`;
    await this.#session.append(createEntry({ role: "system", content, toolsAdded, timestamp: 1 }));
  }

  /** Sends the messages of a segment, fills the window and compacts. */
  async playSegment(index: number): Promise<PlayedCompaction> {
    const { isPrepared = false, compactions } = this.#options;
    const { messages } = this.#plan;
    const [start, end] = [index, index + 1].map((each) => Math.floor((each * messages.length) / compactions));
    const segment = messages.slice(start, end);
    const early = isPrepared ? segment.slice(0, -LATE_MESSAGES) : segment;
    const { limit } = this.#budget();
    await this.#sendAll(early, limit * (isPrepared ? PREPARED_SHARE : FILLED_SHARE));
    const prepared = isPrepared ? await this.#prepare() : null;
    await this.#sendAll(segment.slice(early.length), limit * FILLED_SHARE);
    // A context that exceeds the limit by much leaves no room for an instruction after the last request.
    while (compactionDue(this.#session.branch, this.#budget()).type !== "due")
      await this.#session.append(...this.#work(limit * FILL_STEP_SHARE));
    const isLast = index === compactions - 1;
    const { overflowAttempt } = this.#options;
    const request =
      isLast && overflowAttempt !== undefined
        ? ({ reason: "overflow", attempt: overflowAttempt } as const)
        : ({ reason: "due" } as const);
    const outcome = await compact({ ...this.#compactionOptions(), ...request, ...(prepared && { prepared }) });
    return this.#measure(outcome);
  }

  async #prepare() {
    const result = await prepareSummary({ ...this.#compactionOptions(), reason: "due" });
    if (result.type !== "prepared") throw new Error(`no summary was prepared: ${JSON.stringify(result)}`);
    return result.summary;
  }

  #compactionOptions() {
    const model = this.#getModel();
    const { route = "transcript" } = this.#options;
    const requests = {
      model,
      build: (context: Parameters<typeof buildRequest>[0]) => buildRequest(context, { model }),
    };
    return {
      session: this.#session,
      budget: this.#budget(),
      runtime: nodeRuntime,
      summarizers: [modelSummarizer(model, { runtime: nodeRuntime, preferredRoute: route })],
      ...(route === "same-prefix" && { requests }),
    };
  }

  #measure(outcome: CompactionOutcome): PlayedCompaction {
    if (outcome.type !== "compacted") throw new Error(`the session was not compacted: ${JSON.stringify(outcome)}`);
    const { branch } = this.#session;
    const compaction = findCompaction(branch);
    for (const number of findNoticedNumbers(compaction)) this.#noticed.add(number);
    const request = readCompactedRequest(branch);
    const { rules } = this.#plan;
    const { route = "", rung = "", preparedMs } = readReceipt(compaction) ?? {};
    return {
      ...measureCompaction({ rules, messages: this.#sent, request, noticed: this.#noticed }),
      overruns: findOverruns(compaction, this.#budget()),
      route,
      rung,
      isPrepared: preparedMs !== undefined,
    };
  }

  /** Sends messages with work between them, so that the context grows evenly up to a size. */
  async #sendAll(messages: readonly PlannedMessage[], size: number): Promise<void> {
    const { turnsPerAppend = 1 } = this.#plan;
    for (let index = 0; index < messages.length; index += turnsPerAppend) {
      const { tokens } = contextSize(this.#session.branch, this.#budget());
      const factor = this.#options.route === "same-prefix" ? REAL_TOKENS_PER_ESTIMATE : 1;
      const turnTokens = Math.max(MIN_TURN_TOKENS, (size - tokens) / factor / (messages.length - index));
      await this.#sendTurns(messages.slice(index, index + turnsPerAppend), turnTokens);
    }
  }

  async #sendTurns(messages: readonly PlannedMessage[], turnTokens: number): Promise<void> {
    const unsentTexts: string[] = [];
    const turns = messages.map(({ text, content }) => {
      unsentTexts.push(text);
      const user = createEntry({ role: "user", content: content ?? text, timestamp: 1 });
      return [user, ...(this.#plan.endsInQuestions ? this.#reply(turnTokens) : this.#work(turnTokens, unsentTexts))];
    });
    await this.#session.append(...turns.flat());
    const users = this.#session.branch.entries.slice(-turns.flat().length).filter(isUserEntry);
    for (const [index, { text }] of messages.entries()) {
      const number = users[index]?.number;
      if (number === undefined) throw new Error(`the message has no number: ${text}`);
      this.#sent.push({ number, text });
    }
  }

  /** A tool call with a long result, and a short reply. The result is added to the texts that are new since the last append. */
  #work(tokens: number, unsentTexts: string[] = []): readonly NewEntry[] {
    this.#calls += 1;
    const [toolCallId, toolName] = [`call_${this.#calls}`, "bash"];
    const call = {
      type: "toolCall" as const,
      id: toolCallId,
      name: toolName,
      arguments: { command: `./step ${this.#calls}` },
    };
    const output = this.#makeText(Math.ceil(tokens * CHARS_PER_TOKEN));
    const callEntry = this.#assistantEntry([call], unsentTexts);
    unsentTexts.push(output);
    const reply = this.#assistantEntry([{ type: "text", text: `Step ${this.#calls} is finished.` }], unsentTexts);
    return [callEntry, toolResult(output, { toolCallId, toolName }), reply];
  }

  #reply(tokens: number): readonly NewEntry[] {
    this.#calls += 1;
    const text = this.#makeText(Math.ceil(tokens * CHARS_PER_TOKEN));
    const question = `Is there a rule for part ${this.#calls} as well?`;
    return [this.#assistantEntry([{ type: "text", text: `${text}\n${question}` }], [])];
  }

  /** A reply of the model. If the provider caches, it reports the tokens of its request. */
  #assistantEntry(content: AssistantContent, unsentTexts: readonly string[]): NewEntry {
    const { api, provider, model } = this.#getModel();
    const stopReason = content.some(({ type }) => type === "toolCall") ? "toolUse" : "stop";
    const usage = this.#options.route === "same-prefix" ? this.#reportUsage(unsentTexts) : emptyUsage;
    return createEntry({ role: "assistant", api, provider, model, content, usage, stopReason, timestamp: 1 });
  }

  #reportUsage(unsentTexts: readonly string[]): Usage {
    const request = buildRequest(buildSessionContext(this.#session.branch), { model: this.#getModel() });
    const unsentTokens = unsentTexts.reduce((sum, text) => sum + textTokens(text), 0);
    const cacheRead = Math.ceil((requestTokens(request) + unsentTokens) * REAL_TOKENS_PER_ESTIMATE);
    return { ...emptyUsage, cacheRead, output: REPLY_TOKENS, totalTokens: cacheRead + REPLY_TOKENS };
  }

  #budget(): Budget {
    return createBudget(LIMITS, { contextWindow: this.#options.contextWindow, model: this.#getModel() });
  }

  #getModel(): Model {
    if (!this.#model) throw new Error("the session has no model yet");
    return this.#model;
  }
}

function isUserEntry(entry: Entry): boolean {
  return entry.type === "message" && entry.message.role === "user";
}

type AssistantContent = Extract<Extract<NewEntry, { type: "message" }>["message"], { role: "assistant" }>["content"];

/** The messages of a segment that arrive after the summary was prepared. */
const LATE_MESSAGES = 3;
/** Shares of the limit: what is used before a summary is prepared, what the messages fill, and what each further step adds. */
const PREPARED_SHARE = 0.88;
const FILLED_SHARE = 0.96;
const FILL_STEP_SHARE = 0.01;
const MIN_TURN_TOKENS = 40;
const REPLY_TOKENS = 10;
/** Of the generated text. */
const CHARS_PER_TOKEN = 4.3;
/** What the replies report for each estimated token, so that the budgets are calibrated. */
const REAL_TOKENS_PER_ESTIMATE = 1.1;

/** Decides whether the program of an MCP server may start and whether its tools may be used: as trusted before, or after a question. */

import type { NamedServer } from "../settings/settings.ts";
import type { LaunchPlan } from "./plan-launch.ts";
import { areSameFiles, listFileChanges, type ProgramFiles } from "./program-files.ts";
import {
  type Confirm,
  formatStartText,
  formatStartTitle,
  formatTrustText,
  formatTrustTitle,
  type StartQuestion,
  summarizeToolChanges,
  type TrustQuestion,
} from "./trust-question.ts";
import {
  createTrustRecord,
  hasSameFiles,
  isSameTrustRecord,
  type OfferedTool,
  readTrustRecords,
  type ServerTrustRecord,
  saveTrustRecord,
  trustRecordKey,
} from "./trusted-tools.ts";

export interface TrustOptions {
  /** The workspace. */
  readonly cwd: string;
  /** Pith's home. */
  readonly home: string;
  /** Null where nobody is there. */
  readonly confirm: () => Confirm | null;
}

export interface OfferedTools {
  readonly namedServer: NamedServer;
  readonly tools: readonly OfferedTool[];
  /** What runs, as it is after the start; null for an address. */
  readonly files: ProgramFiles | null;
}

/** Each answers null for a yes; else why not, for the model and for people. One question at a time, and never twice about the same. */
export class Trust {
  readonly #options: TrustOptions;
  readonly #declined = new Set<string>();
  /** Programs that the user has let start in this session, by the keys of their pins. */
  readonly #permittedPrograms = new Map<string, ProgramFiles>();
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: TrustOptions) {
    this.#options = options;
  }

  permitStart(plan: LaunchPlan, signal: AbortSignal): Promise<string | null> {
    return this.#enqueue(() => this.#decideStart(plan, signal));
  }

  permitTools(offered: OfferedTools, signal: AbortSignal): Promise<string | null> {
    return this.#enqueue(() => this.#decideTools(offered, signal));
  }

  #enqueue(decide: () => Promise<string | null>): Promise<string | null> {
    const answer = this.#queue.then(decide);
    this.#queue = answer.catch(() => undefined);
    return answer;
  }

  async #decideStart(plan: LaunchPlan, signal: AbortSignal): Promise<string | null> {
    const { named: namedServer, files } = plan;
    const result = await this.#findRecord(namedServer);
    if (result.type === "failed") return result.why;
    const { key, pin: before } = result;
    if (hasSameFiles(before, files) || this.#isPermitted(key, files)) return null;
    const question: StartQuestion = { plan, before };
    const refusal = `the user did not let the program of ${namedServer.name} start`;
    const about = `${key} ${JSON.stringify(files)}`;
    const ask = {
      title: formatStartTitle(question),
      text: formatStartText(question),
      yes: "Yes, start it",
      about,
      refusal,
    };
    const why = await this.#askUser({ ...ask, noUserMessage: describeUnaskedStart(question) }, signal);
    if (why === null) this.#permittedPrograms.set(key, files);
    return why;
  }

  async #decideTools({ namedServer, tools, files }: OfferedTools, signal: AbortSignal): Promise<string | null> {
    const result = await this.#findRecord(namedServer);
    if (result.type === "failed") return result.why;
    const { key, pin: before } = result;
    const record = createTrustRecord(tools, new Date().toISOString(), files);
    if (isSameTrustRecord(before, record)) return null;
    // The start was the question; nothing else is new.
    const isAnswered = before?.hash === record.hash && files !== null && this.#isPermitted(key, files);
    if (!isAnswered) {
      const question: TrustQuestion = { namedServer, tools, files, before };
      const refusal = `the user does not trust the tools of ${namedServer.name}`;
      const about = `${key} ${record.hash} ${JSON.stringify(files)}`;
      const ask = {
        title: formatTrustTitle(question),
        text: formatTrustText(question),
        yes: "Yes, use these tools",
        about,
        refusal,
      };
      const why = await this.#askUser({ ...ask, noUserMessage: describeUnaskedTools(question) }, signal);
      if (why !== null) return why;
    }
    const saved = await saveTrustRecord(key, record, this.#options.home);
    return saved.type === "kept" ? null : saved.message;
  }

  async #findRecord(
    namedServer: NamedServer,
  ): Promise<{ type: "found"; key: string; pin: ServerTrustRecord | undefined } | { type: "failed"; why: string }> {
    const recordsResult = await readTrustRecords(this.#options.home);
    if (recordsResult.type === "untrusted")
      return { type: "failed", why: `nothing can be trusted: ${recordsResult.why}` };
    const key = trustRecordKey(namedServer, this.#options.cwd);
    return { type: "found", key, pin: recordsResult.type === "read" ? recordsResult.records.get(key) : undefined };
  }

  /** A yes to a launcher is one to the packages that it fetches then. */
  #isPermitted(key: string, files: ProgramFiles): boolean {
    const permitted = this.#permittedPrograms.get(key);
    if (!permitted || !areSameFiles(permitted.program, files.program)) return false;
    return Object.keys(permitted.packages).length === 0 || areSameFiles(permitted.packages, files.packages);
  }

  async #askUser(question: Question, signal: AbortSignal): Promise<string | null> {
    const { title, text, yes, about, refusal, noUserMessage } = question;
    if (this.#declined.has(about)) return refusal;
    const confirm = this.#options.confirm();
    if (confirm === null) return noUserMessage;
    const isPermitted = await confirm(title, text, { signal, yes });
    if (signal.aborted) return "it was stopped";
    if (isPermitted) return null;
    this.#declined.add(about);
    return refusal;
  }
}

interface Question {
  readonly title: string;
  readonly text: string;
  readonly yes: string;
  /** Tells one question from another. */
  readonly about: string;
  /** Said after a no. */
  readonly refusal: string;
  /** Said where nobody can be asked. */
  readonly noUserMessage: string;
}

function describeUnaskedStart({ plan, before }: StartQuestion): string {
  const { named: namedServer, files } = plan;
  const status = before?.files
    ? `has changed since it was trusted (${listFileChanges(before.files, files).slice(0, 3).join("; ")})`
    : "is not trusted yet";
  return `the program of ${namedServer.name} ${status}, so it was not started, and nobody is here to ask; whoever wants it runs: pith mcp trust ${namedServer.name}`;
}

function describeUnaskedTools({ namedServer, tools, files, before }: TrustQuestion): string {
  const changes = before
    ? [...(files && before.files ? listFileChanges(before.files, files) : []), summarizeToolChanges(tools, before)]
    : [];
  const status = before
    ? `have changed since they were trusted (${changes.filter((change) => change !== "").join("; ")})`
    : "are not trusted yet";
  return `the tools of ${namedServer.name} ${status}, and nobody is here to ask; whoever wants them runs: pith mcp trust ${namedServer.name}`;
}

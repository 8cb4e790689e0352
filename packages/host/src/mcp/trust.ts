/** Decides whether the program of an MCP server may start and whether its tools may be used: by the trust record, or by asking the user. */

import type { HostContext } from "../host-context.ts";
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
} from "./trust-records.ts";

export interface TrustOptions extends Pick<HostContext, "home"> {
  /** The workspace folder. */
  readonly cwd: string;
  /** Returns null if no user can be asked. */
  readonly confirm: () => Confirm | null;
}

export interface OfferedTools {
  readonly namedServer: NamedServer;
  readonly tools: readonly OfferedTool[];
  /** The files of the program, hashed after the start. Null for an HTTP server. */
  readonly files: ProgramFiles | null;
}

/**
 * Both methods return null if permitted, otherwise the reason, for the model and the user. Only one question is open at a time, and
 * a declined question is not asked again.
 */
export class Trust {
  readonly #options: TrustOptions;
  readonly #declinedQuestions = new Set<string>();
  /** The programs that the user permitted to start in this session, by trust record key. */
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
    const { namedServer, files } = plan;
    const result = await this.#findRecord(namedServer);
    if (result.type === "failed") return result.why;
    const { key, record: before } = result;
    if (hasSameFiles(before, files) || this.#isPermitted(key, files)) return null;
    const question: StartQuestion = { plan, before };
    const refusal = `the user did not allow the program for ${namedServer.name} to start`;
    const id = `${key} ${JSON.stringify(files)}`;
    const ask = {
      title: formatStartTitle(question),
      text: formatStartText(question),
      yes: "Yes, start it",
      id,
      refusal,
    };
    const why = await this.#askUser({ ...ask, noUserMessage: describeStartWithoutUser(question) }, signal);
    if (why === null) this.#permittedPrograms.set(key, files);
    return why;
  }

  async #decideTools({ namedServer, tools, files }: OfferedTools, signal: AbortSignal): Promise<string | null> {
    const result = await this.#findRecord(namedServer);
    if (result.type === "failed") return result.why;
    const { key, record: before } = result;
    const record = createTrustRecord(tools, new Date().toISOString(), files);
    if (isSameTrustRecord(before, record)) return null;
    // The user already permitted the changed files at the start, and the tools are unchanged.
    const isAnswered = before?.hash === record.hash && files !== null && this.#isPermitted(key, files);
    if (!isAnswered) {
      const question: TrustQuestion = { namedServer, tools, files, before };
      const refusal = `the user does not trust the tools from ${namedServer.name}`;
      const id = `${key} ${record.hash} ${JSON.stringify(files)}`;
      const ask = {
        title: formatTrustTitle(question),
        text: formatTrustText(question),
        yes: "Yes, use these tools",
        id,
        refusal,
      };
      const why = await this.#askUser({ ...ask, noUserMessage: describeToolsWithoutUser(question) }, signal);
      if (why !== null) return why;
    }
    const saveResult = await saveTrustRecord(key, record, this.#options.home);
    return saveResult.type === "saved" ? null : saveResult.message;
  }

  async #findRecord(
    namedServer: NamedServer,
  ): Promise<{ type: "found"; key: string; record: ServerTrustRecord | undefined } | { type: "failed"; why: string }> {
    const recordsResult = await readTrustRecords(this.#options.home);
    if (recordsResult.type === "untrusted")
      return { type: "failed", why: `trust cannot be checked: ${recordsResult.why}` };
    const key = trustRecordKey(namedServer, this.#options.cwd);
    return { type: "found", key, record: recordsResult.type === "read" ? recordsResult.records.get(key) : undefined };
  }

  /** A permission to start a launcher includes the packages that it downloads at its first start. */
  #isPermitted(key: string, files: ProgramFiles): boolean {
    const permittedFiles = this.#permittedPrograms.get(key);
    if (!permittedFiles || !areSameFiles(permittedFiles.program, files.program)) return false;
    return Object.keys(permittedFiles.packages).length === 0 || areSameFiles(permittedFiles.packages, files.packages);
  }

  async #askUser(question: Question, signal: AbortSignal): Promise<string | null> {
    const { title, text, yes, id, refusal, noUserMessage } = question;
    if (this.#declinedQuestions.has(id)) return refusal;
    const confirm = this.#options.confirm();
    if (confirm === null) return noUserMessage;
    const isPermitted = await confirm(title, text, { signal, yes });
    if (signal.aborted) return "cancelled";
    if (isPermitted) return null;
    this.#declinedQuestions.add(id);
    return refusal;
  }
}

interface Question {
  readonly title: string;
  readonly text: string;
  readonly yes: string;
  /** Identifies the question, so that a declined one is not asked again. */
  readonly id: string;
  /** The result if the user declines. */
  readonly refusal: string;
  /** The result if no user can be asked. */
  readonly noUserMessage: string;
}

function describeStartWithoutUser({ plan, before }: StartQuestion): string {
  const { namedServer, files } = plan;
  const status = before?.files
    ? `has changed since it was trusted (${listFileChanges(before.files, files).slice(0, 3).join("; ")})`
    : "is not trusted yet";
  return `the program for ${namedServer.name} ${status}, so it was not started, and no user is available to ask; to start and trust it, the user can run: pith mcp trust ${namedServer.name}`;
}

function describeToolsWithoutUser({ namedServer, tools, files, before }: TrustQuestion): string {
  const changes = before
    ? [...(files && before.files ? listFileChanges(before.files, files) : []), summarizeToolChanges(tools, before)]
    : [];
  const status = before
    ? `have changed since they were trusted (${changes.filter((change) => change !== "").join("; ")})`
    : "are not trusted yet";
  return `the tools from ${namedServer.name} ${status}, and no user is available to ask; to trust them, the user can run: pith mcp trust ${namedServer.name}`;
}

/** Asks permission questions of an agent through a table, and records the answers in the log before they count. */

import { createHash, randomUUID } from "node:crypto";
import type { AskPermission, PermissionAnswer, PermissionQuestion } from "@pith/agent";
import type { Session } from "@pith/context";
import type { Database } from "../store/connect.ts";
import { fromStoredText, toStoredText } from "../store/entry-rows.ts";
import type { SessionRef } from "../store/postgres-store.ts";
import { checkTenant } from "../store/sessions.ts";
import type { TakenSession } from "./hold.ts";
import { acceptWith, type Inbox } from "./inbox.ts";
import { SILENT_MS } from "./intervals.ts";

/** The custom entry that holds an answer. */
const ANSWER_TYPE = "pith.answer";

/** A question without an answer counts as a no after this time. */
const QUESTION_MS = 24 * 60 * 60_000;

/** A question that waits for an answer. */
export interface OpenQuestion {
  readonly session: string;
  readonly id: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The question as it is shown to the user. */
  readonly text: string;
  readonly asked: Date;
  readonly expires: Date;
}

type StoredQuestion = Pick<OpenQuestion, "tool" | "arguments" | "text"> & { readonly callId?: string };

/** `word` is the user's reason, which the model receives. */
export type QuestionAnswer = { readonly type: "yes" } | { readonly type: "no"; readonly word?: string };

/** An answer on its way into the log. */
interface AnswerRecord {
  readonly question: string;
  readonly answer: QuestionAnswer;
}

export async function listQuestions(database: Database, tenant: string): Promise<readonly OpenQuestion[]> {
  checkTenant(tenant);
  const rows = await database.readRows<QuestionRow>("list_questions", [tenant]);
  return rows.map(({ session, body, ...row }) => {
    const { tool, arguments: args, text } = JSON.parse(body) as StoredQuestion;
    return { ...row, session: fromStoredText(session), tool, arguments: args, text };
  });
}

interface QuestionRow extends Pick<OpenQuestion, "id" | "asked" | "expires"> {
  readonly session: string;
  readonly body: string;
}

/** The first answer counts. Returns false if no such question is open. */
export async function answerQuestion(
  inbox: Inbox,
  tenant: string,
  { session, question, answer }: { readonly session: string } & AnswerRecord,
): Promise<boolean> {
  return await acceptAnswer(inbox, tenant, { session, question, answer, isExpiry: false });
}

async function acceptAnswer(
  inbox: Inbox,
  tenant: string,
  { session, isExpiry, ...record }: { readonly session: string; readonly isExpiry: boolean } & AnswerRecord,
): Promise<boolean> {
  const values = [toStoredText(session), record.question, JSON.stringify(record), isExpiry, SILENT_MS];
  return await acceptWith(inbox, tenant, { name: "answer_question", values });
}

/** Answers questions that have expired with a no. */
export async function expireQuestions(inbox: Inbox, limit: number): Promise<void> {
  const expired = await inbox.database.readRows<{ tenant: string; session: string; question: string }>(
    "find_expired_questions",
    [limit],
  );
  for (const { tenant, session, question } of expired)
    await acceptAnswer(inbox, tenant, {
      ...{ session: fromStoredText(session), question, isExpiry: true },
      answer: { type: "no", word: "Nobody answered in time." },
    });
}

interface SessionQuestionsOptions extends Pick<TakenSession, "token" | "hasQuestions"> {
  /** Called when a question is open, or no longer. */
  readonly onChange?: (() => void) | undefined;
}

/** The questions of one session on this worker. */
export class SessionQuestions {
  readonly #database: Database;
  readonly #ref: SessionRef;
  readonly #token: string;
  /** Resolves the questions of running commands. */
  readonly #waiting = new Map<string, (answer: QuestionAnswer) => void>();
  readonly #onChange: () => void;
  #session: Session | null = null;
  #hasRows: boolean;

  constructor(
    database: Database,
    ref: SessionRef,
    { token, hasQuestions, onChange = () => {} }: SessionQuestionsOptions,
  ) {
    this.#database = database;
    this.#ref = ref;
    this.#token = token;
    this.#hasRows = hasQuestions;
    this.#onChange = onChange;
  }

  /** The log of the session. Nothing is asked before it is open. */
  open(session: Session): void {
    this.#session = session;
  }

  /** A question before a call suspends the run. A question of a running command waits while it runs. */
  readonly ask: AskPermission = async (question, { signal, mayAnswerLater }) => {
    if (!mayAnswerLater) return await this.#askAndWait(question, signal);
    const id = identifyQuestion(question);
    // An entry without an accepted answer, such as one of an imported session, does not count.
    const isAnswered = (await this.#store(id, question)) === "answered";
    return (isAnswered ? findAnswer(this.#session, id) : null) ?? { type: "later" };
  };

  /** Appends the answer to the log, once. From then on it counts. */
  async record({ question, answer }: AnswerRecord): Promise<void> {
    const session = this.#session;
    if (!session) throw new Error("the session is not open");
    if (!findAnswer(session, question))
      await session.append({ type: "custom", customType: ANSWER_TYPE, data: { question, answer } });
    this.#waiting.get(question)?.(answer);
  }

  /** Removes the questions of the session; none of them is open any more. */
  async close(): Promise<void> {
    if (this.#hasRows) await this.#remove(null);
    this.#hasRows = false;
  }

  async #askAndWait(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer> {
    const id = randomUUID();
    const { promise, resolve } = Promise.withResolvers<PermissionAnswer>();
    const withdraw = (): void => resolve({ type: "no" });
    this.#waiting.set(id, resolve);
    signal.addEventListener("abort", withdraw, { once: true });
    try {
      await this.#store(id, question);
      return await promise;
    } finally {
      signal.removeEventListener("abort", withdraw);
      this.#waiting.delete(id);
      await this.#remove(id);
    }
  }

  async #store(id: string, { tool, arguments: args, text, callId }: PermissionQuestion): Promise<"asked" | "answered"> {
    this.#hasRows = true;
    const { tenant, key } = this.#ref;
    const stored: StoredQuestion = { tool, arguments: args, text, ...(callId !== undefined && { callId }) };
    const values = [tenant, key, this.#token, id, JSON.stringify(stored), QUESTION_MS];
    const result = await this.#database.call<"superseded" | "asked" | "answered">("ask_question", values);
    if (result === "superseded") throw new Error("another worker runs this session");
    this.#onChange();
    return result;
  }

  async #remove(id: string | null): Promise<void> {
    const { tenant, key } = this.#ref;
    await this.#database.call("close_questions", [tenant, key, id]);
    this.#onChange();
  }
}

/** The same question, of the same call with the same arguments, has the same id on every worker. */
function identifyQuestion({ tool, arguments: args, intent, text, callId, entry }: PermissionQuestion): string {
  const parts = [tool, args, intent, text, callId, entry];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

/** The newest entry counts; only the worker that has the session writes them. */
function findAnswer(session: Session | null, question: string): QuestionAnswer | null {
  for (const entry of session?.branch.entries.toReversed() ?? []) {
    if (entry.type !== "custom" || entry.customType !== ANSWER_TYPE) continue;
    const data = Object(entry.data) as Partial<AnswerRecord>;
    if (data.question === question && data.answer) return data.answer;
  }
  return null;
}

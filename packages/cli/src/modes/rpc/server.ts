/** Reads command lines and answers each exactly once, whatever it contains. Commands start in the order they arrive. */

import { AppendError } from "@pith/agent";
import { createLineSplitter, type Line, MAX_LINE_BYTES, type RpcResponse } from "@pith/client";
import { readJson, within } from "../../protocol/lines.ts";
import { rpcTable } from "./commands/commands.ts";
import { isId, type KnownFields, readCommand } from "./parse-command.ts";
import type { Outcome, Seat } from "./rpc-context.ts";
import type { Questions } from "./ui.ts";

export type Lane = "speaking" | "leaving" | "urgent" | undefined;

/** Speaking commands run one after the other, all commands wait for a session switch, and urgent ones run at once. */
export class Lanes {
  #speaking: Promise<unknown> = Promise.resolve();
  #leaving: Promise<unknown> = Promise.resolve();
  #open = 0;

  async run<Result>(lane: Lane, act: () => Promise<Result>): Promise<Result> {
    switch (lane) {
      case undefined:
        return await this.#leaving.then(act);
      case "urgent":
        return await this.#stopped(act);
      case "speaking": {
        const ran = this.#counted(Promise.all([this.#speaking, this.#leaving]).then(act));
        this.#speaking = ran.catch(() => {});
        return await ran;
      }
      case "leaving": {
        const ran = this.#counted(Promise.all([this.#speaking, this.#leaving]).then(act));
        this.#leaving = ran.catch(() => {});
        return await ran;
      }
    }
  }

  /** What was sent before it and has not begun yet is meant, too. */
  async #stopped<Result>(act: () => Promise<Result>): Promise<Result> {
    const isWaitedFor = this.#open > 0;
    const before = Promise.all([this.#speaking, this.#leaving]);
    const stopped = await act();
    if (!isWaitedFor) return stopped;
    // A command that waits for somebody, such as one of an extension, must not keep anybody from stopping.
    await within(LANE_TIMEOUT_MS, before);
    return await act();
  }

  async #counted<Result>(act: Promise<Result>): Promise<Result> {
    this.#open += 1;
    return await act.finally(() => {
      this.#open -= 1;
    });
  }
}

const LANE_TIMEOUT_MS = 1_000;

export interface Serving {
  readonly seat: Seat;
  readonly questions: Questions;
  readonly answer: (answer: RpcResponse) => void;
  /** Waits while too much is waiting to be read. */
  readonly room: () => Promise<void> | undefined;
}

export class Answering {
  readonly #parts: Serving;
  readonly #lanes = new Lanes();
  readonly #open = new Set<Promise<void>>();

  constructor(parts: Serving) {
    this.#parts = parts;
  }

  /** Whether commands are not answered yet. */
  get isBusy(): boolean {
    return this.#open.size > 0;
  }

  /** What no line asked for: it speaks before all that they say. */
  first(act: () => Promise<Outcome<unknown> | null>): void {
    const told = this.#run("speaking", act).then((outcome) => {
      if (outcome?.type === "failed") this.#parts.seat.tell({ type: "error", error: outcome.message });
    });
    this.#keep(told);
  }

  /** Until the input ends, or somebody stops it. */
  async read(input: AsyncIterable<Uint8Array>, { signal }: { readonly signal: AbortSignal }): Promise<void> {
    const lines = createLineSplitter();
    for await (const chunk of input) await this.#take(lines.push(chunk), signal);
    await this.#take(lines.end(), signal);
  }

  /** The answers to all that was read so far. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#open);
  }

  async #take(pieces: readonly Line[], signal: AbortSignal): Promise<void> {
    for (const piece of pieces) {
      if (signal.aborted) return;
      this.#begin(piece);
      if (this.#open.size >= MOST_OPEN) await within(PATIENCE_MS, Promise.race(this.#open));
      await this.#parts.room();
    }
  }

  #begin(piece: Line): void {
    if (piece.type === "too-long") {
      this.#refuse({ name: "parse", message: TOO_LONG });
      return;
    }
    // A line on which nothing stands says nothing.
    if (piece.bytes.length === 0) return;
    const json = readJson(piece.bytes);
    if (json.type === "mistake") {
      this.#refuse({ name: "parse", message: json.message });
      return;
    }
    if (Object(json.value).type === REPLY) {
      this.#replied(Object(json.value));
      return;
    }
    const read = readCommand(json.value, rpcTable as KnownFields);
    if (read.type === "mistake") {
      this.#refuse(read);
      return;
    }
    const { name, id, takes } = read;
    // What stops something is heard however much is under way.
    if (this.#open.size >= MOST_OPEN && rpcTable[name].lane !== "urgent") {
      this.#refuse({ id, name, message: TOO_MANY });
      return;
    }
    const row: AnyRow = rpcTable[name] as unknown as AnyRow;
    const ran = this.#run(row.lane, () => row.run(takes, this.#parts.seat));
    this.#keep(ran.then((outcome) => this.#answer(outcome, { name, id })));
  }

  #keep(ran: Promise<void>): void {
    this.#open.add(ran);
    void ran.finally(() => this.#open.delete(ran));
  }

  #replied(line: Readonly<Record<string, unknown>>): void {
    const message = this.#parts.questions.answered(line);
    if (message !== null) this.#refuse({ name: REPLY, message, id: isId(line.id) ? line.id : undefined });
  }

  async #run<Ran>(lane: Lane, act: () => Promise<Ran>): Promise<Ran | Extract<Outcome<never>, { type: "failed" }>> {
    const { seat } = this.#parts;
    try {
      return await this.#lanes.run(lane, act);
    } catch (error) {
      // A session that takes no more words, as on a full disk, is no fault of the program.
      if (error instanceof AppendError) return { type: "failed", message: error.message };
      if (!isFromDisk(error)) seat.fault(error);
      return { type: "failed", message: error instanceof Error ? error.message : String(error) };
    }
  }

  #answer(outcome: Outcome<unknown>, { name, id }: { readonly name: string; readonly id: string | undefined }): void {
    const told = { ...(id !== undefined && { id }), type: "response", command: name } as const;
    // An entry may come from before redaction, or from another program.
    const { session } = this.#parts.seat.ready.built.agent;
    const answer = (outcome: Outcome<unknown>): void =>
      this.#parts.answer(
        outcome.type === "failed"
          ? { ...told, success: false, error: session.redact(short(outcome.message)) }
          : { ...told, success: true, ...(outcome.data !== null && { data: session.redact(outcome.data) }) },
      );
    try {
      answer(outcome);
    } catch (error) {
      // A text can be only so long, and a session may be longer.
      if (!(error instanceof RangeError)) throw error;
      answer({ type: "failed", message: `the answer to ${name} is too long for one line; ask for less of it` });
    }
  }

  #refuse({
    id,
    name,
    message,
  }: {
    readonly id?: string | undefined;
    readonly name: string;
    readonly message: string;
  }): void {
    this.#answer({ type: "failed", message }, { name, id });
  }
}

interface AnyRow {
  readonly lane?: Lane;
  readonly run: (takes: Readonly<Record<string, unknown>>, seat: Seat) => Promise<Outcome<unknown>>;
}

const REPLY = "extension_ui_response";
/** Commands that may be under way at once. Who sends more waits for a moment, and is refused where none of them ends. */
const MOST_OPEN = 1_000;
const PATIENCE_MS = 1_000;
const TOO_MANY = `${MOST_OPEN} commands are under way; wait for their answers, or stop some with abort or abort_bash`;
const LONGEST_ERROR = 4_000;
const TOO_LONG = `the line is longer than ${MAX_LINE_BYTES / 1024 / 1024} MiB and was passed over; send less at once`;

/** An error may name what it is about, and that may be long. */
function short(message: string): string {
  return message.length > LONGEST_ERROR ? `${message.slice(0, LONGEST_ERROR)}…` : message;
}

/** A path that is too long, a folder that may not be read. */
function isFromDisk(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && "code" in error;
}

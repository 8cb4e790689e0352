/** Records what became of every request, in memory and, where a file is named, as lines of JSON. */

import { appendFileSync } from "node:fs";
import type { ProtocolName, ReplyBreak, TokenUsage } from "../script.ts";

export interface ServedRequest {
  /** 1 for the first request of all. */
  readonly number: number;
  readonly path: string;
  readonly wire: ProtocolName | null;
  readonly model: string;
  readonly bytes: number;
  /** `said`: a reply, whole or broken; `refused`: by a check of the protocol; `scripted`: refused as the script wanted; `failed`: by a mistake in the script. */
  readonly outcome: "said" | "refused" | "scripted" | "overflow" | "local" | "unknown" | "failed";
  readonly status: number;
  /** How the reply broke, as the script wanted. */
  readonly broke?: ReplyBreak["how"];
  /** Why it was refused. */
  readonly why?: string;
  /** What the server counted, whether or not it told. */
  readonly usage?: TokenUsage;
  /** What it told instead, where the script wanted so. */
  readonly reported?: TokenUsage | null;
  /** Tokens it dropped from the start of the prompt without a word. */
  readonly truncated?: number;
  readonly body?: unknown;
}

export class RequestLog {
  readonly #requests: ServedRequest[] = [];
  #file: string | undefined;

  constructor(file?: string) {
    this.#file = file;
    // A place that cannot be written to is told at once, not at the first request.
    if (file !== undefined) appendFileSync(file, "");
  }

  get requests(): readonly ServedRequest[] {
    return this.#requests;
  }

  add(request: Omit<ServedRequest, "number">): void {
    const record = { number: this.#requests.length + 1, ...request };
    this.#requests.push(record);
    if (this.#file !== undefined) this.#appendLine(this.#file, `${JSON.stringify(record)}\n`);
  }

  /** A place that can no longer be written to must not hang a client: it is told once, and left alone. */
  #appendLine(file: string, line: string): void {
    try {
      appendFileSync(file, line);
    } catch (error) {
      this.#file = undefined;
      console.error(`testkit: the log ${file} can no longer be written to: ${(error as Error).message}`);
    }
  }
}

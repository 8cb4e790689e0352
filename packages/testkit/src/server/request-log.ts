/** Records the outcome of every request in memory and, if a file is given, as lines of JSON. */

import { appendFileSync } from "node:fs";
import type { ProtocolName, ReplyBreak, TokenUsage } from "../script.ts";

export interface ServedRequest {
  /** Counts all requests, from 1. */
  readonly number: number;
  readonly path: string;
  readonly wire: ProtocolName | null;
  readonly model: string;
  readonly bytes: number;
  /** `said`: a reply, complete or broken; `refused`: by a check of the protocol; `scripted`: refused by the script; `failed`: a mistake in the script. */
  readonly outcome: "said" | "refused" | "scripted" | "overflow" | "local" | "unknown" | "failed";
  readonly status: number;
  /** How the script broke the reply. */
  readonly broke?: ReplyBreak["how"];
  /** Why the request was refused. */
  readonly why?: string;
  /** The usage that the server counted. */
  readonly usage?: TokenUsage;
  /** The usage that the reply reported, if the script replaced the counted one. */
  readonly reported?: TokenUsage | null;
  /** The number of tokens silently dropped from the start of the prompt. */
  readonly truncated?: number;
  readonly body?: unknown;
}

export class RequestLog {
  readonly #requests: ServedRequest[] = [];
  #file: string | undefined;

  constructor(file?: string) {
    this.#file = file;
    // Fails now, not at the first request, if the file cannot be written.
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

  /** Reports a write error once and stops logging, so that no client hangs. */
  #appendLine(file: string, line: string): void {
    try {
      appendFileSync(file, line);
    } catch (error) {
      this.#file = undefined;
      console.error(`testkit: the log ${file} can no longer be written to: ${(error as Error).message}`);
    }
  }
}

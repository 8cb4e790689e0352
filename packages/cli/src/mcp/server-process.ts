/** Runs one MCP server for a session: starts it on first use, restarts it when it dies, and ends it with the session. */

import type { CallToolResult } from "@modelcontextprotocol/client";
import type { HttpServer, NamedServer } from "../settings/settings.ts";
import { type Asking, type CallWish, type Connection, connected, withLastWords } from "./connection.ts";
import { hashAgain, type LaunchPlace, type LaunchPlan, planLaunch } from "./plan-launch.ts";
import type { ProgramFiles } from "./program-files.ts";
import type { Trust } from "./trust.ts";
import type { OfferedTool } from "./trusted-tools.ts";

export interface LinkParts {
  readonly place: LaunchPlace;
  /** Asked before the program is started. */
  readonly trust: Pick<Trust, "permitStart">;
  /** For tests: shorter than anybody would wait. */
  readonly limits?: Partial<LinkLimits>;
}

/** In milliseconds. */
export interface LinkLimits {
  readonly connect: number;
  readonly call: number;
}

export type Linked<Value> =
  | { readonly type: "done"; readonly value: Value }
  /** Told to the model, and to people. */
  | { readonly type: "failed"; readonly why: string };

export class ServerLink {
  readonly named: NamedServer;
  readonly #place: LaunchPlace;
  readonly #trust: LinkParts["trust"];
  readonly #limits: LinkLimits;
  #connection: Connection | null = null;
  #tools: readonly OfferedTool[] = [];
  #files: ProgramFiles | null = null;
  #starts: readonly number[] = [];
  #turn: Promise<unknown> = Promise.resolve();
  #lastFailure: string | null = null;
  readonly #ending = new AbortController();

  constructor(named: NamedServer, { place, trust, limits }: LinkParts) {
    this.named = named;
    this.#place = place;
    this.#trust = trust;
    this.#limits = { connect: 30_000, call: 600_000, ...limits };
  }

  /** For people. */
  get state(): "not started" | "running" | "ended" | "failed" {
    if (this.#connection && !this.#connection.isClosed()) return "running";
    if (this.#lastFailure !== null) return "failed";
    return this.#starts.length === 0 ? "not started" : "ended";
  }

  get lastFailure(): string | null {
    return this.#lastFailure;
  }

  /** What runs, as it was right after the start; null for an address. */
  get files(): ProgramFiles | null {
    return this.#files;
  }

  /** As they are now: read anew where the server said that they changed. */
  async tools(signal: AbortSignal): Promise<Linked<readonly OfferedTool[]>> {
    // One after the other, so that nothing is started twice.
    const reading = this.#turn.then(() => this.#read(signal));
    this.#turn = reading.catch(() => undefined);
    return await reading;
  }

  /** Only what was listed is called, while it holds. Whatever came of it, the next call finds a server again. */
  async call(wish: CallWish, signal: AbortSignal): Promise<Linked<CallToolResult>> {
    const connection = this.#connection;
    if (!connection) return failed(`the server ${this.named.name} is not running; try again`);
    if (connection.isStale() || !this.#tools.includes(wish.tool))
      return failed(`the tools of ${this.named.name} have changed meanwhile; try again`);
    try {
      return { type: "done", value: await connection.call(wish, { signal, timeout: this.#limits.call }) };
    } catch (error) {
      if (signal.aborted) return failed("it was stopped");
      const why = await this.#told(error, connection);
      if (connection.isClosed() || isUnreachable(error)) await this.#drop(connection);
      return failed(why);
    }
  }

  /** For good; also what is just being started. */
  async close(): Promise<void> {
    this.#ending.abort();
    await this.#turn;
    if (this.#connection) await this.#drop(this.#connection);
  }

  async #read(stop: AbortSignal): Promise<Linked<readonly OfferedTool[]>> {
    const given = AbortSignal.any([stop, this.#ending.signal]);
    if (given.aborted) return failed("it was stopped");
    if (this.#connection?.isClosed()) await this.#drop(this.#connection);
    if (this.#connection && !this.#connection.isStale()) return { type: "done", value: this.#tools };
    // A question may take long, so the time of the start begins behind it.
    const target = this.#connection ? null : await this.#target(given);
    if (target?.type === "failed") return target;
    const { connect } = this.#limits;
    const late = new AbortController();
    // All of it together: a list may have many pages, each of them late.
    const timer = setTimeout(() => late.abort(`it did not answer within ${connect / 1_000} seconds`), connect);
    const asking = { signal: AbortSignal.any([given, late.signal]), timeout: 2 * connect };
    try {
      if (target) this.#connection = await this.#connect(target.value, asking);
      if (!this.#connection) return failed("it was stopped");
      this.#tools = await this.#connection.tools(asking);
      this.#lastFailure = null;
      return { type: "done", value: this.#tools };
    } catch (error) {
      const why = await this.#told(error, this.#connection);
      if (this.#connection) await this.#drop(this.#connection);
      if (given.aborted) return failed("it was stopped");
      this.#lastFailure = why;
      return failed(why);
    } finally {
      clearTimeout(timer);
    }
  }

  /** An address, or a program that may be started. Nothing has run when this is answered, and nothing runs without a yes. */
  async #target(signal: AbortSignal): Promise<Linked<HttpServer | LaunchPlan>> {
    if (this.#isTired()) return failed(this.#tired());
    const { named } = this;
    const { server } = named;
    if ("url" in server) return { type: "done", value: server };
    const planned = await planLaunch({ ...named, server }, this.#place);
    if (planned.type === "failed") {
      this.#lastFailure = `the server ${this.named.name} failed: ${planned.why}`;
      return failed(this.#lastFailure);
    }
    const why = await this.#trust.permitStart(planned.plan, signal);
    return why === null ? { type: "done", value: planned.plan } : failed(why);
  }

  async #connect(target: HttpServer | LaunchPlan, asking: Asking): Promise<Connection> {
    this.#starts = [...this.#starts, Date.now()];
    const connection = await connected(target, asking);
    // A launcher has fetched its packages by now.
    this.#files = "program" in target ? await hashAgain(target) : null;
    return connection;
  }

  #isTired(): boolean {
    const now = Date.now();
    this.#starts = this.#starts.filter((at) => now - at < SPAN);
    return this.#starts.length > MOST_RESTARTS;
  }

  #tired(): string {
    const last = this.#lastFailure === null ? "" : `; at last: ${this.#lastFailure}`;
    return `the server ${this.named.name} was started ${MOST_RESTARTS + 1} times in five minutes and did not stay, so it is left alone for now; look with: pith mcp test ${this.named.name}${last}`;
  }

  async #told(error: unknown, connection: Connection | null): Promise<string> {
    // What it said last may come a moment after its end.
    if (connection?.isClosed()) await new Promise((resolve) => setTimeout(resolve, 50));
    return `the server ${this.named.name} failed: ${withLastWords(error, connection?.way.lastWords() ?? "")}`;
  }

  async #drop(connection: Connection): Promise<void> {
    if (this.#connection === connection) this.#connection = null;
    await connection.end();
  }
}

const MOST_RESTARTS = 3;
const SPAN = 5 * 60_000;

/** Of an address: nobody answers there any more, or nobody who knows us. What a server answers itself is no sign of it. */
function isUnreachable(error: unknown): boolean {
  const { name, message } = error as Error;
  return (
    name !== "ProtocolError" && /fetch failed|ECONN|socket|terminated|\b404\b|not connected|session/i.test(message)
  );
}

function failed(why: string): Extract<Linked<never>, { type: "failed" }> {
  return { type: "failed", why };
}

/** Runs one MCP server for a session: starts it on first use, restarts it when it dies, and ends it with the session. */

import { homedir } from "node:os";
import type { CallToolResult } from "@modelcontextprotocol/client";
import { forbidden, requiresSandbox } from "../policy/policy.ts";
import { packageHosts } from "../sandbox/package-hosts.ts";
import type { HttpServer, NamedServer } from "../settings/settings.ts";
import { type Asking, type CallWish, type Connection, connected, withLastWords } from "./connection.ts";
import {
  type Confine,
  type Confinement,
  hashFilesOf,
  type LaunchPlan,
  type NamedProgram,
  planLaunch,
} from "./plan-launch.ts";
import type { ProgramFiles } from "./program-files.ts";
import type { ProgramStart } from "./program-transport.ts";
import { ServerHosts } from "./server-hosts.ts";
import {
  type FindSandbox,
  findUnfitFolder,
  type SandboxPlace,
  ServerSandbox,
  sandboxFinder,
} from "./server-sandbox.ts";
import type { Trust } from "./trust.ts";
import type { Confirm } from "./trust-question.ts";
import type { OfferedTool } from "./trusted-tools.ts";

export interface LinkParts {
  readonly place: SandboxPlace;
  /** Asked before the program is started. */
  readonly trust: Pick<Trust, "permitStart">;
  readonly findSandbox: FindSandbox;
  /** Whether the user's own configuration names it as a place for packages. */
  readonly isPackageHost: (host: string) => Promise<boolean>;
  /** Asked about hosts; null where nobody is there. */
  readonly confirm: () => Confirm | null;
  /** For tests: shorter than anybody would wait. */
  readonly limits?: Partial<LinkLimits>;
}

/** The parts that all servers of a session share. */
export function createLinkParts(
  place: SandboxPlace,
  { trust, confirm }: Pick<LinkParts, "trust" | "confirm">,
): LinkParts {
  const { environment, workspace } = place;
  const isPackageHost = packageHosts({ environment, home: homedir(), writable: [workspace] });
  return { place, trust, confirm, isPackageHost, findSandbox: sandboxFinder(place) };
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
  readonly #parts: LinkParts;
  readonly #hosts: ServerHosts | null;
  #sandbox: ServerSandbox | null = null;
  #startTimer: StartTimer | null = null;
  readonly #limits: LinkLimits;
  #connection: Connection | null = null;
  #tools: readonly OfferedTool[] = [];
  #files: ProgramFiles | null = null;
  #starts: readonly number[] = [];
  #turn: Promise<unknown> = Promise.resolve();
  #lastFailure: string | null = null;
  readonly #ending = new AbortController();

  constructor(named: NamedServer, parts: LinkParts) {
    this.named = named;
    this.#parts = parts;
    this.#limits = { connect: 30_000, call: 600_000, ...parts.limits };
    const { server } = named;
    const { isPackageHost } = parts;
    const confirm = (): Confirm | null => this.#patientConfirm();
    this.#hosts =
      "url" in server
        ? null
        : new ServerHosts({ named: { ...named, server }, isPackageHost, confirm, policy: parts.place.choices.policy });
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

  /** The hosts that its program reached or wanted to reach, the last first. */
  get reachedHosts(): readonly string[] {
    return this.#hosts?.reached ?? [];
  }

  /** Why its program was refused hosts since this was last called. */
  takeRefusals(): readonly string[] {
    return this.#hosts?.takeRefusals() ?? [];
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
    await this.#sandbox?.close();
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
    this.#startTimer = new StartTimer(connect, () => late.abort(`it did not answer within ${connect / 1_000} seconds`));
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
      this.#startTimer.pause();
      this.#startTimer = null;
    }
  }

  /** An address, or a program that may be started. Nothing has run when this is answered, and nothing runs without a yes. */
  async #target(signal: AbortSignal): Promise<Linked<HttpServer | LaunchPlan>> {
    if (this.#isTired()) return failed(this.#tired());
    const { named } = this;
    const { server } = named;
    if ("url" in server) return { type: "done", value: server };
    const confine: Confine = (program, cwd) => this.#confine(program, cwd);
    const planned = await planLaunch({ ...named, server }, { ...this.#parts.place, confine });
    if (planned.type === "failed") {
      this.#lastFailure = `the server ${this.named.name} failed: ${planned.why}`;
      return failed(this.#lastFailure);
    }
    const why = await this.#parts.trust.permitStart(planned.plan, signal);
    return why === null ? { type: "done", value: planned.plan } : failed(why);
  }

  /** One sandbox for a session, however often the program is started. */
  async #confine(named: NamedProgram, cwd: string): Promise<Confinement> {
    const here = await this.#parts.findSandbox(named);
    const { policy } = this.#parts.place.choices;
    if (here.type === "unavailable" && policy !== undefined && requiresSandbox(policy))
      return {
        type: "unfit",
        why: `${forbidden(policy, "a server without a sandbox")} There is none here: ${here.why}`,
      };
    if (here.type === "unavailable") return { type: "unconfined", why: here.why };
    const why = findUnfitFolder(named.server);
    if (why !== null) return { type: "unfit", why: `${why}; change it, or set its sandbox to "off"` };
    const hosts = this.#hosts;
    if (!hosts) throw new Error(`${named.name} is no program`);
    this.#sandbox ??= await ServerSandbox.open({ ...this.#parts.place, here, named, cwd, hosts });
    return { type: "sandboxed", privateHome: this.#sandbox.privateHome, networkProblem: here.networkProblem };
  }

  async #connect(target: HttpServer | LaunchPlan, asking: Asking): Promise<Connection> {
    this.#starts = [...this.#starts, Date.now()];
    if ("url" in target) return await connected(target, asking);
    const isSandboxed = target.confinement.type === "sandboxed";
    const connection = await connected(isSandboxed ? await this.#sandboxed(target) : target, asking);
    // A launcher has fetched its packages by now.
    this.#files = await hashFilesOf(target);
    return connection;
  }

  async #sandboxed(plan: LaunchPlan): Promise<ProgramStart> {
    if (!this.#sandbox) throw new Error(`${plan.named.name} has no sandbox`);
    return await this.#sandbox.prepare(plan);
  }

  /** Whoever answers a question about a host takes no time away from the start. */
  #patientConfirm(): Confirm | null {
    const confirm = this.#parts.confirm();
    if (confirm === null) return null;
    return async (...asked) => {
      const timer = this.#startTimer;
      timer?.pause();
      return await confirm(...asked).finally(() => timer?.resume());
    };
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
    const words = withLastWords(error, connection?.way.lastWords() ?? "");
    return [`the server ${this.named.name} failed: ${words}`, ...this.takeRefusals()].join("\n");
  }

  async #drop(connection: Connection): Promise<void> {
    if (this.#connection === connection) this.#connection = null;
    await connection.end();
  }
}

/** Counts the time in which nobody is asked anything. */
export class StartTimer {
  readonly #onLate: () => void;
  #left: number;
  #pauses = 0;
  #since = Date.now();
  #timer: NodeJS.Timeout;

  constructor(milliseconds: number, onLate: () => void) {
    this.#left = milliseconds;
    this.#onLate = onLate;
    this.#timer = setTimeout(onLate, milliseconds);
  }

  pause(): void {
    this.#pauses += 1;
    if (this.#pauses > 1) return;
    clearTimeout(this.#timer);
    this.#left -= Date.now() - this.#since;
  }

  resume(): void {
    this.#pauses -= 1;
    if (this.#pauses > 0) return;
    this.#since = Date.now();
    this.#timer = setTimeout(this.#onLate, Math.max(0, this.#left));
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

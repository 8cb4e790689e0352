/** Manages one MCP server in a session: starts it on first use, restarts it after it dies, and ends it with the session. */

import type { CallToolResult } from "@modelcontextprotocol/client";
import { formatRefusal, requiresSandbox } from "../policy/policy.ts";
import { createPackageHostCheck, type PackageHostCheck } from "../sandbox/package-hosts.ts";
import type { HttpServer, NamedServer } from "../settings/settings.ts";
import { type Connection, connect, describeFailure, type RequestOptions, type ToolCallRequest } from "./connection.ts";
import { type Confine, type Confinement, type LaunchPlan, type NamedProgram, planLaunch } from "./plan-launch.ts";
import { hashProgramFiles, type ProgramFiles } from "./program-files.ts";
import {
  createSandboxFinder,
  type FindSandbox,
  findFolderProblem,
  type SandboxContext,
  ServerHosts,
  ServerSandbox,
} from "./server-sandbox.ts";
import type { ProgramSpawnOptions } from "./transport.ts";
import type { Trust } from "./trust.ts";
import type { Confirm } from "./trust-question.ts";
import type { OfferedTool } from "./trust-records.ts";

export interface McpClientOptions {
  readonly context: SandboxContext;
  /** Decides whether the program may start. */
  readonly trust: Pick<Trust, "permitStart">;
  /** The version of Pith, which the servers are told. */
  readonly readVersion: () => Promise<string>;
  readonly findSandbox: FindSandbox;
  /** Whether the user's own configuration names the host as a package registry. */
  readonly isPackageHost: PackageHostCheck;
  /** Asks the user about hosts. Returns null if no user can be asked. */
  readonly confirm: () => Confirm | null;
  /** Tests set shorter timeouts. */
  readonly timeouts?: Partial<McpTimeouts>;
}

/** Creates the options that all servers of a session share. */
export function createClientOptions(
  context: SandboxContext,
  options: Pick<McpClientOptions, "trust" | "confirm" | "readVersion">,
): McpClientOptions {
  const { environment, userHome, workspace } = context;
  const isPackageHost = createPackageHostCheck({ environment, home: userHome, writable: [workspace] });
  return { ...options, context, isPackageHost, findSandbox: createSandboxFinder(context) };
}

export interface McpTimeouts {
  readonly connectMs: number;
  readonly callMs: number;
}

export type McpResult<Value> =
  | { readonly type: "done"; readonly value: Value }
  /** `why` is shown to the model and to the user. */
  | { readonly type: "failed"; readonly why: string };

/** The client of one server. It lives as long as the session, across restarts of the server. */
export class McpClient {
  readonly namedServer: NamedServer;
  readonly #options: McpClientOptions;
  readonly #hosts: ServerHosts | null;
  #sandbox: ServerSandbox | null = null;
  #startTimer: StartTimer | null = null;
  readonly #timeouts: McpTimeouts;
  #connection: Connection | null = null;
  #tools: readonly OfferedTool[] = [];
  #files: ProgramFiles | null = null;
  #startTimes: readonly number[] = [];
  #queue: Promise<unknown> = Promise.resolve();
  #lastFailure: string | null = null;
  readonly #closeController = new AbortController();

  constructor(namedServer: NamedServer, options: McpClientOptions) {
    this.namedServer = namedServer;
    this.#options = options;
    this.#timeouts = { connectMs: 30_000, callMs: 600_000, ...options.timeouts };
    const { server } = namedServer;
    const { isPackageHost } = options;
    const confirm = (): Confirm | null => this.#confirmOutsideTimer();
    this.#hosts =
      "url" in server
        ? null
        : new ServerHosts({
            namedServer: { ...namedServer, server },
            isPackageHost,
            confirm,
            policy: options.context.settings.policy,
          });
  }

  /** Shown to the user. */
  get state(): "not started" | "running" | "ended" | "failed" {
    if (this.#connection && !this.#connection.isClosed()) return "running";
    if (this.#lastFailure !== null) return "failed";
    return this.#startTimes.length === 0 ? "not started" : "ended";
  }

  get lastFailure(): string | null {
    return this.#lastFailure;
  }

  /** The tools of the last list. They may be outdated. */
  get tools(): readonly OfferedTool[] {
    return this.#tools;
  }

  /** The files of the program, hashed right after the start. Null for an HTTP server. */
  get files(): ProgramFiles | null {
    return this.#files;
  }

  /** The hosts that the program reached or was refused, most recent first. */
  get recentHosts(): readonly string[] {
    return this.#hosts?.recentHosts ?? [];
  }

  /** Returns and clears the reasons of refused hosts. */
  takeRefusals(): readonly string[] {
    return this.#hosts?.takeRefusals() ?? [];
  }

  /** Lists the current tools. Starts the server if needed, and reads the list again if the server reported a change. */
  async listTools(signal: AbortSignal): Promise<McpResult<readonly OfferedTool[]>> {
    // One call at a time, so that the server is not started twice.
    const listing = this.#queue.then(() => this.#readTools(signal));
    this.#queue = listing.catch(() => undefined);
    return await listing;
  }

  /** Calls a tool of the last list. Fails if the list is stale. After a lost connection, the next `listTools` starts the server again. */
  async callTool(request: ToolCallRequest, signal: AbortSignal): Promise<McpResult<CallToolResult>> {
    const connection = this.#connection;
    if (!connection) return createFailure(`the server ${this.namedServer.name} is not running; try again`);
    if (connection.isStale() || !this.#tools.includes(request.tool))
      return createFailure(`the tools from ${this.namedServer.name} have changed; try again`);
    try {
      return { type: "done", value: await connection.callTool(request, { signal, timeout: this.#timeouts.callMs }) };
    } catch (error) {
      if (signal.aborted) return createFailure("cancelled");
      const why = await this.#describeError(error, connection);
      if (connection.isClosed() || isUnreachable(error)) await this.#dropConnection(connection);
      return createFailure(why);
    }
  }

  /** Ends the server, even while it starts. The client cannot be used again. */
  async close(): Promise<void> {
    this.#closeController.abort();
    await this.#queue;
    if (this.#connection) await this.#dropConnection(this.#connection);
    await this.#sandbox?.close();
  }

  async #readTools(signal: AbortSignal): Promise<McpResult<readonly OfferedTool[]>> {
    const stopSignal = AbortSignal.any([signal, this.#closeController.signal]);
    if (stopSignal.aborted) return createFailure("cancelled");
    if (this.#connection?.isClosed()) await this.#dropConnection(this.#connection);
    if (this.#connection && !this.#connection.isStale()) return { type: "done", value: this.#tools };
    // The start timeout begins after the question, because the user may take long to answer.
    const target = this.#connection ? null : await this.#prepareTarget(stopSignal);
    if (target?.type === "failed") return target;
    const { connectMs } = this.#timeouts;
    const timeoutController = new AbortController();
    // One timeout for the whole start, because a list may have many slow pages.
    this.#startTimer = new StartTimer(connectMs, () =>
      timeoutController.abort(`no response within ${connectMs / 1_000} seconds`),
    );
    const requestOptions = { signal: AbortSignal.any([stopSignal, timeoutController.signal]), timeout: 2 * connectMs };
    try {
      if (target) this.#connection = await this.#connect(target.value, requestOptions);
      if (!this.#connection) return createFailure("cancelled");
      this.#tools = await this.#connection.listTools(requestOptions);
      this.#lastFailure = null;
      return { type: "done", value: this.#tools };
    } catch (error) {
      const why = await this.#describeError(error, this.#connection);
      if (this.#connection) await this.#dropConnection(this.#connection);
      if (stopSignal.aborted) return createFailure("cancelled");
      this.#lastFailure = why;
      return createFailure(why);
    } finally {
      this.#startTimer.pause();
      this.#startTimer = null;
    }
  }

  /** Returns the HTTP server, or the plan of a program that is permitted to start. Does not start the program. */
  async #prepareTarget(signal: AbortSignal): Promise<McpResult<HttpServer | LaunchPlan>> {
    if (this.#hasRestartedTooOften()) return createFailure(this.#describeRestarts());
    const { namedServer } = this;
    const { server } = namedServer;
    if ("url" in server) return { type: "done", value: server };
    const confine: Confine = (program, cwd) => this.#chooseConfinement(program, cwd);
    const result = await planLaunch({ ...namedServer, server }, { ...this.#options.context, confine });
    if (result.type === "failed") {
      this.#lastFailure = `the server ${this.namedServer.name} failed: ${result.why}`;
      return createFailure(this.#lastFailure);
    }
    const why = await this.#options.trust.permitStart(result.plan, signal);
    return why === null ? { type: "done", value: result.plan } : createFailure(why);
  }

  /** Opens one sandbox per session. Restarts of the program use it again. */
  async #chooseConfinement(namedServer: NamedProgram, cwd: string): Promise<Confinement> {
    const detection = await this.#options.findSandbox(namedServer);
    const { policy } = this.#options.context.settings;
    if (detection.type === "unavailable" && policy !== undefined && requiresSandbox(policy))
      return {
        type: "refused",
        why: `${formatRefusal(policy, "a server without a sandbox")} No sandbox is available: ${detection.why}`,
      };
    if (detection.type === "unavailable") return { type: "unconfined", why: detection.why };
    const why = findFolderProblem(namedServer.server, this.#options.context.userHome);
    if (why !== null) return { type: "refused", why: `${why}; change it, or set "sandbox": "off" for this server` };
    const hosts = this.#hosts;
    if (!hosts) throw new Error(`${namedServer.name} is not a program`);
    this.#sandbox ??= await ServerSandbox.open({ ...this.#options.context, detection, namedServer, cwd, hosts });
    return { type: "sandboxed", privateHome: this.#sandbox.privateHome, networkProblem: detection.networkProblem };
  }

  async #connect(target: HttpServer | LaunchPlan, options: RequestOptions): Promise<Connection> {
    this.#startTimes = [...this.#startTimes, Date.now()];
    const connectOptions = { ...options, version: await this.#options.readVersion() };
    if ("url" in target) return await connect(target, connectOptions);
    const isSandboxed = target.confinement.type === "sandboxed";
    const connection = await connect(isSandboxed ? await this.#prepareSandboxedLaunch(target) : target, connectOptions);
    // A launcher has downloaded its packages by now.
    this.#files = await hashProgramFiles(target);
    return connection;
  }

  async #prepareSandboxedLaunch(plan: LaunchPlan): Promise<ProgramSpawnOptions> {
    if (!this.#sandbox) throw new Error(`${plan.namedServer.name} has no sandbox`);
    return await this.#sandbox.prepareLaunch(plan);
  }

  /** Pauses the start timeout while the user answers a question about a host. */
  #confirmOutsideTimer(): Confirm | null {
    const confirm = this.#options.confirm();
    if (confirm === null) return null;
    return async (...args) => {
      const timer = this.#startTimer;
      timer?.pause();
      return await confirm(...args).finally(() => timer?.resume());
    };
  }

  #hasRestartedTooOften(): boolean {
    const now = Date.now();
    this.#startTimes = this.#startTimes.filter((startTime) => now - startTime < RESTART_WINDOW_MS);
    return this.#startTimes.length > MAX_RESTARTS;
  }

  #describeRestarts(): string {
    const lastFailure = this.#lastFailure === null ? "" : `; last error: ${this.#lastFailure}`;
    return `the server ${this.namedServer.name} was started ${MAX_RESTARTS + 1} times in five minutes and did not keep running, so it is not restarted for now; check it with: pith mcp test ${this.namedServer.name}${lastFailure}`;
  }

  async #describeError(error: unknown, connection: Connection | null): Promise<string> {
    // The last output may arrive shortly after the exit.
    if (connection?.isClosed()) await new Promise((resolve) => setTimeout(resolve, 50));
    const message = describeFailure(error, connection?.serverTransport.lastOutput() ?? "");
    return [`the server ${this.namedServer.name} failed: ${message}`, ...this.takeRefusals()].join("\n");
  }

  async #dropConnection(connection: Connection): Promise<void> {
    if (this.#connection === connection) this.#connection = null;
    await connection.end();
  }
}

/** A timeout that can be paused, e.g. while the user answers a question. */
export class StartTimer {
  readonly #onTimeout: () => void;
  #remainingMs: number;
  #pauseCount = 0;
  #runningSince = Date.now();
  #timer: NodeJS.Timeout;

  constructor(timeoutMs: number, onTimeout: () => void) {
    this.#remainingMs = timeoutMs;
    this.#onTimeout = onTimeout;
    this.#timer = setTimeout(onTimeout, timeoutMs);
  }

  pause(): void {
    this.#pauseCount += 1;
    if (this.#pauseCount > 1) return;
    clearTimeout(this.#timer);
    this.#remainingMs -= Date.now() - this.#runningSince;
  }

  resume(): void {
    this.#pauseCount -= 1;
    if (this.#pauseCount > 0) return;
    this.#runningSince = Date.now();
    this.#timer = setTimeout(this.#onTimeout, Math.max(0, this.#remainingMs));
  }
}

const MAX_RESTARTS = 3;
const RESTART_WINDOW_MS = 5 * 60_000;

/** Whether an HTTP server is gone or does not know the session any more. An error response of the server itself is not such a sign. */
function isUnreachable(error: unknown): boolean {
  const { name, message } = error as Error;
  return (
    name !== "ProtocolError" && /fetch failed|ECONN|socket|terminated|\b404\b|not connected|session/i.test(message)
  );
}

function createFailure(why: string): Extract<McpResult<never>, { type: "failed" }> {
  return { type: "failed", why };
}

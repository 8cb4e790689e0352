/** The network of a session's sandbox: an isolated namespace, a proxy that asks about each host, and ports that the user opens. */

import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Server as HttpServer } from "node:http";
import { type AddressInfo, connect, createServer, type LookupFunction, type Server, type Socket } from "node:net";
import type { NetworkConnection, PortResult, WaitForUser } from "../../ports.ts";
import { errorCode } from "../safe-files.ts";
import type { Bubblewrap } from "../sandbox/mounts.ts";
import type { Destination, ResolveHost } from "../web/public-address.ts";
import { connectSockets, machineLoopback, type NetworkBackend, NetworkNamespace } from "./namespace.ts";
import type { IsRegistry, ProxyCommand, startProxy } from "./proxy.ts";
import type { Environment } from "./upstream.ts";

/** A connection that a command wants to open. */
export interface HostRequest {
  readonly host: string;
  readonly port: number;
  /** The command line; null if unknown. */
  readonly command: string | null;
}

/** Whether a command may reach a host. */
export type HostDecision = { readonly type: "allowed" } | { readonly type: "refused"; readonly why: string };

/** Decides whether a command may reach a host. */
export type PermitHost = (request: HostRequest, options: { readonly signal: AbortSignal }) => Promise<HostDecision>;

/** Options of `SandboxNetwork`. */
export interface SandboxNetworkOptions {
  /** The program that creates the namespace; null where commands share the machine's loopback and their sandbox opens one port of it. */
  readonly program: Bubblewrap | null;
  /** The user's environment, with HTTPS_PROXY, HTTP_PROXY and NO_PROXY. */
  readonly environment: Environment;
  readonly permitHost: PermitHost;
  readonly resolve?: ResolveHost;
  /** Hosts that may have private addresses, as `host:port`. */
  readonly privateHosts?: readonly string[];
  /** Whether a host may be in the user's network, such as a package registry of a company. */
  readonly isRegistry?: IsRegistry | undefined;
}

/** A command that uses the network of the sandbox. */
export interface NetworkCommand {
  /** The command line, shown in the question to the user. */
  readonly text: string;
  /** The only hosts it may reach, without a question: names, or `*.name` for all subdomains. */
  readonly hosts?: readonly string[] | undefined;
  readonly onConnection?: ((connection: NetworkConnection) => void) | undefined;
  /** Runs each question about a host. */
  readonly waitForUser?: WaitForUser | undefined;
}

/** A command that may use the proxy until it is unregistered. */
export interface RegisteredCommand {
  /** The arguments before bubblewrap's command line. */
  readonly commandPrefix: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Ends its connections; each has been reported when this returns. */
  unregister(): void;
}

/** Variables that configure a proxy; in the sandbox they name Pith's, or are unset. */
export const PROXY_VARIABLES: readonly string[] = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"].flatMap(
  (name) => [name, name.toLowerCase()],
);

/** For one port of the machine. */
const MAX_PORT_CONNECTIONS = 256;

/** Reached without the proxy: servers that commands start in the namespace, and ports of the machine that the user opened. */
const NO_PROXY_HOSTS = "localhost,127.0.0.1,::1";

/** The network of sandboxed commands: a proxy that lets permitted hosts through. */
export class SandboxNetwork {
  readonly #options: SandboxNetworkOptions;
  readonly #backend: NetworkBackend;
  readonly #proxy: HttpServer;
  readonly #port: number;
  readonly #hostQuestions: HostQuestions;
  readonly #commands = new Map<string, ProxyCommand & { readonly token: string }>();
  readonly #reachedPorts = new Map<number, Promise<PortResult>>();
  readonly #publishedPorts = new Map<number, Promise<PortResult>>();
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();

  private constructor(backend: NetworkBackend, listening: Server, options: ConstructorOptions) {
    const { environment, permitHost, resolve, privateHosts = [], isRegistry } = options;
    this.#options = options;
    this.#backend = backend;
    this.#port = (listening.address() as AddressInfo).port;
    this.#hostQuestions = new HostQuestions(permitHost);
    const findCommand = (authorization: string | undefined): ProxyCommand | null => this.#findCommand(authorization);
    this.#proxy = options.startProxy(listening, { findCommand, resolve, privateHosts, isRegistry, environment });
  }

  /** Throws where the machine cannot create one; `detectSandbox` checks that beforehand. */
  static async open(options: SandboxNetworkOptions): Promise<SandboxNetwork> {
    const backend = options.program === null ? machineLoopback : await NetworkNamespace.open(options.program);
    // HTTP and TLS are slow to load, and a session that runs no command does not need them.
    const [listenResult, proxy] = await Promise.all([backend.listen(0), import("./proxy.ts")]);
    if (listenResult.type === "listening")
      return new SandboxNetwork(backend, listenResult.server, { ...options, startProxy: proxy.startProxy });
    await backend.close();
    throw new Error(`the sandbox proxy cannot listen: ${listenResult.code}`);
  }

  /** Opens another network for a single command: with the opened ports of the machine, without servers that other commands started. */
  async openSeparate(): Promise<SandboxNetwork> {
    const separate = await SandboxNetwork.open(this.#options);
    await Promise.all([...this.#reachedPorts.keys()].map((port) => separate.reachHostPort(port)));
    return separate;
  }

  /** The port of the proxy. */
  get port(): number {
    return this.#port;
  }

  /** The arguments with which `nsenter` enters the user namespace above the sandboxes of commands; empty if there is none. */
  get userNamespace(): readonly string[] {
    return this.#backend.commandPrefix.filter((argument) => argument.startsWith("--user="));
  }

  /** Registers a command with its own credentials for the proxy. */
  registerCommand({
    text,
    hosts,
    onConnection = () => {},
    waitForUser = (ask) => ask(),
  }: NetworkCommand): RegisteredCommand {
    const id = randomBytes(8).toString("hex");
    const token = randomBytes(24).toString("hex");
    const controller = new AbortController();
    const permit = async ({ host, port }: Destination, signal: AbortSignal): Promise<string | null> => {
      if (hosts) return hosts.some((pattern) => matchesHost(pattern, host)) ? null : formatUnlistedHost(host, hosts);
      const decision = await waitForUser(() => this.#hostQuestions.ask({ host, port, command: text }, signal));
      return decision.type === "allowed" ? null : decision.why;
    };
    const command = { token, signal: controller.signal, connections: new Set<() => void>(), onConnection, permit };
    this.#commands.set(id, command);
    return {
      commandPrefix: this.#backend.commandPrefix,
      environment: proxyEnvironment(`http://${id}:${token}@127.0.0.1:${this.#port}`),
      unregister: () => {
        this.#commands.delete(id);
        for (const end of [...command.connections]) end();
        controller.abort();
      },
    };
  }

  #findCommand(authorization = ""): ProxyCommand | null {
    const encoded = /^basic +([a-z0-9+/=]+)$/i.exec(authorization)?.[1] ?? "";
    const [id = "", token = ""] = Buffer.from(encoded, "base64").toString("latin1").split(":");
    const command = this.#commands.get(id);
    if (command === undefined || token.length !== command.token.length) return null;
    return timingSafeEqual(Buffer.from(token, "latin1"), Buffer.from(command.token, "latin1")) ? command : null;
  }

  /** Lets commands reach the machine's 127.0.0.1:port under the same address until `close`. */
  reachHostPort(port: number): Promise<PortResult> {
    return openOnce(this.#reachedPorts, port, async () => {
      const listenResult = await this.#backend.listen(port);
      if (listenResult.type === "failed") return portFailure(listenResult.code, `port ${port} in the sandbox`);
      const server = createServer({ allowHalfOpen: true }, (inner) => {
        const target = { host: "localhost", port, lookup: lookupLoopback };
        const outer = connect({ ...target, autoSelectFamily: true, allowHalfOpen: true });
        for (const socket of [inner, outer]) {
          this.#sockets.add(socket);
          socket.on("close", () => this.#sockets.delete(socket));
        }
        connectSockets(inner, outer);
      });
      server.maxConnections = MAX_PORT_CONNECTIONS;
      this.#servers.push(server.listen(listenResult.server).unref());
      return { type: "open" };
    });
  }

  /** Lets the machine reach a server in the sandbox under 127.0.0.1:port until `close`. */
  publishPort(port: number): Promise<PortResult> {
    return openOnce(this.#publishedPorts, port, async () => {
      const server = createServer({ pauseOnConnect: true }, (outer) => {
        this.#backend.relay(outer, port).catch(() => outer.destroy());
      });
      const code = await new Promise<string | null>((resolve) => {
        server.once("error", (error) => resolve(errorCode(error)));
        server.listen(port, "127.0.0.1", () => resolve(null));
      });
      if (code !== null) return portFailure(code, `port ${port} on this machine`);
      this.#servers.push(server.unref());
      return { type: "open" };
    });
  }

  async close(): Promise<void> {
    for (const command of this.#commands.values()) for (const end of [...command.connections]) end();
    this.#commands.clear();
    this.#proxy.close();
    this.#proxy.closeAllConnections();
    for (const server of this.#servers) server.close();
    for (const socket of this.#sockets) socket.destroy();
    await this.#backend.close();
  }
}

interface ConstructorOptions extends SandboxNetworkOptions {
  readonly startProxy: typeof startProxy;
}

function proxyEnvironment(proxy: string): Readonly<Record<string, string>> {
  const entries = PROXY_VARIABLES.map((name) => [name, /^no_proxy$/i.test(name) ? NO_PROXY_HOSTS : proxy]);
  return { ...Object.fromEntries(entries), NODE_USE_ENV_PROXY: "1" };
}

/** `*.name` matches all subdomains, but not the name itself. */
function matchesHost(pattern: string, host: string): boolean {
  const expected = pattern.toLowerCase();
  return expected.startsWith("*.") ? host.endsWith(expected.slice(1)) : host === expected;
}

function formatUnlistedHost(host: string, hosts: readonly string[]): string {
  if (hosts.length === 0) return `${host} is refused: this command may not reach any host`;
  return `${host} is refused: this command may reach only ${hosts.join(", ")}`;
}

/** Both loopback addresses: a server may listen on either. */
const lookupLoopback: LookupFunction = (_name, _options, callback) =>
  callback(null, [
    { address: "127.0.0.1", family: 4 },
    { address: "::1", family: 6 },
  ]);

/** A failed port can be tried again. */
function openOnce(
  ports: Map<number, Promise<PortResult>>,
  port: number,
  open: () => Promise<PortResult>,
): Promise<PortResult> {
  const existing = ports.get(port);
  if (existing) return existing;
  const opening = open().then((result) => {
    if (result.type === "failed") ports.delete(port);
    return result;
  });
  ports.set(port, opening);
  return opening;
}

function portFailure(code: string, label: string): PortResult {
  return {
    type: "failed",
    why: code === "EADDRINUSE" ? `${label} is already in use` : `${label} cannot be opened: ${code}`,
  };
}

interface Question {
  readonly answer: Promise<HostDecision>;
  readonly controller: AbortController;
  waiterCount: number;
  isAnswered: boolean;
}

/** Concurrent connections to the same host share one question to the user. It is withdrawn when no connection waits for it. */
class HostQuestions {
  readonly #permitHost: PermitHost;
  readonly #openQuestions = new Map<string, Question>();

  constructor(permitHost: PermitHost) {
    this.#permitHost = permitHost;
  }

  async ask(request: HostRequest, signal: AbortSignal): Promise<HostDecision> {
    signal.throwIfAborted();
    const key = `${request.host} ${request.port}`;
    const question = this.#openQuestions.get(key) ?? this.#start(key, request);
    question.waiterCount += 1;
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      return await Promise.race([question.answer, aborted]);
    } finally {
      signal.removeEventListener("abort", onAbort);
      question.waiterCount -= 1;
      if (question.waiterCount === 0) this.#end(key, question);
    }
  }

  #start(key: string, request: HostRequest): Question {
    const controller = new AbortController();
    const answer = this.#permitHost(request, { signal: controller.signal });
    const question: Question = { answer, controller, waiterCount: 0, isAnswered: false };
    const settle = (): void => {
      question.isAnswered = true;
    };
    answer.then(settle, settle);
    this.#openQuestions.set(key, question);
    return question;
  }

  #end(key: string, question: Question): void {
    if (this.#openQuestions.get(key) === question) this.#openQuestions.delete(key);
    if (!question.isAnswered) question.controller.abort();
  }
}

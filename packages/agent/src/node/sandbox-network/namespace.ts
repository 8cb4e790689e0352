/** Creates a network namespace that has only a loopback interface, and passes sockets out of it. */

import { type ChildProcess, type ChildProcessWithoutNullStreams, type StdioOptions, spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, realpathSync } from "node:fs";
import { Server, type Socket } from "node:net";
import { delimiter, isAbsolute } from "node:path";
import { errorCode } from "../safe-files.ts";
import type { Bubblewrap } from "../sandbox/mounts.ts";

/** Polls the parent: if it is killed while a socket is being sent, Node does not emit `disconnect` in the helper. */
export const END_WITH_PARENT_SCRIPT = `
const parent = process.ppid;
setInterval(() => process.ppid === parent || process.exit(0), 2000).unref();
process.on("disconnect", () => process.exit(0));
`;

/** Listens in the namespace and sends the socket to the parent. */
const LISTENER_SCRIPT = `
${END_WITH_PARENT_SCRIPT}
const server = require("node:net").createServer();
server.on("error", ({ code }) => process.send(code));
server.listen(Number(process.argv[1]), "127.0.0.1", () => process.send("listening", server));
`;

/** Connects each socket from outside to a port inside, by either loopback address. */
const RELAY_SCRIPT = `
${END_WITH_PARENT_SCRIPT}
const net = require("node:net");
const addresses = [{ address: "127.0.0.1", family: 4 }, { address: "::1", family: 6 }];
const lookup = (name, options, done) => done(null, addresses);
process.on("message", ({ port }, outer) => {
  if (!outer) return;
  const inner = net.connect({ host: "localhost", port, lookup, autoSelectFamily: true, allowHalfOpen: true });
  outer.allowHalfOpen = true;
  for (const [from, to] of [[outer, inner], [inner, outer]])
    from.on("error", () => to.destroy()).on("close", () => from.readableEnded || to.destroy()).pipe(to);
});
process.send("ready");
`;

const START_TIMEOUT_MS = 10_000;

export type ListenResult =
  | { readonly type: "listening"; readonly server: Server }
  | { readonly type: "failed"; readonly code: string };

/** The network in which the proxy of a sandbox listens. */
export interface NetworkBackend {
  /** The arguments before a command line that let it reach the proxy. */
  readonly commandPrefix: readonly string[];
  listen(port: number): Promise<ListenResult>;
  relay(outer: Socket, port: number): Promise<void>;
  close(): Promise<void>;
}

/** The machine's own loopback, for a sandbox that lets commands reach only the proxy's port. Other ports cannot be opened. */
export const machineLoopback: NetworkBackend = {
  commandPrefix: [],
  listen: (port) =>
    new Promise((resolve) => {
      const server = new Server();
      server.once("error", (error) => resolve({ type: "failed", code: errorCode(error) }));
      if (port !== 0) resolve({ type: "failed", code: "ENOTSUP" });
      else server.listen(0, "127.0.0.1", () => resolve({ type: "listening", server }));
    }),
  relay: async (outer) => void outer.destroy(),
  close: async () => {},
};

/**
 * The namespace lives as long as its two file descriptors are open; no process has to stay in it. A command enters through
 * `/proc/<pid>/fd`, so it does not inherit the descriptors.
 */
export class NetworkNamespace implements NetworkBackend {
  /** The arguments before a command line that run it in the namespace. */
  readonly commandPrefix: readonly string[];
  readonly #files: number[];
  #relay: Promise<ChildProcess> | null = null;

  private constructor(nsenter: string, files: number[]) {
    const [user, net] = files.map((file) => `/proc/${process.pid}/fd/${file}`);
    this.commandPrefix = [nsenter, "--preserve-credentials", `--user=${user}`, `--net=${net}`];
    this.#files = files;
  }

  /** Throws where the machine does not allow it. */
  static async open({ path, nsenter }: Bubblewrap): Promise<NetworkNamespace> {
    if (nsenter === null) throw new Error("`nsenter`, which enters a network namespace, was not found");
    const args = ["--unshare-user", "--unshare-net", "--die-with-parent", "--dev-bind", "/", "/", "--"];
    const holder = spawn(path, [...args, "/bin/sh", "-c", "echo $$; read -r line"], {
      cwd: "/",
      env: {},
      detached: true,
    });
    try {
      const pid = Number(await readFirstOutput(holder));
      return new NetworkNamespace(
        nsenter,
        ["user", "net"].map((kind) => openSync(`/proc/${pid}/ns/${kind}`, "r")),
      );
    } finally {
      holder.kill("SIGKILL");
    }
  }

  /** Listens on 127.0.0.1 in the namespace; port 0 means any free port. */
  async listen(port: number): Promise<ListenResult> {
    const helper = startHelper(this.commandPrefix, LISTENER_SCRIPT, String(port));
    try {
      const [message, server] = await readFirstMessage(helper);
      if (server instanceof Server) return { type: "listening", server };
      return { type: "failed", code: String(message) };
    } catch (error) {
      return { type: "failed", code: error instanceof Error ? error.message : String(error) };
    } finally {
      helper.kill("SIGKILL");
    }
  }

  /** Connects a socket from outside to a port in the namespace. The first call starts a helper process, which stays. */
  async relay(outer: Socket, port: number): Promise<void> {
    this.#relay ??= this.#startRelay();
    const relay = await this.#relay;
    if (!relay.connected) outer.destroy();
    else relay.send({ port }, outer, (error) => error && outer.destroy());
  }

  async #startRelay(): Promise<ChildProcess> {
    const relay = startHelper(this.commandPrefix, RELAY_SCRIPT, "");
    await readFirstMessage(relay);
    relay.unref();
    relay.channel?.unref();
    relay.once("exit", () => {
      this.#relay = null;
    });
    return relay;
  }

  async close(): Promise<void> {
    const relay = await this.#relay?.catch(() => null);
    relay?.kill("SIGKILL");
    // `splice`, because a second close could hit descriptors that were reused.
    for (const file of this.#files.splice(0)) closeSync(file);
  }
}

/** Detached, so that Ctrl-C in the terminal does not reach it; in `/` with an empty environment, so that the workspace does not affect it. */
function startHelper([program = "", ...args]: readonly string[], script: string, argument: string): ChildProcess {
  const stdio: StdioOptions = ["ignore", "ignore", "pipe", "ipc"];
  const libraryFolders = listLibraryFolders();
  const env = { ...(libraryFolders.length > 0 && { LD_LIBRARY_PATH: libraryFolders.join(delimiter) }) };
  return spawn(program, [...args, process.execPath, "-e", script, argument], { stdio, cwd: "/", env, detached: true });
}

/** The folders in `LD_LIBRARY_PATH` that Node needs to start. Commands may have written to the others. */
function listLibraryFolders(): readonly string[] {
  const folders = (process.env.LD_LIBRARY_PATH ?? "").split(delimiter).filter(isAbsolute);
  const present = folders.filter((folder) => existsSync(folder));
  if (present.length === 0) return [];
  const loaded = readFileSync("/proc/self/maps", "utf8");
  return present.filter((folder) => loaded.includes(` ${realpathSync(folder)}/`));
}

/** Resolves with the first output of the process that creates the namespace; rejects with its standard error. */
function readFirstOutput(child: ChildProcessWithoutNullStreams): Promise<string> {
  return new Promise((resolve, reject) => {
    const errorOutput = collectErrorOutput(child);
    const timer = setTimeout(() => child.kill("SIGKILL"), START_TIMEOUT_MS);
    child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString().trim()));
    child.once("error", reject).once("close", () => {
      clearTimeout(timer);
      reject(new Error(errorOutput()));
    });
  });
}

/** Resolves with a helper's first message; rejects with its standard error if it ends before. */
function readFirstMessage(helper: ChildProcess): Promise<readonly [message: unknown, handle: unknown]> {
  return new Promise((resolve, reject) => {
    const errorOutput = collectErrorOutput(helper);
    const timer = setTimeout(() => helper.kill("SIGKILL"), START_TIMEOUT_MS);
    helper.once("message", (message, handle) => {
      clearTimeout(timer);
      resolve([message, handle]);
    });
    helper.once("error", reject).once("close", () => {
      clearTimeout(timer);
      reject(new Error(errorOutput()));
    });
  });
}

function collectErrorOutput({ stderr }: ChildProcess): () => string {
  let errorOutput = "";
  stderr?.on("data", (chunk: Buffer) => {
    errorOutput = (errorOutput + chunk.toString()).slice(-2_000);
  });
  return () => errorOutput.trim() || "the process ended without an error message";
}

/** Pipes two sockets into each other. A socket that ends normally passes its end on; one that breaks destroys the other. */
export function connectSockets(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on("error", () => to.destroy());
    from.on("close", () => from.readableEnded || to.destroy());
    from.pipe(to);
  }
}

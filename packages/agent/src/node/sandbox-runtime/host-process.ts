/**
 * Runs the sandbox runtime in its own process, which wraps command lines. Its environment has no keys of the user, and it starts no program
 * from a folder in which commands may write.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { END_WITH_PARENT_SCRIPT } from "../sandbox-network/namespace.ts";
import { findForeignFiles, type InstalledRuntime, packageFolder, RUNTIME_PACKAGE } from "./install.ts";

/** A path taken literally: the runtime reads `*` and `[` in a plain string as a pattern. */
export interface LiteralPath {
  readonly path: string;
  readonly literal: true;
}

/** The part of the runtime's configuration that Pith uses. */
export interface RuntimeConfig {
  readonly network: {
    readonly allowedDomains: readonly string[];
    readonly deniedDomains: readonly string[];
    /** Pith's proxy, which decides about hosts. Without it the runtime's own proxy refuses every host. */
    readonly httpProxyPort?: number;
    readonly socksProxyPort?: number;
    readonly allowLocalBinding: boolean;
    readonly allowAllUnixSockets: boolean;
  };
  readonly filesystem: {
    readonly denyRead: readonly LiteralPath[];
    readonly allowRead: readonly LiteralPath[];
    readonly allowWrite: readonly LiteralPath[];
    readonly denyWrite: readonly LiteralPath[];
  };
  /** The program that carries connections on Linux; for tests. */
  readonly socatPath?: string;
}

export interface RuntimeHostOptions {
  readonly runtime: InstalledRuntime;
  /** The workspace: the runtime protects some names below its working folder by itself. */
  readonly root: string;
  /** Its network ports apply to all commands. */
  readonly config: RuntimeConfig;
  /** The system for which commands are wrapped; for tests of the macOS profile. */
  readonly platform?: NodeJS.Platform;
}

/** Folders of programs that belong to the system. */
export const SYSTEM_PATH = "/usr/bin:/bin:/usr/sbin:/sbin";

/** The methods used here; checked when the runtime is loaded. */
const REQUIRED_METHODS = ["initialize", "updateConfig", "wrapWithSandbox", "cleanupAfterCommand", "reset"];

/** The runtime gives `socat` 0.6 s to start and `which` 1 s to run. On a busy machine this is too little, so it tries again. */
const MAX_TRIES = 10;
const RETRY_MS = 10_000;

/** Wraps one command at a time, because the runtime has one configuration per process. */
const HOST_SCRIPT = `
${END_WITH_PARENT_SCRIPT}
const { entry, platform } = JSON.parse(process.argv[1]);
if (platform) Object.defineProperty(process, "platform", { value: platform });
let manager;
async function handle({ type, config, command }) {
  if (type === "open") {
    manager = (await import(entry)).SandboxManager;
    const missing = ${JSON.stringify(REQUIRED_METHODS)}.filter((name) => typeof manager?.[name] !== "function");
    if (missing.length > 0) throw new Error("the runtime lacks " + missing.join(", "));
    await retry(() => manager.initialize(config));
  } else if (type === "wrap") {
    manager.updateConfig(config);
    const line = await retry(() => manager.wrapWithSandbox(command, "/bin/bash"));
    if (typeof line !== "string" || line === command) throw new Error("the runtime did not wrap the command");
    return line;
  } else if (type === "clean") manager.cleanupAfterCommand();
  else await manager.reset();
  return "";
}
async function retry(act) {
  const deadline = performance.now() + ${RETRY_MS};
  for (let tries = 1; ; tries += 1) {
    try {
      return await act();
    } catch (error) {
      if (tries === ${MAX_TRIES} || performance.now() > deadline) throw error;
    }
  }
}
let last = Promise.resolve();
process.on("message", ({ id, ...request }) => {
  last = last
    .then(() => handle(request))
    .then((line) => ({ id, line }), (error) => ({ id, failure: String(error?.message ?? error) }))
    .then((answer) => process.connected && process.send(answer));
});
`;

type RuntimeRequest =
  | { readonly type: "open"; readonly config: RuntimeConfig }
  | { readonly type: "wrap"; readonly config: RuntimeConfig; readonly command: string }
  | { readonly type: "clean" | "close" };

interface RuntimeResponse {
  readonly id: number;
  readonly line?: string;
  readonly failure?: string;
}

const TIMEOUT_MS = 30_000;
const MAX_ERROR_CHARS = 2_000;

export class RuntimeHost {
  readonly #process: ChildProcess;
  readonly #pending = new Map<number, (answer: RuntimeResponse) => void>();
  #errorOutput = "";
  #lastId = 0;

  private constructor({ runtime, root, platform }: RuntimeHostOptions) {
    const entry = pathToFileURL(join(packageFolder(runtime.folder, RUNTIME_PACKAGE), "dist/index.js")).href;
    // Detached, so that Ctrl-C in the terminal does not reach it.
    this.#process = spawn(process.execPath, ["-e", HOST_SCRIPT, JSON.stringify({ entry, platform })], {
      cwd: root,
      env: { PATH: SYSTEM_PATH },
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      detached: true,
    });
    this.#process.unref();
    this.#process.channel?.unref();
    this.#process.stderr?.on("data", (chunk: Buffer) => {
      this.#errorOutput = (this.#errorOutput + chunk.toString()).slice(-MAX_ERROR_CHARS);
    });
    this.#process.on("message", (answer: RuntimeResponse) => this.#settle(answer));
    this.#process.on("error", ({ message }) => this.#fail(message));
    this.#process.on("exit", () => this.#fail(this.#errorOutput.trim() || "its process ended"));
  }

  /** Throws if its files are not the pinned ones, or if it does not work on this machine. */
  static async open(options: RuntimeHostOptions): Promise<RuntimeHost> {
    const foreign = await findForeignFiles(options.runtime);
    if (foreign !== null) throw new Error(`${foreign.why}; ${foreign.advice}`);
    const host = new RuntimeHost(options);
    try {
      await host.#send({ type: "open", config: options.config });
      return host;
    } catch (error) {
      host.#process.kill("SIGKILL");
      throw error;
    }
  }

  /** Returns a command line for the system's shell that runs the command in the sandbox. */
  wrap(command: string, config: RuntimeConfig): Promise<string> {
    return this.#send({ type: "wrap", config, command });
  }

  /** Removes files that the runtime created for commands. Call it when no command runs. */
  async cleanUp(): Promise<void> {
    await this.#send({ type: "clean" });
  }

  async close(): Promise<void> {
    // The process may have ended already.
    await this.#send({ type: "close" }).catch(() => undefined);
    this.#process.kill("SIGKILL");
  }

  #send(request: RuntimeRequest): Promise<string> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise<string>((resolve, reject) => {
      const timer = setTimeout(() => this.#settle({ id, failure: "it did not respond" }), TIMEOUT_MS);
      this.#pending.set(id, ({ line, failure }) => {
        clearTimeout(timer);
        if (line === undefined) reject(new Error(`the sandbox runtime failed: ${failure}`));
        else resolve(line);
      });
      if (this.#process.connected) this.#process.send({ id, ...request });
      else this.#settle({ id, failure: this.#errorOutput.trim() || "its process ended" });
    });
  }

  #settle(response: RuntimeResponse): void {
    const settle = this.#pending.get(response.id);
    this.#pending.delete(response.id);
    settle?.(response);
  }

  #fail(failure: string): void {
    for (const id of [...this.#pending.keys()]) this.#settle({ id, failure });
  }
}

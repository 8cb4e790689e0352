/**
 * Runs the sandbox runtime in a process of its own and has it wrap command lines. The process has no key of the user in its
 * environment, and nothing in it is started from where commands may write.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { END_WITH_PARENT } from "../network/namespace.ts";
import { findForeignFiles, type InstalledRuntime, packageFolder, RUNTIME } from "./install.ts";

/** A path as it is spelled: the runtime would read `*` and `[` in a bare string as a pattern. */
export interface LiteralPath {
  readonly path: string;
  readonly literal: true;
}

/** The part of the runtime's configuration that Pith uses. */
export interface RuntimeConfig {
  readonly network: {
    readonly allowedDomains: readonly string[];
    readonly deniedDomains: readonly string[];
    /** Our own proxy, which decides about hosts. Without it the runtime's own proxy refuses every host. */
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
}

export interface RuntimeHostOptions {
  readonly runtime: InstalledRuntime;
  /** The workspace: the runtime guards some names below its working folder by itself. */
  readonly root: string;
  /** The ports of its network are those for all commands. */
  readonly config: RuntimeConfig;
  /** For which system lines are wrapped; for tests, which look at the profile of macOS. */
  readonly platform?: NodeJS.Platform;
}

/** Folders of programs that belong to the system. */
export const SYSTEM_PATH = "/usr/bin:/bin:/usr/sbin:/sbin";

/** What of the runtime is called, looked at when it is loaded. */
const CALLED = ["initialize", "updateConfig", "wrapWithSandbox", "cleanupAfterCommand", "reset"];

/** One line is wrapped at a time: the runtime has one configuration for the whole process. */
const SCRIPT = `
${END_WITH_PARENT}
const { entry, platform } = JSON.parse(process.argv[1]);
if (platform) Object.defineProperty(process, "platform", { value: platform });
let manager;
async function act({ type, config, command }) {
  if (type === "open") {
    manager = (await import(entry)).SandboxManager;
    const missing = ${JSON.stringify(CALLED)}.filter((name) => typeof manager?.[name] !== "function");
    if (missing.length > 0) throw new Error("the runtime has no " + missing.join(", "));
    await manager.initialize(config);
  } else if (type === "wrap") {
    manager.updateConfig(config);
    const line = await manager.wrapWithSandbox(command, "/bin/bash");
    if (typeof line !== "string" || line === command) throw new Error("the runtime did not wrap the command");
    return line;
  } else if (type === "clean") manager.cleanupAfterCommand();
  else await manager.reset();
  return "";
}
let last = Promise.resolve();
process.on("message", ({ id, ...request }) => {
  last = last
    .then(() => act(request))
    .then((line) => ({ id, line }), (error) => ({ id, failure: String(error?.message ?? error) }))
    .then((answer) => process.connected && process.send(answer));
});
`;

type Request =
  | { readonly type: "open"; readonly config: RuntimeConfig }
  | { readonly type: "wrap"; readonly config: RuntimeConfig; readonly command: string }
  | { readonly type: "clean" | "close" };

interface Answer {
  readonly id: number;
  readonly line?: string;
  readonly failure?: string;
}

const LONGEST_MS = 30_000;
const LONGEST_COMPLAINT = 2_000;

export class RuntimeHost {
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #complaint = "";
  #last = 0;

  private constructor({ runtime, root, platform }: RuntimeHostOptions) {
    const entry = pathToFileURL(join(packageFolder(runtime.folder, RUNTIME), "dist/index.js")).href;
    // A session of its own, because a Ctrl-C in the terminal is not meant for it.
    this.#process = spawn(process.execPath, ["-e", SCRIPT, JSON.stringify({ entry, platform })], {
      cwd: root,
      env: { PATH: SYSTEM_PATH },
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      detached: true,
    });
    this.#process.unref();
    this.#process.channel?.unref();
    this.#process.stderr?.on("data", (chunk: Buffer) => {
      this.#complaint = (this.#complaint + chunk.toString()).slice(-LONGEST_COMPLAINT);
    });
    this.#process.on("message", (answer: Answer) => this.#settle(answer));
    this.#process.on("error", ({ message }) => this.#fail(message));
    this.#process.on("exit", () => this.#fail(this.#complaint.trim() || "its process ended"));
  }

  /** Throws where its files are not the pinned ones, or where it does not work on this machine. */
  static async open(options: RuntimeHostOptions): Promise<RuntimeHost> {
    const foreign = await findForeignFiles(options.runtime);
    if (foreign !== null) throw new Error(`${foreign.why}; ${foreign.advice}`);
    const host = new RuntimeHost(options);
    try {
      await host.#ask({ type: "open", config: options.config });
      return host;
    } catch (error) {
      host.#process.kill("SIGKILL");
      throw error;
    }
  }

  /** A line for a shell of the system, which runs the command in the sandbox. */
  wrap(command: string, config: RuntimeConfig): Promise<string> {
    return this.#ask({ type: "wrap", config, command });
  }

  /** Removes what the runtime left on the disk for commands; to be called when none runs. */
  async clean(): Promise<void> {
    await this.#ask({ type: "clean" });
  }

  async close(): Promise<void> {
    // A process that ended already has nothing to close.
    await this.#ask({ type: "close" }).catch(() => undefined);
    this.#process.kill("SIGKILL");
  }

  #ask(request: Request): Promise<string> {
    this.#last += 1;
    const id = this.#last;
    return new Promise<string>((resolve, reject) => {
      const timer = setTimeout(() => this.#settle({ id, failure: "it did not answer" }), LONGEST_MS);
      this.#waiting.set(id, ({ line, failure }) => {
        clearTimeout(timer);
        if (line === undefined) reject(new Error(`the sandbox runtime failed: ${failure}`));
        else resolve(line);
      });
      if (this.#process.connected) this.#process.send({ id, ...request });
      else this.#settle({ id, failure: this.#complaint.trim() || "its process ended" });
    });
  }

  #settle(answer: Answer): void {
    const settle = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    settle?.(answer);
  }

  #fail(failure: string): void {
    for (const id of [...this.#waiting.keys()]) this.#settle({ id, failure });
  }
}

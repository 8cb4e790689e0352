/** Runs the program as a process, in a folder and a home of its own, with a scripted server. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Script, type Step, startServer, type TestServer } from "@pith/testkit";
import { findBuiltProgram } from "./built-program.ts";
import { recordTriggered } from "./triggered.ts";

export interface ProgramResult {
  readonly code: number | null;
  readonly out: string;
  readonly notes: string;
}

export interface ProgramOptions {
  /** Instead of a key and the address of the server. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Sent when the server has been asked so often, and half a second has passed. */
  readonly signal?: { readonly name: NodeJS.Signals; readonly afterRequests: number };
  /** Whoever reads the answer goes away before it comes. */
  readonly closesOutput?: boolean;
}

export class TestProgram {
  readonly folder: string = mkdtempSync(join(tmpdir(), "pith-work-"));
  readonly home: string = mkdtempSync(join(tmpdir(), "pith-home-"));
  /** Of the person: nothing that lies in a developer's own reaches a test. */
  readonly userHome: string = mkdtempSync(join(tmpdir(), "pith-user-"));
  /** The program that is started: its sources, unless a built one is named. */
  readonly bin: string;
  #server: TestServer | null = null;

  constructor({ bin = findBuiltProgram() }: { readonly bin?: string } = {}) {
    this.bin = bin;
  }

  get server(): TestServer {
    if (!this.#server) throw new Error("no server was started");
    return this.#server;
  }

  async serve(script: Script): Promise<TestServer> {
    await this.#server?.close();
    this.#server = await startServer({ script });
    return this.#server;
  }

  /** With a server that says these. */
  async runWithScript(
    args: readonly string[],
    script: readonly Step[],
    options: ProgramOptions = {},
  ): Promise<ProgramResult> {
    const { url } = await this.serve(script);
    return await this.run(args, { variables: { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: url }, ...options });
  }

  async run(
    args: readonly string[],
    { variables = {}, input, signal, closesOutput }: ProgramOptions = {},
  ): Promise<ProgramResult> {
    const env = { PATH: process.env.PATH, HOME: this.userHome, PITH_HOME: this.home, ...variables, ...compileCache };
    const stdin = input === undefined ? "ignore" : "pipe";
    const child = spawn(process.execPath, [this.bin, ...args], {
      cwd: this.folder,
      env,
      stdio: [stdin, "pipe", "pipe"],
    });
    child.stdin?.end(input);
    if (closesOutput) child.stdout?.destroy();
    if (signal) void this.#send(signal, child);
    const end = await waitForEnd(child);
    const own = [this.home, join(this.folder, ".pith")];
    const templateFolders = own.map((folder) => join(folder, "prompts"));
    recordTriggered({ args, ...end, settingsFiles: own.map(settingsIn), templateFolders });
    return end;
  }

  /** The text of the only session there is. */
  readSession(): string {
    const names = readdirSync(this.home, { recursive: true, encoding: "utf8" });
    const sessions = names.filter(
      (name) => name.endsWith(".jsonl") && !name.includes(".pith") && !name.startsWith("audit"),
    );
    if (sessions.length !== 1) throw new Error(`there are ${sessions.length} sessions`);
    return readFileSync(join(this.home, sessions[0] ?? ""), "utf8");
  }

  /** The body of the newest request. */
  lastRequestBody(): unknown {
    return this.server.requests.at(-1)?.body;
  }

  async remove(): Promise<void> {
    await this.#server?.close();
    for (const each of [this.folder, this.home, this.userHome]) rmSync(each, { recursive: true });
  }

  async #send({ name, afterRequests }: NonNullable<ProgramOptions["signal"]>, child: ChildProcess): Promise<void> {
    while (this.server.requests.length < afterRequests) await sleep(50);
    await sleep(500);
    child.kill(name);
  }
}

const settingsIn = (folder: string): string => join(folder, "settings.json");

/** What every start would compile anew is kept by the first. */
const compileCache = process.env.NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE } : {};

function waitForEnd(child: ChildProcess): Promise<ProgramResult> {
  let out = "";
  let notes = "";
  child.stdout?.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    notes += chunk;
  });
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, out, notes })));
}

/** Whether the last text of a request asks for a summary of the messages before it, or for a correction of one. */
export function isSummaryInstruction(text: string): boolean {
  return (
    text.includes("This message is from the program that runs this session") ||
    text.includes("Your summary cannot be used as it is.")
  );
}

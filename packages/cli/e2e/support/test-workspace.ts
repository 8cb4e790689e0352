/** Creates what a scenario needs: an empty home, a folder to work in, a scripted model, and the program in a real terminal. */

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Script, type ServerOptions, startServer, type TestServer } from "@pith/testkit";
import { findBuiltProgram } from "../../test/support/built-program.ts";
import { recordTriggered } from "../../test/support/triggered.ts";
import { reserveLocalModelPort } from "./local-servers.ts";
import { Tmux } from "./tmux.ts";

export interface TestWorkspaceOptions {
  readonly script: Script;
  readonly server?: Omit<ServerOptions, "script">;
  readonly columns?: number;
  readonly rows?: number;
  /** Besides a home, a path, and where the model is. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Instead of a key in the environment. */
  readonly isKeyless?: boolean;
  /** The settings in the user's home. */
  readonly settings?: object;
  readonly files?: Readonly<Record<string, string>>;
  /** In Pith's home, such as `extensions/todo.ts`. */
  readonly homeFiles?: Readonly<Record<string, string>>;
  /** Where the program lies; the one built for all scenarios, unless told. */
  readonly program?: string;
}

type Reservation = Awaited<ReturnType<typeof reserveLocalModelPort>>;

export class TestWorkspace {
  readonly root: string = mkdtempSync(join(tmpdir(), "pith-e2e-"));
  readonly folder: string = join(this.root, "work");
  readonly home: string = join(this.root, "user/.pith");
  readonly server: TestServer;
  readonly #options: TestWorkspaceOptions;
  readonly #terminals: Tmux[] = [];
  readonly #reservation: Reservation | null;

  private constructor(options: TestWorkspaceOptions, server: TestServer, reservation: Reservation | null) {
    this.#options = options;
    this.#reservation = reservation;
    this.server = server;
  }

  static async create(options: TestWorkspaceOptions): Promise<TestWorkspace> {
    const reservation = options.server?.port === undefined ? null : await reserveLocalModelPort();
    const workspace = new TestWorkspace(
      options,
      await startServer({ ...options.server, script: options.script }),
      reservation,
    );
    for (const [name, text] of Object.entries({ "work/.keep": "", ...listFiles(options) }))
      workspace.#write(name, text);
    workspace.#write("bin/pith", createLauncher(workspace.root, options.program ?? findBuiltProgram()), 0o755);
    return workspace;
  }

  /** A terminal with a shell in it. */
  async openTerminal(): Promise<Tmux> {
    const { columns = 80, rows = 24 } = this.#options;
    const tmux = await Tmux.start({
      folder: this.root,
      cwd: this.folder,
      columns,
      rows,
      variables: this.#variables(),
    });
    this.#terminals.push(tmux);
    return tmux;
  }

  /** The program in a terminal of its own, as far as where one types. */
  async startProgram(args = ""): Promise<Tmux> {
    const tmux = await this.openTerminal();
    await tmux.enter(`pith ${args}`.trim());
    await tmux.waitFor(READY);
    return tmux;
  }

  /** Of the program that was started last. */
  get pid(): number {
    return Number(readFileSync(join(this.root, "pid"), "utf8"));
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), "utf8");
  }

  /** What the model was sent last with these words in it; a request is known once it has its answer. */
  async waitForRequest(words: string): Promise<string> {
    for (let left = 1_000; left > 0; left -= 1) {
      const bodies = this.server.requests.map(({ body }) => JSON.stringify(body ?? ""));
      const found = bodies.findLast((body) => body.includes(words));
      if (found !== undefined) return found;
      await sleep(20);
    }
    throw new Error(`the model was never sent "${words}"`);
  }

  /** Every session's text, the newest last. */
  sessions(): readonly string[] {
    const names = readdirSync(join(this.home, "sessions"), { recursive: true, encoding: "utf8" });
    return names
      .filter((name) => name.endsWith(".jsonl") && !name.includes(".pith"))
      .sort((one, other) => (one.split("/").at(-1) ?? "").localeCompare(other.split("/").at(-1) ?? ""))
      .map((name) => readFileSync(join(this.home, "sessions", name), "utf8"));
  }

  async remove(): Promise<void> {
    this.#leaveTriggered();
    for (const openTerminal of this.#terminals) await openTerminal.end();
    await this.server.close();
    await this.#reservation?.release();
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }

  /** What was typed and set counts as used, though no process of ours tells it. */
  #leaveTriggered(): void {
    const settingsFiles = [join(this.home, "settings.json")];
    const calls = this.#terminals.flatMap(({ entered }) => entered).filter((line) => /^(?:pith\b|\/[a-z])/.test(line));
    for (const line of calls)
      recordTriggered({
        args: line.startsWith("/") ? [line] : line.split(/\s+/).slice(1),
        code: 0,
        out: "",
        settingsFiles,
      });
  }

  #variables(): Readonly<Record<string, string>> {
    const { isKeyless, variables } = this.#options;
    return {
      PATH: `${join(this.root, "bin")}:${process.env.PATH}`,
      HOME: join(this.root, "user"),
      LANG: "C.UTF-8",
      ANTHROPIC_BASE_URL: this.server.url,
      ...(!isKeyless && { ANTHROPIC_API_KEY: "any" }),
      ...variables,
    };
  }

  #write(name: string, text: string, mode = 0o644): void {
    const path = join(this.root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode });
  }
}

/** The footer: the program has drawn itself. */
const READY = /claude|qwen|Choose a provider/;

function listFiles({ settings, files = {}, homeFiles = {} }: TestWorkspaceOptions): Readonly<Record<string, string>> {
  const own = [
    ...Object.entries(files).map(([name, text]) => [`work/${name}`, text]),
    ...Object.entries(homeFiles).map(([name, text]) => [`user/.pith/${name}`, text]),
  ];
  return {
    "user/.keep": "",
    ...(settings && { "user/.pith/settings.json": JSON.stringify(settings) }),
    ...Object.fromEntries(own),
  };
}

/** Leaves its number behind, for who wants to kill it. */
function createLauncher(root: string, path: string): string {
  return `#!/bin/sh\necho $$ > ${root}/pid\nexec ${process.execPath} ${path} "$@"\n`;
}

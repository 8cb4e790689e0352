/** What a scenario stands on: an empty home, a folder to work in, a scripted model, and the program in a real terminal. */

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Script, type ServerOptions, startServer, type TestServer } from "@pith/testkit";
import { findBuiltProgram } from "../../test/built-program.ts";
import { leaveTriggered } from "../../test/inventory/triggered.ts";
import { reserveLocalModelPort } from "../../test/local-model-port.ts";
import { Tmux } from "./tmux.ts";

export interface GroundWish {
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

export class Ground {
  readonly place: string = mkdtempSync(join(tmpdir(), "pith-e2e-"));
  readonly folder: string = join(this.place, "work");
  readonly home: string = join(this.place, "user/.pith");
  readonly server: TestServer;
  readonly #wish: GroundWish;
  readonly #terminals: Tmux[] = [];
  readonly #reservation: Reservation | null;

  private constructor(wish: GroundWish, server: TestServer, reservation: Reservation | null) {
    this.#wish = wish;
    this.#reservation = reservation;
    this.server = server;
  }

  static async make(wish: GroundWish): Promise<Ground> {
    const reservation = wish.server?.port === undefined ? null : await reserveLocalModelPort();
    const ground = new Ground(wish, await startServer({ ...wish.server, script: wish.script }), reservation);
    for (const [name, text] of Object.entries({ "work/.keep": "", ...filesOf(wish) })) ground.#write(name, text);
    ground.#write("bin/pith", wrapper(ground.place, wish.program ?? findBuiltProgram()), 0o755);
    return ground;
  }

  /** A terminal with a shell in it. */
  async terminal(): Promise<Tmux> {
    const { columns = 80, rows = 24 } = this.#wish;
    const tmux = await Tmux.start({
      folder: this.place,
      cwd: this.folder,
      columns,
      rows,
      variables: this.#variables(),
    });
    this.#terminals.push(tmux);
    return tmux;
  }

  /** The program in a terminal of its own, as far as where one types. */
  async pith(args = ""): Promise<Tmux> {
    const tmux = await this.terminal();
    await tmux.enter(`pith ${args}`.trim());
    await tmux.waitFor(READY);
    return tmux;
  }

  /** Of the program that was started last. */
  get pid(): number {
    return Number(readFileSync(join(this.place, "pid"), "utf8"));
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), "utf8");
  }

  /** What the model was sent last with these words in it; a request is known once it has its answer. */
  async sent(words: string): Promise<string> {
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

  async clear(): Promise<void> {
    this.#leaveTriggered();
    for (const terminal of this.#terminals) await terminal.end();
    await this.server.close();
    await this.#reservation?.release();
    rmSync(this.place, { recursive: true, force: true, maxRetries: 5 });
  }

  /** What was typed and set counts as used, though no process of ours tells it. */
  #leaveTriggered(): void {
    const settingsFiles = [join(this.home, "settings.json")];
    const calls = this.#terminals.flatMap(({ entered }) => entered).filter((line) => /^(?:pith\b|\/[a-z])/.test(line));
    for (const line of calls)
      leaveTriggered({
        args: line.startsWith("/") ? [line] : line.split(/\s+/).slice(1),
        code: 0,
        out: "",
        settingsFiles,
      });
  }

  #variables(): Readonly<Record<string, string>> {
    const { isKeyless, variables } = this.#wish;
    return {
      PATH: `${join(this.place, "bin")}:${process.env.PATH}`,
      HOME: join(this.place, "user"),
      LANG: "C.UTF-8",
      ANTHROPIC_BASE_URL: this.server.url,
      ...(!isKeyless && { ANTHROPIC_API_KEY: "any" }),
      ...variables,
    };
  }

  #write(name: string, text: string, mode = 0o644): void {
    const path = join(this.place, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode });
  }
}

/** The footer: the program has drawn itself. */
const READY = /claude|qwen|Choose a provider/;

function filesOf({ settings, files = {}, homeFiles = {} }: GroundWish): Readonly<Record<string, string>> {
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
function wrapper(place: string, path: string): string {
  return `#!/bin/sh\necho $$ > ${place}/pid\nexec ${process.execPath} ${path} "$@"\n`;
}

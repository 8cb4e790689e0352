/** Runs the built program against a test server in a process of its own, and measures its time, memory, CPU and how long it takes to stop. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Step } from "@pith/testkit";
import { findBuiltProgram } from "../support/built-program.ts";

export interface Measured {
  readonly code: number | null;
  readonly out: string;
  readonly notes: string;
  readonly seconds: number;
  readonly cpuMs: number;
  readonly peakMb: number;
}

/** A folder, a home and a server process for one measurement. */
export class MeasuredProgram {
  readonly folder: string = mkdtempSync(join(tmpdir(), "pith-bounds-"));
  readonly home: string = join(this.folder, "home");
  readonly work: string = mkdtempSync(join(tmpdir(), "pith-bounds-work-"));
  #server: { readonly child: ChildProcess; readonly url: string } | null = null;

  async serve(steps: readonly Step[]): Promise<void> {
    this.#server?.child.kill();
    const script = join(this.folder, "script.json");
    writeFileSync(script, JSON.stringify(steps));
    const child = spawn(process.execPath, [SERVER, script, "--with-parent"], { stdio: ["pipe", "pipe", "inherit"] });
    const url = await new Promise<string>((resolve, reject) => {
      child.once("exit", (code) => reject(new Error(`the test server ended with ${code}`)));
      child.stdout?.once("data", (output: Buffer) => resolve(/http:\S+/.exec(output.toString())?.[0] ?? ""));
    });
    this.#server = { child, url };
  }

  get url(): string {
    return this.#server?.url ?? "";
  }

  /** Not waited for: whoever starts it talks to it. Killed after `mostMs`. */
  async start(args: readonly string[], mostMs = 60_000): Promise<{ child: ChildProcess; ended: Promise<Measured> }> {
    const figures = join(this.folder, `figures-${Math.random().toString(36).slice(2)}.json`);
    const bin = process.env.PITH_BOUNDS_PROGRAM ?? findBuiltProgram();
    const begun = performance.now();
    const child = spawn(process.execPath, ["--import", PRELOAD, bin, ...args], {
      cwd: this.work,
      env: { ...this.#variables(), PITH_FIGURES: figures },
      stdio: ["pipe", "pipe", "pipe"],
    });
    const kill = setTimeout(() => child.kill("SIGKILL"), mostMs);
    const peak = watchPeak(child);
    const [out, notes] = [gather(child.stdout), gather(child.stderr)];
    const ended = new Promise<Measured>((resolve) =>
      child.once("close", (code) => {
        clearTimeout(kill);
        const seconds = (performance.now() - begun) / 1000;
        resolve({
          code,
          out: out(),
          notes: notes(),
          seconds,
          ...(readFigures(figures) ?? { cpuMs: 0, peakMb: peak() }),
        });
      }),
    );
    return { child, ended };
  }

  async run(args: readonly string[], mostMs?: number): Promise<Measured> {
    const { child, ended } = await this.start(args, mostMs);
    child.stdin?.end();
    return await ended;
  }

  clear(): void {
    this.#server?.child.kill();
    for (const each of [this.folder, this.work]) rmSync(each, { recursive: true, force: true });
  }

  #variables(): Record<string, string | undefined> {
    const url = this.#server?.url ?? "";
    const keys = { ANTHROPIC_API_KEY: "any", OPENAI_API_KEY: "any", GEMINI_API_KEY: "any" };
    const addresses = { ANTHROPIC_BASE_URL: url, OPENAI_BASE_URL: `${url}/v1` };
    return { PATH: process.env.PATH, HOME: this.folder, PITH_HOME: this.home, ...keys, ...addresses };
  }
}

const SERVER = join(import.meta.dirname, "../../../testkit/src/bin.ts");
const PRELOAD = join(import.meta.dirname, "write-figures.mjs");

/** Milliseconds of CPU that a process has used so far; in steps of 10. */
function cpuOf({ pid }: ChildProcess): number {
  const [, after = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const fields = after.split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** For a process that is killed and leaves no figures: what was seen of it. */
function watchPeak({ pid }: ChildProcess): () => number {
  let peak = 0;
  const timer = setInterval(() => {
    try {
      const [, kb = "0"] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
      peak = Math.max(peak, Number(kb) / 1024);
    } catch {
      // It has ended.
      clearInterval(timer);
    }
  }, 100);
  timer.unref();
  return () => Math.round(peak);
}

function gather(stream: ChildProcess["stdout"]): () => string {
  const pieces: Buffer[] = [];
  stream?.on("data", (piece: Buffer) => pieces.push(piece));
  return () => Buffer.concat(pieces).toString();
}

function readFigures(file: string): Pick<Measured, "cpuMs" | "peakMb"> | null {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    // It was killed.
    return null;
  }
}

export interface StopTime {
  /** From the abort to `agent_settled`, as the client sees it. */
  readonly wallMs: number;
  /** What the program has worked in that time; in steps of 10. */
  readonly cpuMs: number;
  /** Bytes that the program had written before the abort. */
  readonly bytesRead: number;
}

/** Aborts once the program has written so many bytes of events. */
export async function measureStop(
  step: Step,
  { model, afterBytes }: { model: string; afterBytes: number },
): Promise<StopTime> {
  const program = new MeasuredProgram();
  try {
    await program.serve([step]);
    const { child, ended } = await program.start(["--mode", "rpc", "--model", model]);
    let bytesRead = 0;
    let aborted: { readonly at: number; readonly cpu: number } | null = null;
    // Little work here: a client that reads slowly would be measured instead.
    let tail: Buffer = Buffer.alloc(0);
    const stopped = new Promise<StopTime>((resolve, reject) => {
      void ended.then(({ code, notes }) => reject(new Error(`the program ended with ${code}: ${notes}`)));
      child.stdout?.on("data", (chunk: Buffer) => {
        bytesRead += chunk.length;
        if (!aborted && bytesRead >= afterBytes) {
          aborted = { at: performance.now(), cpu: cpuOf(child) };
          child.stdin?.write(`${JSON.stringify({ type: "abort" })}\n`);
        }
        const isSettled = aborted !== null && Buffer.concat([tail, chunk]).includes(SETTLED);
        tail = chunk.subarray(-SETTLED.length);
        if (aborted && isSettled)
          resolve({ wallMs: performance.now() - aborted.at, cpuMs: cpuOf(child) - aborted.cpu, bytesRead });
      });
    });
    child.stdin?.write(`${JSON.stringify({ type: "prompt", message: "go" })}\n`);
    const time = await stopped;
    child.stdin?.end();
    await ended;
    return time;
  } finally {
    program.clear();
  }
}

const SETTLED = '"type":"agent_settled"';

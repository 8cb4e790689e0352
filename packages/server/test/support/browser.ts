/** Opens a page in Chromium and looks into it over the DevTools protocol. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import type { Readable } from "node:stream";
import { onTestFinished } from "vitest";

/** A page of a browser that ends with the test. */
export interface Page {
  /** Evaluates an expression in the page, and waits for its promise. */
  evaluate<Value>(expression: string): Promise<Value>;
  open(url: string): Promise<void>;
  /** Errors that the page threw. */
  readonly errors: readonly string[];
}

const PROGRAMS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export async function openPage(): Promise<Page> {
  const program = PROGRAMS.find((path) => existsSync(path));
  if (!program) throw new Error("Chromium is not installed; install Debian's package chromium");
  const profile = mkdtempSync("/var/tmp/pith-chromium-");
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"];
  const flagsOfNetwork = ["--disable-background-networking", "--no-proxy-server", "--remote-debugging-port=0"];
  const browser = spawn(program, [...flags, ...flagsOfNetwork, `--user-data-dir=${profile}`, "about:blank"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(browser, "exit");
  onTestFinished(async () => {
    browser.kill("SIGKILL");
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  });
  const port = await readPort(browser.stderr);
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as readonly Target[];
  const target = targets.find(({ type }) => type === "page");
  if (!target) throw new Error("Chromium has no page");
  return await connectPage(target.webSocketDebuggerUrl);
}

/** Chromium prints where it listens. */
async function readPort(output: Readable): Promise<string> {
  let text = "";
  return await new Promise((resolve, reject) => {
    output.on("data", (chunk) => {
      text += String(chunk);
      const [, port] = /DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)\//.exec(text) ?? [];
      if (port !== undefined) resolve(port);
    });
    output.once("end", () => reject(new Error(`Chromium ended: ${text}`)));
  });
}

interface Target {
  readonly type: string;
  readonly webSocketDebuggerUrl: string;
}

interface Answer {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly exceptionDetails?: { readonly exception?: { readonly description?: string } } };
  readonly result?: {
    readonly result?: { readonly value?: unknown };
    readonly exceptionDetails?: { readonly text: string };
  };
}

async function connectPage(url: string): Promise<Page> {
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  const waiting = new Map<number, (answer: Answer) => void>();
  const errors: string[] = [];
  let lastId = 0;
  socket.onmessage = ({ data }) => {
    const answer = JSON.parse(String(data)) as Answer;
    if (answer.id !== undefined) waiting.get(answer.id)?.(answer);
    if (answer.method === "Runtime.exceptionThrown")
      errors.push(answer.params?.exceptionDetails?.exception?.description ?? "an error");
  };
  const send = (method: string, params: object = {}): Promise<Answer> => {
    lastId += 1;
    const id = lastId;
    socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve) => waiting.set(id, resolve));
  };
  await send("Runtime.enable");
  await send("Page.enable");
  return {
    errors,
    open: async (address) => void (await send("Page.navigate", { url: address })),
    evaluate: async <Value>(expression: string) => {
      const { result } = await send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
      if (result?.exceptionDetails) throw new Error(`${expression}: ${result.exceptionDetails.text}`);
      return result?.result?.value as Value;
    },
  };
}

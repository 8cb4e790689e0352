/** Runs the `pith-testkit` command: starts the server and stops it on Ctrl-C, on SIGTERM or with its parent. */

import { appendFileSync, readFileSync } from "node:fs";
import type { Script } from "../script.ts";
import { type ServerParts, startServer } from "../server/server.ts";
import { help, version, type Wish, wished } from "./args.ts";
import { readScript } from "./read-script.ts";

export function greeting(url: string): string {
  return `pith-testkit listens at ${url}

  Anthropic Messages                   ANTHROPIC_BASE_URL=${url}
  OpenAI Responses, Chat Completions   OPENAI_BASE_URL=${url}/v1
  Google generateContent               GOOGLE_GEMINI_BASE_URL=${url}

  In the AI SDK, baseURL is ${url}/v1, for Google ${url}/v1beta.
  Any key will do, but there must be one. Ctrl-C ends it.
`;
}

/** The status with which the process ends. */
export async function run(words: readonly string[]): Promise<number> {
  const wish = wished(words);
  if (wish.type === "help") return told(help, 0);
  if (wish.type === "version") return told(`${version()}\n`, 0);
  if (wish.type === "wrong") return complained([wish.why, "pith-testkit --help shows what can be said."]);
  const script = scriptOf(wish);
  if ("faults" in script) return complained(script.faults);
  return serve({ ...wish.parts, script: script.script }, wish);
}

type Found = { readonly script: Script } | { readonly faults: readonly string[] };

function scriptOf({ file }: Extract<Wish, { type: "serve" }>): Found {
  if (file === undefined) return { script: ({ text }) => `You said: ${text}` };
  try {
    return readScript(readFileSync(file, "utf8"));
  } catch (error) {
    return { faults: [`The script cannot be read: ${(error as Error).message}`] };
  }
}

async function serve(parts: ServerParts, { withParent }: { readonly withParent: boolean }): Promise<number> {
  const unwritable = logFault(parts.log);
  if (unwritable !== null) return complained([unwritable]);
  const started = await startServer(parts).catch((error: Error) => error);
  if (started instanceof Error) return complained([`The server cannot start: ${started.message}`]);
  process.stdout.write(greeting(started.url));
  await toldToStop(withParent ? process.stdin : null);
  await started.close();
  return 0;
}

function logFault(file: string | undefined): string | null {
  try {
    if (file !== undefined) appendFileSync(file, "");
    return null;
  } catch (error) {
    return `The log cannot be written to ${file}: ${(error as Error).message}.`;
  }
}

/** Ctrl-C, SIGTERM, or the end of what the parent would say. */
function toldToStop(parent: NodeJS.ReadStream | null): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      parent?.destroy();
      resolve();
    };
    process.once("SIGINT", stop).once("SIGTERM", stop);
    parent?.once("end", stop).once("close", stop).once("error", stop).resume();
  });
}

function told(text: string, status: number): number {
  process.stdout.write(text);
  return status;
}

function complained(lines: readonly string[]): number {
  process.stderr.write(`${lines.join("\n")}\n`);
  return 2;
}

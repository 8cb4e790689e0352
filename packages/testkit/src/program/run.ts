/** From the words on the command line to a server that listens until it is told to stop. */

import { appendFileSync, readFileSync } from "node:fs";
import type { Script } from "../script.ts";
import { type ServerParts, startServer } from "../serving/server.ts";
import { greeting } from "./greeting.ts";
import { help } from "./help.ts";
import { readScript } from "./read-script.ts";
import { version } from "./version.ts";
import { type Wish, wished } from "./wish.ts";

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

/** Runs the `pith-testkit` command: starts the server and stops it on Ctrl-C, on SIGTERM or with its parent. */

import { appendFileSync, readFileSync } from "node:fs";
import type { Script } from "../script.ts";
import { type ServerOptions, startServer } from "../server/server.ts";
import { type CliCommand, helpText, parseCliArgs, readVersion } from "./args.ts";
import { parseScript } from "./read-script.ts";

/** Returns the exit status of the process. */
export async function runCli(args: readonly string[]): Promise<number> {
  const command = parseCliArgs(args);
  if (command.type === "help") return printAndExit(helpText, 0);
  if (command.type === "version") return printAndExit(`${readVersion()}\n`, 0);
  if (command.type === "usage-error") return printErrors([command.message, "Run pith-testkit --help for usage."]);
  const script = loadScript(command);
  if ("faults" in script) return printErrors(script.faults);
  return runServer({ ...command.options, script: script.script }, command);
}

function printAndExit(text: string, status: number): number {
  process.stdout.write(text);
  return status;
}

function printErrors(lines: readonly string[]): number {
  process.stderr.write(`${lines.join("\n")}\n`);
  return 2;
}

type ScriptResult = { readonly script: Script } | { readonly faults: readonly string[] };

function loadScript({ scriptFile }: Extract<CliCommand, { type: "serve" }>): ScriptResult {
  if (scriptFile === undefined) return { script: ({ text }) => `You said: ${text}` };
  try {
    return parseScript(readFileSync(scriptFile, "utf8"));
  } catch (error) {
    return { faults: [`The script cannot be read: ${(error as Error).message}`] };
  }
}

async function runServer(
  options: ServerOptions,
  { endsWithParent }: { readonly endsWithParent: boolean },
): Promise<number> {
  const logError = checkLogFile(options.log);
  if (logError !== null) return printErrors([logError]);
  const server = await startServer(options).catch((error: Error) => error);
  if (server instanceof Error) return printErrors([`The server cannot start: ${server.message}`]);
  process.stdout.write(formatGreeting(server.url));
  await waitForStop(endsWithParent ? process.stdin : null);
  await server.close();
  return 0;
}

function checkLogFile(file: string | undefined): string | null {
  try {
    if (file !== undefined) appendFileSync(file, "");
    return null;
  } catch (error) {
    return `The log cannot be written to ${file}: ${(error as Error).message}.`;
  }
}

function formatGreeting(url: string): string {
  return `pith-testkit is listening on ${url}

  Anthropic Messages                   ANTHROPIC_BASE_URL=${url}
  OpenAI Responses, Chat Completions   OPENAI_BASE_URL=${url}/v1
  Google generateContent               GOOGLE_GEMINI_BASE_URL=${url}

  In the AI SDK, baseURL is ${url}/v1, for Google ${url}/v1beta.
  Set any non-empty API key. Stop with Ctrl-C.
`;
}

/** Waits for Ctrl-C, for SIGTERM, or for the end of the parent's stream. */
function waitForStop(parent: NodeJS.ReadStream | null): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      parent?.destroy();
      resolve();
    };
    process.once("SIGINT", stop).once("SIGTERM", stop);
    parent?.once("end", stop).once("close", stop).once("error", stop).resume();
  });
}

/** Runs a program that answers requests over a line protocol: one JSON object in, one JSON object out. */

import { spawn } from "node:child_process";

export interface Worker {
  request(command: { readonly op: string } & Readonly<Record<string, unknown>>): Promise<unknown>;
  /** Closes the program's stdin, which ends it. */
  stop(afterwards?: () => void): void;
}

/** Send one request at a time, and stop the worker at the end. */
export function startWorker(
  name: string,
  [program = "", ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
): Worker {
  const child = spawn(program, args, { env, stdio: ["pipe", "pipe", "inherit"] });
  const responses = readLines(child.stdout.setEncoding("utf8"));
  return {
    async request(command) {
      child.stdin.write(`${JSON.stringify(command)}\n`);
      const { value, done } = await responses.next();
      if (done) throw new Error(`${name} exited before it answered "${command.op}"`);
      const answer = JSON.parse(value) as { ok?: unknown; error?: string };
      if (answer.error !== undefined) throw new Error(`${name} failed to run "${command.op}": ${answer.error}`);
      return answer.ok;
    },
    stop(afterwards = () => undefined) {
      child.stdin.end();
      child.on("close", afterwards);
    },
  };
}

// Not readline, which also splits lines at U+2028, and JSON does not escape that character.
async function* readLines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let buffered: string[] = [];
  for await (const chunk of chunks) {
    const [end = "", ...more] = chunk.split("\n");
    buffered.push(end);
    for (const start of more) {
      yield buffered.join("");
      buffered = [start];
    }
  }
}

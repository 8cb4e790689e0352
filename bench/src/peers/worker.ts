/** Runs a program that answers questions on a line protocol: one JSON object in, one JSON object out. */

import { spawn } from "node:child_process";

export interface Worker {
  request(question: { readonly op: string } & Readonly<Record<string, unknown>>): Promise<unknown>;
  /** The program ends by itself once nobody can ask it any more. */
  stop(afterwards?: () => void): void;
}

/** Ask it one thing at a time, and end it. */
export function startWorker(
  name: string,
  [program = "", ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
): Worker {
  const child = spawn(program, args, { env, stdio: ["pipe", "pipe", "inherit"] });
  const responses = readLines(child.stdout.setEncoding("utf8"));
  return {
    async request(question) {
      child.stdin.write(`${JSON.stringify(question)}\n`);
      const { value, done } = await responses.next();
      if (done) throw new Error(`${name} ended before it answered "${question.op}"`);
      const answer = JSON.parse(value) as { ok?: unknown; error?: string };
      if (answer.error !== undefined) throw new Error(`${name} could not do "${question.op}": ${answer.error}`);
      return answer.ok;
    },
    stop(afterwards = () => undefined) {
      child.stdin.end();
      child.on("close", afterwards);
    },
  };
}

// Not readline: it also ends lines at U+2028, which JSON leaves as it is.
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

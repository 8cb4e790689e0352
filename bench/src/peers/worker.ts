/** Runs a program that answers questions on a line protocol: one JSON object in, one JSON object out. */

import { spawn } from "node:child_process";

export interface Worker {
  ask(question: { readonly op: string } & Readonly<Record<string, unknown>>): Promise<unknown>;
  /** The program ends by itself once nobody can ask it any more. */
  end(afterwards?: () => void): void;
}

/** Ask it one thing at a time, and end it. */
export function startWorker(
  name: string,
  [program = "", ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
): Worker {
  const child = spawn(program, args, { env, stdio: ["pipe", "pipe", "inherit"] });
  const answers = lines(child.stdout.setEncoding("utf8"));
  return {
    async ask(question) {
      child.stdin.write(`${JSON.stringify(question)}\n`);
      const { value, done } = await answers.next();
      if (done) throw new Error(`${name} ended before it answered "${question.op}"`);
      const answer = JSON.parse(value) as { ok?: unknown; error?: string };
      if (answer.error !== undefined) throw new Error(`${name} could not do "${question.op}": ${answer.error}`);
      return answer.ok;
    },
    end(afterwards = () => undefined) {
      child.stdin.end();
      child.on("close", afterwards);
    },
  };
}

// Not readline: it also ends lines at U+2028, which JSON leaves as it is.
async function* lines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let started: string[] = [];
  for await (const chunk of chunks) {
    const [end = "", ...more] = chunk.split("\n");
    started.push(end);
    for (const begin of more) {
      yield started.join("");
      started = [begin];
    }
  }
}

/** pi 1.5.0 as a peer to compare with: fetched at run time into an ignored folder, run in a network namespace of its own. */

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { piBundle, piPlanning } from "./pi-bundle.ts";
import { withoutNetwork } from "./without-network.ts";

/** It sends nothing home, and does not look for newer versions. */
export const quiet: Readonly<Record<string, string>> = {
  PATH: process.env.PATH ?? "",
  PI_OFFLINE: "1",
  PI_TELEMETRY: "0",
  PI_SKIP_VERSION_CHECK: "1",
};

export interface Pi {
  ask(command: { readonly op: string } & Readonly<Record<string, unknown>>): Promise<unknown>;
  end(): void;
}

/** A running pi; ask it one thing at a time, and end it. */
export function startPi(): Pi {
  const home = mkdtempSync(join(tmpdir(), "pith-pi-home-"));
  const [command = "", ...args] = [
    ...withoutNetwork(),
    process.execPath,
    join(import.meta.dirname, "pi-worker.mjs"),
    piBundle(),
    piPlanning(),
  ];
  const env = { ...quiet, HOME: home };
  const child = spawn(command, args, { env, stdio: ["pipe", "pipe", "inherit"] });
  const answers = lines(child.stdout.setEncoding("utf8"));
  return {
    async ask(question) {
      child.stdin.write(`${JSON.stringify(question)}\n`);
      const { value, done } = await answers.next();
      if (done) throw new Error(`pi ended before it answered "${question.op}"`);
      const answer = JSON.parse(value) as { ok?: unknown; error?: string };
      if (answer.error !== undefined) throw new Error(`pi could not do "${question.op}": ${answer.error}`);
      return answer.ok;
    },
    end() {
      child.stdin.end();
      child.on("close", () => rmSync(home, { recursive: true, force: true }));
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

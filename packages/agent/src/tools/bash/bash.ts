/** Defines the `bash` tool: runs a command and reports its result, or starts it as a background job. */

import type { Redaction } from "@pith/context";
import { unlessAborted } from "../../async.ts";
import type { Blobs, WorkspaceShell } from "../../ports.ts";
import type { Intent, Tool, ToolCall, ToolOutput } from "../../tool.ts";
import { failed, type OutputLimit, outputLimit } from "../output.ts";
import { Said } from "./command-output.ts";
import { type Command, plainBash, sandboxedBash, type Wish, wishOf } from "./input.ts";
import { type Job, type JobParts, Jobs, throttled } from "./jobs.ts";
import { answer, type Sandbox } from "./result.ts";

export interface BashTool extends Tool {
  readonly intent: (asked: Readonly<Record<string, unknown>>) => Intent;
  /** A line for each job that has not ended. */
  readonly ongoing: () => string | null;
  /** Ends every job; to be called when the agent goes. */
  dispose(): Promise<void>;
}

export interface BashParts {
  /** Given where the shell is one. */
  readonly sandbox?: Sandbox | undefined;
  /** Where the whole of a long output is kept. */
  readonly blobs?: Blobs | undefined;
  readonly outputLimit?: OutputLimit;
  /** What is told of a command passes it. */
  readonly redaction?: Redaction | undefined;
}

const UPDATE_EVERY_MS = 100;
const UPDATE_BYTES = 4_096;
const MOST_JOBS = 16;
const LONGEST_LINE = 200;
/** Of the room for an answer: what goes to the end of an output, and what to everything around it. */
const TAIL_OF_ROOM = 25 / 26;
const ROOM_FOR_NOTES = 800;
const LEAST_BYTES = 512;

/** Output is bounded by `outputLimit` and by the room of the call; the beginning takes a small part of it and the end the rest. */
export function bashTool(shell: WorkspaceShell, parts: BashParts = {}): BashTool {
  const { sandbox, redaction } = parts;
  const jobs = new Jobs();
  return {
    name: "bash",
    ...(sandbox ? sandboxedBash : plainBash),
    isIdempotent: false,
    intent: (asked) => intentOf(wishOf(asked), sandbox),
    ongoing: () =>
      jobs
        .running()
        .map((job) => lineOn(job, redaction))
        .join("\n") || null,
    run: async (call) => {
      const wish = wishOf(call.arguments);
      switch (wish.type) {
        case "wrong":
          return failed(wish.message);
        case "run":
          return run(wish, call, placeFor(wish, call, { shell, ...parts }));
        case "start":
          return start(wish, jobs, placeFor(wish, call, { shell, ...parts }));
        case "look":
          return look(wish, call, jobs);
      }
    },
    dispose: () => jobs.dispose(),
  };
}

function intentOf(wish: Wish, sandbox: Sandbox | undefined): Intent {
  if (wish.type !== "run" && wish.type !== "start") return { type: "nothing" };
  const isConfined = sandbox !== undefined && !wish.isOutside;
  const isOutside = sandbox !== undefined && wish.isOutside;
  return { type: "command", command: wish.command, isConfined, ...(isOutside && { isOutside }) };
}

interface PlaceParts extends BashParts {
  readonly shell: WorkspaceShell;
}

function placeFor({ isOutside }: Command, { room }: ToolCall, parts: PlaceParts): JobParts {
  const { shell, sandbox, blobs, outputLimit: { lines, bytes } = outputLimit } = parts;
  const roomy = Math.max(LEAST_BYTES, Math.floor((room - ROOM_FOR_NOTES) * TAIL_OF_ROOM));
  const said = new Said({ limit: { lines, bytes: Math.min(bytes, roomy) }, blobs });
  if (sandbox && isOutside) return { shell: sandbox.unconfined, sandbox: null, said };
  return { shell, sandbox: sandbox ?? null, said };
}

async function run({ command, timeoutMs }: Command, call: ToolCall, place: JobParts): Promise<ToolOutput> {
  const { shell, sandbox, said } = place;
  const updates = throttled(() => call.update(said.newest(UPDATE_BYTES)), UPDATE_EVERY_MS);
  const output = (chunk: Uint8Array): void => {
    said.write(chunk);
    updates.ask();
  };
  const timeout = timeoutMs === undefined ? {} : { timeoutMs };
  try {
    const end = await shell.run(command, { signal: call.signal, output, ...timeout }).finally(updates.stop);
    return await answer({ said, end, sandbox });
  } finally {
    said.drop();
  }
}

function start(command: Command, jobs: Jobs, place: JobParts): ToolOutput {
  const running = jobs.running();
  if (running.length >= MOST_JOBS)
    return failed(`${running.length} jobs are running; end one of ${running.map(({ id }) => id).join(", ")} first`);
  const { id, sandbox } = jobs.start(command, place);
  return {
    content: [{ type: "text", text: `${id} has started` }],
    details: { job: id, sandboxed: sandbox !== null },
  };
}

async function look(wish: Extract<Wish, { type: "look" }>, call: ToolCall, jobs: Jobs): Promise<ToolOutput> {
  const job = jobs.find(wish.job);
  if (!job) return failed(`there is no ${wish.job}: no job of that name was started since the agent was`);
  if (wish.isToEnd) job.stop();
  if (wish.isToEnd) await job.ended;
  else await endOrTimeOver(job, wish.waitMs, call.signal);
  return answer({ said: job.said, end: job.end, sandbox: job.sandbox, job: job.id });
}

/** The job goes on when the wait is broken off. */
async function endOrTimeOver({ ended }: Job, waitMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted || waitMs === 0) return;
  const timeOver = Promise.withResolvers<void>();
  const timer = setTimeout(timeOver.resolve, waitMs);
  await unlessAborted(Promise.race([ended, timeOver.promise]), signal);
  clearTimeout(timer);
}

function lineOn({ id, command }: Job, redaction: Redaction | undefined): string {
  const line = (redaction?.redacted(command) ?? command).replaceAll(/\s+/g, " ").trim();
  return `${id} is running: ${line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line}`;
}

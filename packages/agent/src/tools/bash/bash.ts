/** The tool `bash`: runs a command and says what came of it, or starts it as a job and looks after it. */

import type { Tool, ToolCall, ToolOutput } from "../../tool.ts";
import type { WorkspaceShell } from "../../workspace.ts";
import { answer, refusal } from "./answer.ts";
import { description, parameters } from "./description.ts";
import type { OutputLimit } from "./excerpt.ts";
import { type Job, Jobs } from "./jobs.ts";
import { Screen } from "./screen.ts";
import { throttled } from "./throttled.ts";
import { type Command, type Wish, wishOf } from "./wish.ts";

export interface BashTool extends Tool {
  /** The jobs that have not ended, for whoever keeps the model aware of them. */
  running(): readonly Pick<Job, "id" | "command">[];
  /** Ends every job; to be called when the agent goes. */
  dispose(): Promise<void>;
}

export interface BashParts {
  readonly outputLimit?: OutputLimit;
}

export const bashOutputLimit: OutputLimit = { lines: 2_000, bytes: 50 * 1_024 };

const UPDATE_EVERY_MS = 100;
const UPDATE_BYTES = 4_096;
const MOST_JOBS = 16;

/** Output is bounded by `outputLimit`, of which the beginning takes a small part and the end the rest. */
export function bashTool(shell: WorkspaceShell, { outputLimit = bashOutputLimit }: BashParts = {}): BashTool {
  const jobs = new Jobs(shell, outputLimit);
  return {
    name: "bash",
    description,
    parameters,
    isIdempotent: false,
    run: async (call) => {
      const wish = wishOf(call.arguments);
      switch (wish.type) {
        case "refused":
          return refusal(wish.message);
        case "run":
          return run(wish, call, { shell, outputLimit });
        case "start":
          return start(wish, jobs);
        case "look":
          return look(wish, call, jobs);
      }
    },
    running: () => jobs.running().map(({ id, command }) => ({ id, command })),
    dispose: () => jobs.dispose(),
  };
}

interface RunParts {
  readonly shell: WorkspaceShell;
  readonly outputLimit: OutputLimit;
}

async function run({ command, timeoutMs }: Command, call: ToolCall, parts: RunParts): Promise<ToolOutput> {
  const screen = new Screen(parts.outputLimit);
  const updates = throttled(() => call.update(screen.newest(UPDATE_BYTES)), UPDATE_EVERY_MS);
  const output = (chunk: Uint8Array): void => {
    screen.write(chunk);
    updates.ask();
  };
  const timeout = timeoutMs === undefined ? {} : { timeoutMs };
  const end = await parts.shell.run(command, { signal: call.signal, output, ...timeout }).finally(updates.stop);
  return answer({ screen, end });
}

function start(command: Command, jobs: Jobs): ToolOutput {
  const running = jobs.running();
  if (running.length >= MOST_JOBS)
    return refusal(`${running.length} jobs are running; end one of ${running.map(({ id }) => id).join(", ")} first`);
  const { id } = jobs.start(command);
  return { content: [{ type: "text", text: `${id} has started` }], details: { job: id } };
}

async function look(wish: Extract<Wish, { type: "look" }>, call: ToolCall, jobs: Jobs): Promise<ToolOutput> {
  const job = jobs.find(wish.job);
  if (!job) return refusal(`there is no ${wish.job}: no job of that name was started since the agent was`);
  if (wish.isToEnd) job.stop();
  if (wish.isToEnd) await job.ended;
  else await endOrTimeOver(job, wish.waitMs, call.signal);
  return answer({ screen: job.screen, end: job.end, job: job.id });
}

/** The job goes on when the wait is broken off. */
async function endOrTimeOver({ ended }: Job, waitMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted || waitMs === 0) return;
  const waiting = Promise.withResolvers<void>();
  const timer = setTimeout(waiting.resolve, waitMs);
  const breakOff = (): void => waiting.resolve();
  signal.addEventListener("abort", breakOff);
  await Promise.race([ended, waiting.promise]);
  clearTimeout(timer);
  signal.removeEventListener("abort", breakOff);
}

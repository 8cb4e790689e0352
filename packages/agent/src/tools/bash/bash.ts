/** Defines the `bash` tool: runs a command and reports its result, or starts it as a background job. */

import type { Redaction } from "@pith/context";
import { unlessAborted } from "../../async.ts";
import type { Blobs, NetworkConnection, WorkspaceShell } from "../../ports.ts";
import type { Intent, Tool, ToolCall, ToolOutput } from "../../tool.ts";
import { failed, type OutputLimit, outputLimit } from "../output.ts";
import { Said } from "./command-output.ts";
import { grantSecrets, type SecretSource } from "./command-secrets.ts";
import { Connections } from "./connections.ts";
import { type Command, describeBash, type Wish, wishOf } from "./input.ts";
import { type Job, type JobParts, Jobs, type Launch, throttled } from "./jobs.ts";
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
  /** Where the secrets come from that a command asks for; absent: it gets none. */
  readonly secrets?: SecretSource | undefined;
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
    ...describeBash({
      network: sandbox?.network ?? null,
      hasSecrets: parts.secrets !== undefined,
      hasPorts: sandbox?.ports !== undefined && sandbox.network !== "off",
      temporary: sandbox?.temporary ?? "/tmp",
      hasLocalhost: sandbox?.hasLocalhost ?? true,
    }),
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
        case "start": {
          const place = placeFor(wish, call, { shell, ...parts });
          const prepared = await prepare(wish, call, { ...parts, ...place });
          if (prepared.type === "refused") return failed(prepared.why);
          return wish.type === "run" ? run(prepared.launch, call, place) : start(prepared.launch, jobs, place);
        }
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
  const { command, secrets, hosts } = wish;
  return {
    ...{ type: "command", command, isConfined },
    ...(isOutside && { isOutside }),
    ...(secrets && { secrets, hosts: hosts ?? [] }),
  };
}

interface PrepareParts extends Pick<BashParts, "secrets">, Pick<JobParts, "sandbox" | "connections"> {}

type Prepared =
  | { readonly type: "prepared"; readonly launch: Launch }
  | { readonly type: "refused"; readonly why: string };

/** Opens the ports and finds the secrets that a command asks for; it is not run where one of them is refused. */
async function prepare(wish: Command, { signal }: ToolCall, parts: PrepareParts): Promise<Prepared> {
  const { command, timeoutMs, secrets, hosts = [] } = wish;
  const { sandbox, connections } = parts;
  const why = await openPorts(wish, sandbox, signal);
  if (why !== null) return { type: "refused", why };
  const launch: Launch = {
    ...{ shown: command, command },
    ...(timeoutMs !== undefined && { timeoutMs }),
    onConnection: (connection: NetworkConnection): void => connections.add(connection),
  };
  if (!secrets) return { type: "prepared", launch };
  if (!parts.secrets) return { type: "refused", why: "it was not run: no secrets can be given to commands here" };
  if (sandbox?.network === "off" && hosts.length > 0)
    return { type: "refused", why: "it was not run: the network is off, so no host can be reached" };
  const grant = await grantSecrets({ command, secrets, hosts, signal }, parts.secrets);
  if (grant.type === "refused") return grant;
  const { environment, credentialFiles } = grant;
  return { type: "prepared", launch: { ...launch, command: grant.command, environment, credentialFiles, hosts } };
}

/** Why one could not be opened; null where all are open. */
async function openPorts(
  { hostPort, publishPort }: Command,
  sandbox: Sandbox | null,
  signal: AbortSignal,
): Promise<string | null> {
  if (!sandbox || (hostPort === undefined && publishPort === undefined)) return null;
  if (!sandbox.ports) return "it was not run: no ports can be opened here";
  const reached = hostPort === undefined ? null : await sandbox.ports.reach(hostPort, { signal });
  if (reached?.type === "failed") return `it was not run: port ${hostPort} of the user's machine: ${reached.why}`;
  const published = publishPort === undefined ? null : await sandbox.ports.publish(publishPort, { signal });
  return published?.type === "failed" ? `it was not run: port ${publishPort} of the sandbox: ${published.why}` : null;
}

interface PlaceParts extends BashParts {
  readonly shell: WorkspaceShell;
}

function placeFor({ isOutside }: Command, { room }: ToolCall, parts: PlaceParts): JobParts {
  const { shell, sandbox, blobs, outputLimit: { lines, bytes } = outputLimit } = parts;
  const roomy = Math.max(LEAST_BYTES, Math.floor((room - ROOM_FOR_NOTES) * TAIL_OF_ROOM));
  const said = new Said({ limit: { lines, bytes: Math.min(bytes, roomy) }, blobs });
  const connections = new Connections();
  if (sandbox && isOutside) return { shell: sandbox.unconfined, sandbox: null, said, connections };
  return { shell, sandbox: sandbox ?? null, said, connections };
}

async function run({ command, shown: _, ...options }: Launch, call: ToolCall, place: JobParts): Promise<ToolOutput> {
  const { shell, sandbox, said, connections } = place;
  const updates = throttled(() => call.update(said.newest(UPDATE_BYTES)), UPDATE_EVERY_MS);
  const output = (chunk: Uint8Array): void => {
    said.write(chunk);
    updates.ask();
  };
  try {
    const end = await shell.run(command, { ...options, signal: call.signal, output }).finally(updates.stop);
    return await answer({ said, end, sandbox, connections });
  } finally {
    said.drop();
  }
}

function start(launch: Launch, jobs: Jobs, place: JobParts): ToolOutput {
  const running = jobs.running();
  if (running.length >= MOST_JOBS)
    return failed(`${running.length} jobs are running; end one of ${running.map(({ id }) => id).join(", ")} first`);
  const { id, sandbox } = jobs.start(launch, place);
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
  const { said, end, sandbox, connections } = job;
  return answer({ said, end, sandbox, connections, job: job.id });
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
  const line = (redaction?.redact(command) ?? command).replaceAll(/\s+/g, " ").trim();
  return `${id} is running: ${line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line}`;
}

/** Defines the `bash` tool: runs a command and reports its result, or starts it as a background job. */

import type { Redaction } from "@pith/context";
import { raceAbort, raceStop } from "../../async.ts";
import type { BlobStore, FindPathRestriction, NetworkConnection, ShellResult, WorkspaceShell } from "../../ports.ts";
import type { Intent, Tool, ToolCall, ToolOutput } from "../../tool.ts";
import { errorOutput, type OutputLimit, outputLimit } from "../tool-io.ts";
import { CommandOutput } from "./command-output.ts";
import { grantSecrets, type SecretSource } from "./command-secrets.ts";
import { type BashInput, type CommandInput, describeBash, parseBashInput } from "./input.ts";
import { type CommandLaunch, type CommandRunContext, type Job, Jobs } from "./jobs.ts";
import { buildBashResult, Connections, type Sandbox } from "./result.ts";

/** The bash tool, which also manages background jobs. */
export interface BashTool extends Tool {
  readonly intent: (args: Readonly<Record<string, unknown>>) => Intent;
  /** One line for each running job; null if there is none. */
  readonly ongoing: () => string | null;
  /** Stops every job; call it when the agent ends. */
  dispose(): Promise<void>;
}

/** Options of the bash tool. */
export interface BashToolOptions {
  /** Set if the shell is sandboxed. */
  readonly sandbox?: Sandbox | undefined;
  /** Stores the full text of long output. */
  readonly blobs?: BlobStore | undefined;
  readonly outputLimit?: OutputLimit;
  /** Applied to descriptions of running jobs. */
  readonly redaction?: Redaction | undefined;
  /** Provides secrets to commands; without it they get none. */
  readonly secrets?: SecretSource | undefined;
}

const UPDATE_INTERVAL_MS = 100;
const UPDATE_BYTES = 4_096;
const MAX_JOBS = 16;
const MAX_COMMAND_CHARS = 200;
/** The share of the result for the tail of the output, and the bytes reserved for notes. */
const TAIL_SHARE = 25 / 26;
const NOTES_BYTES = 1_600;
const MIN_BYTES = 512;

/** Creates the tool. Output is limited by `outputLimit` and by the call's `maxOutputBytes`; most of it goes to the tail. */
export function bashTool(shell: WorkspaceShell, options: BashToolOptions = {}): BashTool {
  const { sandbox, redaction } = options;
  const jobs = new Jobs();
  return {
    name: "bash",
    ...describeBash({
      network: sandbox?.network ?? null,
      hasSecrets: options.secrets !== undefined,
      hasPorts: sandbox?.ports !== undefined && sandbox.network !== "off",
      temporary: sandbox?.temporary ?? "/tmp",
      hasLocalhost: sandbox?.hasLocalhost ?? true,
    }),
    isIdempotent: false,
    intent: (args) => commandIntent(parseBashInput(args), sandbox),
    ongoing: () =>
      jobs
        .listRunning()
        .map((job) => describeJob(job, redaction))
        .join("\n") || null,
    run: async (call) => {
      const input = parseBashInput(call.arguments);
      switch (input.type) {
        case "invalid":
          return errorOutput(input.message);
        case "run":
        case "start": {
          const context = createRunContext(input, call, { shell, ...options });
          const prepared = await prepareCommand(input, call, { ...options, ...context });
          if (prepared.type === "refused") return errorOutput(prepared.why);
          return input.type === "run"
            ? runCommand(prepared.launch, call, context)
            : startBackgroundJob(prepared.launch, jobs, context);
        }
        case "job":
          return checkJob(input, call, jobs);
      }
    },
    dispose: () => jobs.dispose(),
  };
}

function commandIntent(input: BashInput, sandbox: Sandbox | undefined): Intent {
  if (input.type !== "run" && input.type !== "start") return { type: "nothing" };
  const isConfined = sandbox !== undefined && !input.isOutside;
  const isOutside = sandbox !== undefined && input.isOutside;
  const { command, secrets, hosts } = input;
  return {
    ...{ type: "command", command, isConfined },
    ...(isOutside && { isOutside }),
    ...(secrets && { secrets, hosts: hosts ?? [] }),
  };
}

type PrepareResult =
  | { readonly type: "prepared"; readonly launch: CommandLaunch }
  | { readonly type: "refused"; readonly why: string };

/** Opens the ports and gets the secrets that a command requests. If one is refused, the command does not run. */
async function prepareCommand(
  input: CommandInput,
  { signal, waitForUser = (ask) => ask() }: ToolCall,
  context: Pick<BashToolOptions, "secrets"> & Pick<CommandRunContext, "sandbox" | "connections" | "caught">,
): Promise<PrepareResult> {
  const { command, timeoutMs, secrets, hosts = [] } = input;
  const { sandbox, connections, caught } = context;
  const why = await waitForUser(() => openPorts(input, sandbox, signal));
  if (why !== null) return { type: "refused", why };
  const launch: CommandLaunch = {
    ...{ displayCommand: command, command },
    ...(timeoutMs !== undefined && { timeoutMs }),
    onConnection: (connection: NetworkConnection): void => connections.add(connection),
    onCaught: (file) => void caught.push(file),
  };
  if (!secrets) return { type: "prepared", launch };
  if (!context.secrets) return { type: "refused", why: "the command did not run: secrets are not available here" };
  if (sandbox?.network === "off" && hosts.length > 0)
    return { type: "refused", why: "the command did not run: the network is off, so it cannot reach any host" };
  const grant = await grantSecrets({ command, secrets, hosts, signal }, context.secrets);
  if (grant.type === "refused") return grant;
  const { environment, credentialFiles } = grant;
  return { type: "prepared", launch: { ...launch, command: grant.command, environment, credentialFiles, hosts } };
}

/** Why a port could not be opened; null if all are open. */
async function openPorts(
  { hostPort, publishPort }: CommandInput,
  sandbox: Sandbox | null,
  signal: AbortSignal,
): Promise<string | null> {
  if (!sandbox || (hostPort === undefined && publishPort === undefined)) return null;
  if (!sandbox.ports) return "the command did not run: ports cannot be opened here";
  const hostPortResult = hostPort === undefined ? null : await sandbox.ports.connect(hostPort, { signal });
  if (hostPortResult?.type === "failed")
    return `the command did not run: port ${hostPort} on the user's machine: ${hostPortResult.why}`;
  const publishResult = publishPort === undefined ? null : await sandbox.ports.publish(publishPort, { signal });
  return publishResult?.type === "failed"
    ? `the command did not run: sandbox port ${publishPort}: ${publishResult.why}`
    : null;
}

function createRunContext(
  { isOutside }: CommandInput,
  { maxOutputBytes }: ToolCall,
  options: BashToolOptions & { readonly shell: WorkspaceShell },
): CommandRunContext {
  const { shell, sandbox, blobs, outputLimit: { lines, bytes } = outputLimit } = options;
  const tailBytes = Math.max(MIN_BYTES, Math.floor((maxOutputBytes - NOTES_BYTES) * TAIL_SHARE));
  const commandOutput = new CommandOutput({ limit: { lines, bytes: Math.min(bytes, tailBytes) }, blobs });
  const common = { output: commandOutput, connections: new Connections(), caught: [] };
  if (sandbox && isOutside) return { shell: sandbox.unconfined, sandbox: null, ...common };
  return { shell, sandbox: sandbox ?? null, ...common };
}

async function runCommand(
  { command, displayCommand: _, ...options }: CommandLaunch,
  call: ToolCall,
  context: CommandRunContext,
): Promise<ToolOutput> {
  const { shell, sandbox, output: commandOutput, connections, caught } = context;
  const updates = createThrottle(() => call.update(commandOutput.tail(UPDATE_BYTES)), UPDATE_INTERVAL_MS);
  let isOver = false;
  let findRestriction: FindPathRestriction | null = null;
  const onSandbox = (find: FindPathRestriction): void => {
    findRestriction = find;
  };
  const onOutput = (chunk: Uint8Array): void => {
    if (isOver) return;
    commandOutput.write(chunk);
    updates.trigger();
  };
  try {
    const { signal, waitForUser } = call;
    const ended = shell.run(command, { ...options, signal, onOutput, onSandbox, waitForUser });
    const end = (await raceStop(ended, call.signal)) ?? STILL_ENDING;
    isOver = true;
    return await buildBashResult({ output: commandOutput, end, sandbox, findRestriction, connections, caught });
  } finally {
    isOver = true;
    updates.stop();
    commandOutput.discard();
  }
}

/** The end of a command whose processes take long to end after an abort. Its output so far is kept. */
const STILL_ENDING: ShellResult = { type: "killed", cause: "abort", message: "command stopped" };

/** Calls `callback` soon after `trigger()`, and at most once per interval. */
function createThrottle(callback: () => void, intervalMs: number): { trigger(): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  let isPending = false;
  const onInterval = (): void => {
    timer = undefined;
    if (isPending) trigger();
  };
  const trigger = (): void => {
    isPending = timer !== undefined;
    if (isPending) return;
    timer = setTimeout(onInterval, intervalMs);
    callback();
  };
  return { trigger, stop: () => clearTimeout(timer) };
}

function startBackgroundJob(launch: CommandLaunch, jobs: Jobs, context: CommandRunContext): ToolOutput {
  const running = jobs.listRunning();
  if (running.length >= MAX_JOBS)
    return errorOutput(
      `the job was not started: ${running.length} jobs are running; stop one of ${running.map(({ id }) => id).join(", ")} first`,
    );
  const { id, sandbox } = jobs.start(launch, context);
  return {
    content: [{ type: "text", text: `${id} has started` }],
    details: { job: id, sandboxed: sandbox !== null },
  };
}

async function checkJob(input: Extract<BashInput, { type: "job" }>, call: ToolCall, jobs: Jobs): Promise<ToolOutput> {
  const job = jobs.find(input.job);
  if (!job) return errorOutput(`no job named ${input.job}; jobs do not survive a restart of the agent`);
  if (input.shouldKill) job.stop();
  if (input.shouldKill) await job.ended;
  else await waitForJob(job, input.waitMs, call.signal);
  const { output: commandOutput, end, sandbox, findRestriction, connections, caught } = job;
  return buildBashResult({ output: commandOutput, end, sandbox, findRestriction, connections, caught, job: job.id });
}

/** Waits for the job to end. Aborting the wait does not stop the job. */
async function waitForJob({ ended }: Job, waitMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted || waitMs === 0) return;
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(timeout.resolve, waitMs);
  await raceAbort(Promise.race([ended, timeout.promise]), signal);
  clearTimeout(timer);
}

function describeJob({ id, command }: Job, redaction: Redaction | undefined): string {
  const line = (redaction?.redact(command) ?? command).replaceAll(/\s+/g, " ").trim();
  return `${id}: ${line.length > MAX_COMMAND_CHARS ? `${line.slice(0, MAX_COMMAND_CHARS)}…` : line}`;
}

/** Runs RPC mode: reads commands as JSON lines from stdin, and writes responses and events to stdout. Nothing else is written to stdout. */

import { Console } from "node:console";
import { MAX_IMAGE_SOURCE_BYTES } from "@pith/agent";
import { nodeFiles } from "@pith/agent/node";
import type { PromptResult, RpcCostEvent, RpcEvent, RpcResponse } from "@pith/client";
import type { Redaction } from "@pith/context";
import { noRedaction } from "@pith/context/host";
import { toJsonLine } from "@pith/host/text/safe-text";
import { getUserShell } from "../../app/user-shell.ts";
import type { CliArgs } from "../../args/args.ts";
import { settlesWithin } from "../../protocol/parse-json-line.ts";
import { buildPromptContent } from "../../resources/attachments.ts";
import { ParentCostLimit } from "../../sub-agents/parent-cost-limit.ts";
import { DEPTH_VARIABLE } from "../../sub-agents/sub-agent-options.ts";
import type { ExitStatus } from "../../text/process-io.ts";
import {
  abortOnSignals,
  BROKEN_PIPE_EXIT_CODE,
  createLineWriter,
  type LineWriter,
  type Terminal,
} from "../../text/process-io.ts";
import { promptCommands, sendPrompt } from "./commands/prompt.ts";
import type { Outcome, RpcContext } from "./rpc-context.ts";
import { RpcServer } from "./server.ts";
import { openRpcSession } from "./session.ts";
import { Questions } from "./ui.ts";

export async function runRpcMode(args: CliArgs, terminal: Terminal): Promise<ExitStatus> {
  // Output of extensions goes to stderr: stdout belongs to the protocol.
  globalThis.console = new Console(process.stderr, process.stderr);
  const lines = createLineWriter(process.stdout);
  const { write, getBackpressure, release } = createPacedWriter(lines);
  let activeRedaction: Redaction = noRedaction;
  const setRedaction = (redaction: Redaction): void => {
    activeRedaction = redaction;
    terminal.setRedaction?.(redaction);
  };
  // RPC17: the events of the agent are redacted. An error outside of a run may quote what the user wrote.
  const sendEvent = (event: RpcEvent): void => write(event.type === "error" ? activeRedaction.redact(event) : event);
  const questions = new Questions(write, (request) => activeRedaction.redact(request));
  const costLimit = openParentCostLimit(args, write);
  const { stop, quit, getSignalCode } = createStopper(release);
  const sessionOptions = {
    terminal,
    setRedaction,
    questions,
    costLimit,
    getBackpressure,
    sendEvent,
    quit,
    reportError: (error: unknown) => {
      terminal.notify(`pith: internal error: ${error instanceof Error ? error.stack : String(error)}`);
      sendEvent({ type: "error", error: error instanceof Error ? error.message : String(error) });
    },
  };
  const result = await openRpcSession(args, sessionOptions);
  if (result.type === "failed") {
    sendEvent({ type: "error", error: result.message });
    await lines.flush();
    return { code: result.code, message: result.message };
  }
  const { context, close } = result;
  lines.onReaderClosed(quit);
  const server = new RpcServer({ context, questions, costLimit, getBackpressure, sendResponse: write });
  server.runFirst(() => runInitialPrompt(args, context));
  await server.readInput(process.stdin, stop).catch(rethrowUnlessStopped);
  const wasBusy = await shutDown(server, { context, questions, costLimit });
  await close();
  const signalCode = getSignalCode();
  // The session is saved. A client that does not read must not keep the process alive.
  if (signalCode !== null && !(await settlesWithin(GRACE_MS, lines.flush()))) process.exit(signalCode);
  const writeError = await lines.flush();
  const code = signalCode ?? (lines.isReaderClosed ? BROKEN_PIPE_EXIT_CODE : wasBusy || writeError !== null ? 1 : 0);
  return writeError === null ? { code } : { code, message: writeError };
}

/** Null unless this process is a sub-agent, which does not count for itself. */
function openParentCostLimit({ runLimits }: CliArgs, send: (event: RpcCostEvent) => void): ParentCostLimit | null {
  const isSubAgent = process.env[DEPTH_VARIABLE] !== undefined;
  return isSubAgent && runLimits?.maxCost !== undefined ? new ParentCostLimit(send) : null;
}

/** Stops the program, by `quit` or by a signal. `stop` aborts the reading of lines. */
function createStopper(release: () => void) {
  const stop = new AbortController();
  const quit = (): void => {
    stop.abort();
    process.stdin.destroy();
  };
  const getSignalCode = abortOnSignals({
    abort: async () => {
      // A client that does not read must not keep the program from ending.
      release();
      quit();
    },
  });
  return { stop, quit, getSignalCode };
}

function rethrowUnlessStopped(error: NodeJS.ErrnoException): void {
  if (error.code !== "ERR_STREAM_PREMATURE_CLOSE" && error.code !== "ABORT_ERR") throw error;
}

interface ShutdownOptions {
  readonly context: RpcContext;
  readonly questions: Questions;
  readonly costLimit: ParentCostLimit | null;
}

/** Ends all work after the client has left, and answers every pending command. Returns whether there was any work. */
async function shutDown(server: RpcServer, { context, questions, costLimit }: ShutdownOptions): Promise<boolean> {
  // Quick commands get time to finish.
  await settlesWithin(GRACE_MS, server.waitForPending());
  const { agent } = context.app;
  const wasBusy = agent.isRunning || server.isBusy;
  questions.close();
  costLimit?.close();
  // The attempts are limited, because a command of an extension may never end.
  for (let attempts = 0; attempts === 0 || (server.isBusy && attempts < MAX_ABORT_ATTEMPTS); attempts += 1) {
    getUserShell(context.app).stopAll();
    await context.app.agent.abort();
    await settlesWithin(GRACE_MS, server.waitForPending());
  }
  return wasBusy;
}

const GRACE_MS = 200;
const MAX_ABORT_ATTEMPTS = 10;

/** Runs the prompt of the command line. Returns null if there is none. */
async function runInitialPrompt(args: CliArgs, context: RpcContext): Promise<Outcome<PromptResult> | null> {
  const { prompt, files } = args;
  if (files.length === 0) return prompt === "" ? null : await promptCommands.prompt.run({ message: prompt }, context);
  const workspaceFiles = nodeFiles({ root: context.app.cwd, maxBytes: MAX_IMAGE_SOURCE_BYTES });
  // stdin carries commands, so it is not read as part of the prompt.
  const content = await buildPromptContent(args, {
    files: workspaceFiles,
    readStdin: async () => ({ type: "text", text: "" }),
  });
  if (content.type === "nothing") return null;
  if (content.type === "mistake") return { type: "failed", message: content.message };
  return await sendPrompt(content.content, { context, images: [], behaviour: undefined });
}

export interface PacedWriter {
  readonly write: (line: RpcEvent | RpcResponse) => void;
  /** A promise while the client has too much unread output. Resolves when it has caught up. */
  readonly getBackpressure: () => Promise<void> | undefined;
  /** Ends backpressure: nothing waits for the client any more. */
  readonly release: () => void;
}

function createPacedWriter(lines: LineWriter): PacedWriter {
  let pending: PromiseWithResolvers<void> | null = null;
  let isReleased = false;
  const unblock = (): void => {
    pending?.resolve();
    pending = null;
  };
  return {
    write: (line) => {
      const drain = lines.write(toJsonLine(line));
      if (!drain || pending || isReleased) return;
      pending = Promise.withResolvers();
      void drain.then(unblock);
    },
    getBackpressure: () => pending?.promise,
    release: () => {
      isReleased = true;
      unblock();
    },
  };
}

/** Runs one prompt or command in print or JSON mode, and returns the exit code. */

import { findDraft, type RunEnd } from "@pith/agent";
import type { Redaction } from "@pith/context";
import { noRedaction } from "@pith/context/host";
import { drainRun, openApp, toCommandFailure } from "../../app/live-session.ts";
import { type App, type Frontend, readPromptContent } from "../../app/start.ts";
import type { CliArgs } from "../../args/args.ts";
import type { CommandContext } from "../../commands/command.ts";
import type { PromptContent } from "../../resources/attachments.ts";
import {
  abortOnSignals,
  BROKEN_PIPE_EXIT_CODE,
  createLineWriter,
  type ExitStatus,
  type Terminal,
} from "../../text/process-io.ts";
import { createTextOutput, type RunOutput } from "./text-output.ts";

export async function runPrint(args: CliArgs, terminal: Terminal): Promise<ExitStatus> {
  const output = args.mode === "json" ? await loadJsonOutput() : createTextOutput(terminal);
  let activeRedaction: Redaction = noRedaction;
  const setRedaction = (redaction: Redaction): void => {
    activeRedaction = redaction;
    terminal.setRedaction?.(redaction);
  };
  const exit = await runSession(args, {
    output,
    onEvent: output.onEvent,
    notify: (line) => terminal.notify(`pith: ${line}`),
    setRedaction,
  });
  if (exit.message !== undefined) await output.writeError(activeRedaction.redact(exit.message));
  return exit;
}

/** Imports the module only in JSON mode. */
async function loadJsonOutput(): Promise<RunOutput> {
  const json = await import("./json-output.ts");
  return json.createJsonOutput(createLineWriter(process.stdout));
}

interface PrintFrontend extends Frontend {
  readonly output: RunOutput;
}

async function runSession(args: CliArgs, frontend: PrintFrontend): Promise<ExitStatus> {
  const opened = await openApp(args, frontend);
  if (opened.type === "failed") return { code: opened.code, message: opened.message };
  const { app } = opened;
  const { agent, close } = app;
  frontend.output.onSessionOpen(app);
  const damageEvent = app.takeDamageEvent();
  if (damageEvent) await frontend.onEvent(damageEvent);
  const getSignalCode = abortOnSignals(agent);
  try {
    const exit = await (app.promptContent
      ? runPrompt(app.promptContent, app, frontend.output)
      : runSlashCommand(args, app, frontend));
    const stopCode = getSignalCode() ?? (frontend.output.isReaderGone ? BROKEN_PIPE_EXIT_CODE : null);
    // PRT4: this also applies to a command, which reports its abort as a normal result.
    return stopCode === null ? exit : { code: stopCode };
  } finally {
    await close();
  }
}

type PromptApp = Pick<App, "agent" | "missingModel">;

/** Runs the agent to its end. Without a prompt, sends the saved draft or resumes the unfinished turn. */
async function runPrompt(prompt: PromptContent, app: PromptApp, output: RunOutput): Promise<ExitStatus> {
  if (prompt.type === "mistake") return { code: 2, message: prompt.message };
  const { agent, missingModel } = app;
  if (missingModel !== null) return { code: 2, message: missingModel };
  const content = prompt.type === "nothing" ? findDraft(agent.session.branch) : prompt.content;
  const run = content === null ? agent.resume() : agent.prompt(content);
  return toExitStatus(await output.finish(await drainRun(run)));
}

/** Runs a prompt that starts with a slash as a command. If there is no such command, sends it to the model. */
async function runSlashCommand(
  args: CliArgs,
  app: PromptApp & CommandContext,
  { output, notify }: PrintFrontend,
): Promise<ExitStatus> {
  const { runCommand } = await import("../../commands/run-command.ts");
  const result = await runCommand(args.prompt, app).catch(toCommandFailure);
  if (result === null) return await runPrompt(await readPromptContent(args, notify), app, output);
  // An entry may contain secrets: it can be older than the redaction, or come from another program.
  const redacted = app.agent.session.redact({ command: args.prompt, result });
  const writeError = await output.writeCommandResult(redacted.command, redacted.result);
  if (writeError !== null) return { code: 1, message: writeError };
  switch (result.type) {
    case "mistake":
      return { code: 2, message: result.message };
    case "failed":
      await output.finish(null);
      return { code: 1, message: result.message };
    case "prompt":
      return await runPrompt(await readPromptContent(args, notify, { content: result.content }), app, output);
    default:
      return toExitStatus(await output.finish(null));
  }
}

/** BOUND6: the run reached a limit and can be continued. */
const LIMIT_REACHED_EXIT_CODE = 3;

function toExitStatus(end: RunEnd | null): ExitStatus {
  switch (end?.type) {
    case undefined:
    case "done":
      return { code: 0 };
    case "failed":
      return end.code === "max-turns" || end.code === "max-cost"
        ? {
            code: LIMIT_REACHED_EXIT_CODE,
            message: `${end.why}; to continue, run pith -p -c, optionally with a higher --${end.code}`,
          }
        : { code: 1, message: end.why };
    case "aborted":
    case "suspended":
      return { code: 1 };
  }
}

/** Implements the RPC commands for shell lines, automatic retries and the permission mode. */

import type { RpcCommands, RpcParams, RpcResult } from "@pith/client";
import { getModeRefusal } from "@pith/host/policy/policy";
import { getUserShell, type UserShellApp } from "../../../app/user-shell.ts";
import { permissionModes } from "../../../commands/settings.ts";
import { booleanField, nonEmptyTextField, oneOf, optional } from "../parse-command.ts";
import { failure, type Outcome, type RpcCommandDefinitions, type RpcContext, success } from "../rpc-context.ts";

interface ShellContext extends Pick<RpcContext, "sendEvent" | "getBackpressure"> {
  readonly app: UserShellApp;
}

/** Sends updates while the command runs, and returns once the result is recorded in the session. */
async function runShellCommand(
  { command, excludeFromContext: isPrivate = false }: RpcParams<"bash">,
  { app, sendEvent, getBackpressure }: ShellContext,
): Promise<Outcome<RpcResult<"bash">>> {
  let lastOutput = "";
  const update = (output: string): void => {
    // A slow client misses some updates, so that they do not pile up in memory.
    if (output === lastOutput || getBackpressure()) return;
    lastOutput = output;
    sendEvent(app.agent.session.redact({ type: "bash_execution_update", command, output }));
  };
  const outcome = await getUserShell(app).start(command, {
    isPrivate,
    onUpdate: update,
    onFinished: ({ output }) => update(output),
  });
  if (outcome.type === "not-run") return success({ output: "", exitCode: null, cancelled: true, truncated: false });
  if (outcome.type === "failed") return failure(outcome.message);
  const { output, exitCode, isCancelled, isTruncated } = outcome.result;
  return success({ output, exitCode, cancelled: isCancelled, truncated: isTruncated });
}

export const shellCommands: RpcCommandDefinitions<
  keyof Pick<
    RpcCommands,
    "bash" | "abort_bash" | "set_auto_retry" | "abort_retry" | "get_permission_mode" | "set_permission_mode"
  >
> = {
  bash: {
    description:
      "run a shell command as the user, outside any sandbox and without asking; the model sees the command and its output, unless `excludeFromContext` is set. The response comes when the command has ended",
    example: { type: "bash", command: "git status --short" },
    fields: { command: nonEmptyTextField, excludeFromContext: optional(booleanField) },
    run: (params, context) => runShellCommand(params, context),
  },
  abort_bash: {
    description: "stop the shell commands that are running or waiting",
    example: { type: "abort_bash" },
    fields: {},
    lane: "urgent",
    run: async (_, { app }) => {
      getUserShell(app).stopAll();
      return success(null);
    },
  },
  set_auto_retry: {
    description:
      "set, until Pith exits, whether requests to a busy provider are retried; without retries, the run ends",
    example: { type: "set_auto_retry", enabled: true },
    fields: { enabled: booleanField },
    run: async ({ enabled }, { retry }) => {
      retry.isEnabled = enabled;
      return success(null);
    },
  },
  abort_retry: {
    description: "stop a run that is waiting to retry; a run that is not waiting continues",
    example: { type: "abort_retry" },
    fields: {},
    lane: "urgent",
    run: async (_, { app, retry }) => {
      if (retry.isWaiting) await app.agent.abort();
      return success(null);
    },
  },
  get_permission_mode: {
    description:
      "return the permission mode, which says what is allowed without asking: `plan`, `ask`, `edit` or `all`",
    example: { type: "get_permission_mode" },
    fields: {},
    run: async (_, { app }) => success({ mode: app.permissions.mode }),
  },
  set_permission_mode: {
    description: "change the permission mode until Pith exits; the model learns of it before its next reply",
    example: { type: "set_permission_mode", mode: "edit" },
    fields: { mode: oneOf(...permissionModes.map(({ name }) => name)) },
    run: async ({ mode }, { setOptions, app }) => {
      const refusal = getModeRefusal(app.settings.policy, mode);
      if (refusal !== null) return failure(refusal);
      setOptions({ permissionMode: mode });
      return success(null);
    },
  },
};

/** Implements the RPC commands for shell lines, automatic retries and the permission mode. */

import type { RpcCommands, RpcParams, RpcResult } from "@pith/client";
import { shellLinesOf } from "../../../app/user-shell.ts";
import { modes } from "../../../commands/settings.ts";
import { refuseMode } from "../../../policy/policy.ts";
import { flag, oneOf, optional, words } from "../parse-command.ts";
import { done, failed, type Outcome, type Rows, type Seat } from "../rpc-context.ts";

/** Sends updates while the command runs, and returns once the result is in the log. */
export async function ranShell(
  { command, excludeFromContext: isPrivate = false }: RpcParams<"bash">,
  { ready, tell, room }: Seat,
): Promise<Outcome<RpcResult<"bash">>> {
  let told = "";
  const update = (output: string): void => {
    // Whoever reads slowly misses some of it, and nothing piles up.
    if (output === told || room()) return;
    told = output;
    tell(ready.built.agent.session.redact({ type: "bash_execution_update", command, output }));
  };
  const outcome = await shellLinesOf(ready).start(command, { isPrivate, update, ran: ({ output }) => update(output) });
  if (outcome.type === "unrun") return done({ output: "", exitCode: null, cancelled: true, truncated: false });
  if (outcome.type === "failed") return failed(outcome.message);
  const { output, exitCode, isCancelled, isTruncated } = outcome.ran;
  return done({ output, exitCode, cancelled: isCancelled, truncated: isTruncated });
}

export const working: Rows<
  keyof Pick<
    RpcCommands,
    "bash" | "abort_bash" | "set_auto_retry" | "abort_retry" | "get_permission_mode" | "set_permission_mode"
  >
> = {
  bash: {
    says: "run a shell line of the user's own, outside of any sandbox and without a question; the model is told of it, unless `excludeFromContext`. Answered when it has ended",
    example: { type: "bash", command: "git status --short" },
    fields: { command: words, excludeFromContext: optional(flag) },
    run: (takes, seat) => ranShell(takes, seat),
  },
  abort_bash: {
    says: "end the shell lines that run or wait",
    example: { type: "abort_bash" },
    fields: {},
    lane: "urgent",
    run: async (_, { ready }) => {
      shellLinesOf(ready).stopAll();
      return done(null);
    },
  },
  set_auto_retry: {
    says: "whether a provider that is busy is asked again, until the program ends; without it the run ends there",
    example: { type: "set_auto_retry", enabled: true },
    fields: { enabled: flag },
    run: async ({ enabled }, { retry }) => {
      retry.isEnabled = enabled;
      return done(null);
    },
  },
  abort_retry: {
    says: "end a run that waits to ask again; one that does not wait goes on",
    example: { type: "abort_retry" },
    fields: {},
    lane: "urgent",
    run: async (_, { ready, retry }) => {
      if (retry.isWaiting) await ready.built.agent.abort();
      return done(null);
    },
  },
  get_permission_mode: {
    says: "what may be done without a question: `plan`, `ask`, `edit` or `all`",
    example: { type: "get_permission_mode" },
    fields: {},
    run: async (_, { ready }) => done({ mode: ready.built.permissions.mode }),
  },
  set_permission_mode: {
    says: "the same from now on, until the program ends; the model is told before the next word",
    example: { type: "set_permission_mode", mode: "edit" },
    fields: { mode: oneOf(...modes.map(({ name }) => name)) },
    run: async ({ mode }, { choose, ready }) => {
      const refusal = refuseMode(ready.place.choices.policy, mode);
      if (refusal !== null) return failed(refusal);
      choose({ mode });
      return done(null);
    },
  },
};

/** Builds an app: opens the session's file, the workspace and the audit log, and lets the host build the agent. */

import type { AgentHooks } from "@pith/agent";
import { type BuildAgentOptions, type BuiltAgent, buildAgent } from "@pith/host/build-agent";
import type { HostContext } from "@pith/host/host-context";
import { findBaseUrlOwner } from "@pith/host/models/open-model";
import { formatRefusal } from "@pith/host/policy/policy";
import { openLocalWorkspace } from "@pith/host/sandbox/local-workspace";
import type { Settings } from "@pith/host/settings/settings";
import type { CliArgs } from "../args/args.ts";
import type { ParentLimits } from "../sub-agents/sub-agent-options.ts";
import { type AuditClient, AuditLog } from "./audit-log.ts";
import { buildResumeHint, openSession, type ResumeHint, type StartFailure } from "./session.ts";
import { describeDamage, describeTornEnd, type SessionDamagedEvent } from "./session-damage.ts";

export interface AppOptions
  extends HostContext,
    Pick<BuildAgentOptions, "vault" | "user" | "guidance" | "extensions" | "costLimit" | "needsModel"> {
  readonly hooks?: AgentHooks | undefined;
  /** What sub-agents inherit. Absent if none can be started. */
  readonly parentLimits?: ParentLimits;
}

/** The agent, its session, and the other parts that modes and commands use. */
export interface AppParts extends BuiltAgent, ResumeHint {
  /** The damage found when the session was opened. Null if all of the session can be read. */
  readonly damage: SessionDamagedEvent | null;
  /** The session's file. Null if the session is not saved. */
  readonly sessionPath: string | null;
}

export async function buildApp(args: CliArgs, options: AppOptions): Promise<AppParts | StartFailure> {
  const { parentLimits, hooks, ...hostOptions } = options;
  const { home, settings, user } = options;
  const audit = openAuditLog(args, options);
  const auditFailure = checkRequiredAuditLog(settings, audit);
  if (auditFailure !== null) return auditFailure;
  const opened = await openSession(args.session, options);
  if (opened.type === "failed") return opened;
  const { storage, damage } = opened;
  const { id } = storage.store.header;
  if (audit) audit.sessionId = id;
  const workspace = openLocalWorkspace({ ...options, ...user });
  const close = async (): Promise<void> => {
    await workspace.close();
    await opened.close();
    audit?.close();
  };
  const openingNote = describeTornEnd(damage);
  const built = await buildAgent({
    ...hostOptions,
    storage,
    workspace,
    permissions: { flagRules: args, outside: "read", ...(audit && { audit: (record) => audit.record(record) }) },
    agent: {
      ...pickPrompts(args),
      maxTurns: args.runLimits?.maxTurns,
      describeFailure: (failure, model) => describeFailure(failure, model, { mode: args.mode, ...options }),
      ...(hooks && { hooks }),
      ...(openingNote !== null && { openingNote }),
    },
  });
  if (built.type === "failed") {
    await close();
    return { type: "failed", message: built.message, ...(!built.isUsageError && { code: 1 }) };
  }
  const { session, model } = built.agent;
  if (parentLimits) {
    parentLimits.permissions = built.permissions;
    parentLimits.baseUrlOwner = findBaseUrlOwner(settings, model.provider);
  }
  const { file: path } = storage;
  return {
    ...built,
    damage: path === undefined ? null : describeDamage({ damage, gaps: session.branch.gaps, path, id, home }),
    sessionPath: path ?? null,
    ...buildResumeHint(args, session),
    close: async (shutdown) => {
      await built.close(shutdown);
      await close();
    },
  };
}

function openAuditLog(
  { mode }: CliArgs,
  { home, cwd, settings, user }: Pick<AppOptions, "home" | "cwd" | "settings" | "user">,
): AuditLog | null {
  if (settings.auditLog === false) return null;
  return new AuditLog({ home, cwd, notify: user?.notify ?? (() => {}), client: toAuditClient(mode, settings) });
}

/** Fails the start if the policy requires the audit log and it cannot be written. */
function checkRequiredAuditLog({ policy }: Settings, audit: AuditLog | null): StartFailure | null {
  if (policy?.auditLog === undefined || audit === null) return null;
  const reason = audit.checkWritable();
  if (reason === null) return null;
  return {
    type: "failed",
    message: `${formatRefusal(policy, "work without the audit log")} The audit log cannot be written: ${reason}`,
    code: 1,
  };
}

function toAuditClient(mode: CliArgs["mode"], { plain }: Settings): AuditClient {
  if (mode === "screen") return plain ? "plain" : "screen";
  return mode === "rpc" || mode === "acp" ? mode : "print";
}

/** Imports the module only after a failure. */
async function describeFailure(...failureArguments: Parameters<DescribeFailure>): Promise<string> {
  const { describeFailure: describe } = await import("../models/describe-failure.ts");
  return await describe(...failureArguments);
}

type DescribeFailure = typeof import("../models/describe-failure.ts").describeFailure;

function pickPrompts({ systemPrompt, appendSystemPrompt }: CliArgs): BuildAgentOptions["agent"] {
  return {
    ...(systemPrompt !== undefined && { customPrompt: systemPrompt }),
    ...(appendSystemPrompt !== undefined && { appendedPrompt: appendSystemPrompt }),
  };
}

/** Runs commands of users in a hosted session: compactions and their undo, moves in the tree, names and labels. */

import type { Agent, CompactRequest, NavigateOptions } from "@pith/agent";
import type { AppendResult, NewEntry } from "@pith/context";
import { findUndoableChange } from "@pith/context/host";
import type { Database } from "../store/connect.ts";
import { toStoredText } from "../store/entry-rows.ts";
import { checkTenant } from "../store/sessions.ts";
import { acceptWith, type Inbox } from "./inbox.ts";
import { SILENT_MS } from "./intervals.ts";

/** What a user wants of a session besides sending messages. */
export type SessionCommand =
  | ({ readonly type: "compact" } & CompactRequest)
  /** `entryId`: the compaction or removal to undo. If it is not the newest one any more, nothing is undone. */
  | { readonly type: "undo"; readonly entryId: string }
  | { readonly type: "redo" }
  /** Null: before the first entry. */
  | ({ readonly type: "move"; readonly entryId: string | null } & MoveOptions)
  | { readonly type: "rename"; readonly name: string }
  /** An empty label removes it. */
  | { readonly type: "label"; readonly entryId: string; readonly label: string };

type MoveOptions = Pick<NavigateOptions, "summarize" | "customInstructions" | "label" | "restoreFiles">;

/** What came of a command. */
export type CommandResult =
  /** `leaf`: the position of the session now. `entryId`: the compaction, or what was undone or redone. `tokens`: before and after, estimated. */
  | {
      readonly type: "done";
      readonly leaf: string | null;
      readonly entryId?: string;
      readonly tokens?: { readonly before: number; readonly after: number };
    }
  /** `refused`: there was nothing to do, or it is not possible now. */
  | { readonly type: "refused" | "failed"; readonly code: string };

/** `finished`: see the result. */
export type CommandState = { readonly type: "waiting" } | { readonly type: "finished"; readonly result: CommandResult };

export interface NewCommand {
  readonly session: string;
  /** Chosen by the client. The same id again is the same command. */
  readonly id: string;
  readonly command: SessionCommand;
}

/** Stores a command and wakes a worker, both or neither. Returns false if the tenant has no such session. */
export async function acceptCommand(
  inbox: Inbox,
  tenant: string,
  { session, id, command }: NewCommand,
): Promise<boolean> {
  const values = [toStoredText(session), toStoredText(id), "command", JSON.stringify(command), SILENT_MS];
  return await acceptWith(inbox, tenant, { name: "accept_message", values });
}

/** Null if the session has no such command. */
export async function readCommand(
  database: Database,
  tenant: string,
  { session, id }: Pick<NewCommand, "session" | "id">,
): Promise<CommandState | null> {
  checkTenant(tenant);
  const values = [tenant, toStoredText(session), toStoredText(id)];
  const [row] = await database.readRows<{ readonly result: string | null }>("read_command", values);
  if (!row) return null;
  return row.result === null ? { type: "waiting" } : { type: "finished", result: JSON.parse(row.result) };
}

/** Never rejects because of what the command is about. A worker that takes over runs a command again if the one before died before it could say what came of it. */
export async function runCommand(command: SessionCommand, agent: Agent): Promise<CommandResult> {
  switch (command.type) {
    case "compact":
      return await compact(command, agent);
    case "undo":
    case "redo":
      return await undo(command, agent);
    case "move":
      return await move(command, agent);
    case "rename":
      return await append(agent, { type: "session_info", name: command.name });
    case "label": {
      const { entryId: targetId, label } = command;
      if (!(await agent.session.store.entry(targetId))) return UNKNOWN_ENTRY;
      return await append(agent, { type: "label", targetId, ...(label !== "" && { label }) });
    }
  }
}

const UNKNOWN_ENTRY: CommandResult = { type: "refused", code: "unknown-entry" };

async function compact(request: CompactRequest, agent: Agent): Promise<CommandResult> {
  const { firstKeptEntryId } = request;
  if (firstKeptEntryId !== undefined && !(await agent.session.store.entry(firstKeptEntryId))) return UNKNOWN_ENTRY;
  const outcome = await agent.compact(request);
  switch (outcome.type) {
    case "compacted": {
      const { id: entryId, tokensBefore: before, estimatedTokensAfter: after } = outcome;
      return { type: "done", leaf: agent.session.leaf, entryId, tokens: { before, after } };
    }
    case "refused":
    case "nothing-to-do":
      return { type: "refused", code: outcome.why };
    case "failed":
      return { type: "failed", code: outcome.why };
    default:
      return { type: "refused", code: outcome.type };
  }
}

async function undo(command: UndoCommand, agent: Agent): Promise<CommandResult> {
  if (command.type === "undo" && findUndoableChange(agent.session.branch)?.id !== command.entryId)
    return { type: "refused", code: "not-the-newest" };
  const result = await agent.undoCompaction(command.type);
  if (result.type === "failed") return toAppendFailure(result.appended);
  if (result.type === "refused" || result.type === "nothing-to-do") return { type: "refused", code: result.why };
  await agent.stop();
  return { type: "done", leaf: agent.session.leaf, entryId: result.entryId };
}

type UndoCommand = Extract<SessionCommand, { type: "undo" | "redo" }>;

/** The agent stops afterwards, so that nothing goes on at the new place before the user says so. */
async function move({ type: _, entryId, ...options }: MoveCommand, agent: Agent): Promise<CommandResult> {
  if (entryId !== null && !(await agent.session.store.entry(entryId))) return UNKNOWN_ENTRY;
  const result = await agent.navigateTree(entryId, options);
  switch (result.type) {
    case "moved":
      await agent.stop();
      return { type: "done", leaf: agent.session.leaf };
    case "failed":
      return { type: "failed", code: result.why };
    case "refused":
    case "nothing-to-do":
      return { type: "refused", code: result.why };
    default:
      return { type: "refused", code: result.type };
  }
}

type MoveCommand = Extract<SessionCommand, { type: "move" }>;

async function append(agent: Agent, entry: NewEntry): Promise<CommandResult> {
  const appended = await agent.appendToSession((session) => session.append(entry));
  return appended.type === "appended" ? { type: "done", leaf: appended.leaf } : toAppendFailure(appended);
}

function toAppendFailure(appended: Exclude<AppendResult, { type: "appended" }>): CommandResult {
  return { type: "failed", code: appended.type === "refused" ? appended.why : "leaf-moved" };
}

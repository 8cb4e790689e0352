/** Implements `/fork` (a new session that ends before one of the user's messages) and `/clone` (a copy of the current branch). */

import type { Entry, Session } from "@pith/context";
import { authorOf, isEditableMessage, sanitizeLine } from "@pith/context/host";
import { forkSession } from "@pith/context/node";
import { usageError } from "@pith/host/text/usage-error";
import { entryEditableText } from "../resources/attachments.ts";
import { describeMissingBlobs, entryDisplayText, findEntry, shortId } from "../sessions/entries.ts";
import { describeOpenFailure } from "../sessions/find-session.ts";
import { readBranch } from "../sessions/tree-lines.ts";
import {
  type Command,
  type CommandContext,
  type CommandResult,
  checkExtensionVeto,
  failure,
  sessionNotSavedError,
  success,
} from "./command.ts";

function reportFork(outcome: Awaited<ReturnType<typeof forkSession>>, draft?: string): CommandResult {
  switch (outcome.type) {
    case "forked": {
      const { path, id, missing } = outcome;
      const text = `New session: ${id.slice(0, 8)}${describeMissingBlobs(missing)}`;
      return { type: "opened", reason: "fork", path, id, text, ...(draft !== undefined && { draft }) };
    }
    case "held":
      return failure(describeOpenFailure(outcome));
    case "no-entry":
    case "unavailable":
      return failure(outcome.why);
  }
}

export const forkCommand: Command = {
  name: "fork",
  aliases: ["branch"],
  argumentHint: "[entry]",
  description:
    "start a new session from the point just before one of your messages; without an argument, list your messages",
  examples: ["/fork", "/fork 3f2a9c11"],
  async run(args, context) {
    if (context.sessionPath === null) return sessionNotSavedError("fork");
    return args === "" ? await listUserMessages(context.agent.session) : await forkByName(args, context);
  },
};

type ForkContext = Pick<CommandContext, "agent" | "sessionPath" | "home" | "extensions">;

async function forkByName(name: string, context: ForkContext): Promise<CommandResult> {
  const result = await findEntry(name, context.agent.session);
  if (result.type === "mistake") return result;
  const { entry } = result;
  if (!isTypedByUser(entry))
    return usageError(`${shortId(entry.id)} is not one of your messages; /fork lists them, /clone copies the branch`);
  return await forkAtEntry(entry, context);
}

/** Creates a session that ends with this entry. For a user message, the session ends before it and the text becomes a draft (B63). */
export async function forkAtEntry(entry: Entry, context: ForkContext): Promise<CommandResult> {
  const { agent, sessionPath, home } = context;
  const { session } = agent;
  if (sessionPath === null) return sessionNotSavedError("fork");
  const isEditable = isEditableMessage(entry);
  const position = isEditable ? "before" : "at";
  const veto = await checkExtensionVeto({ type: "session_before_fork", entryId: entry.id, position }, context);
  if (veto) return veto;
  const outcome = await forkSession(session, {
    leaf: isEditable ? entry.parentId : entry.id,
    env: { PITH_HOME: home },
  });
  return reportFork(outcome, isEditable ? entryEditableText(entry) : undefined);
}

function isTypedByUser(entry: Entry): boolean {
  return entry.type === "message" && authorOf(entry) === "person";
}

/** Lists the newest user messages of the branch, oldest first. */
async function listUserMessages(session: Session): Promise<CommandResult> {
  const messages = (await readBranch(session.leaf, session.store, MAX_VISITED_ENTRIES))
    .filter(isTypedByUser)
    .slice(-MAX_LISTED_MESSAGES);
  if (messages.length === 0)
    return success("You have sent no messages on this branch yet; /tree shows all branches.", []);
  const items = messages.map((entry) => ({
    id: entry.id,
    text: sanitizeLine(entryDisplayText(entry), MAX_MESSAGE_CHARS),
  }));
  const lines = items.map(({ id, text }) => `${shortId(id)}  ${text}`);
  return success([...lines, "To start just before one, type /fork and its id."].join("\n"), items);
}

const MAX_LISTED_MESSAGES = 30;
const MAX_VISITED_ENTRIES = 5_000;
const MAX_MESSAGE_CHARS = 90;

export const cloneCommand: Command = {
  name: "clone",
  description: "copy this branch into a new session",
  async run(_, context) {
    const { agent, sessionPath, home } = context;
    const { session } = agent;
    if (sessionPath === null) return sessionNotSavedError("clone");
    if (session.leaf === null) return usageError("there are no messages to copy yet; /new starts a session");
    const veto = await checkExtensionVeto(
      { type: "session_before_fork", entryId: session.leaf, position: "at" },
      context,
    );
    if (veto) return veto;
    return reportFork(await forkSession(session, { nameSuffix: "copy", env: { PITH_HOME: home } }));
  },
};

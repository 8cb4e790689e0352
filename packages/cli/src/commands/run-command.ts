/** Runs input that starts with a slash: a command, an extension command, a template or a skill. Suggests a name if there is none. */

import { setTimeout as sleep } from "node:timers/promises";
import type { CancellableResult, CommandRegistration, CommandContext as ExtensionCommandContext } from "@pith/agent";
import { findNearest, usageError } from "@pith/host/text/usage-error";
import { type Command, type CommandContext, type CommandResult, failure, success } from "./command.ts";
import { commands } from "./commands.ts";
import { forkCommand } from "./fork.ts";
import { newCommand, resumeCommand } from "./sessions.ts";

/** Null if the text is a prompt for the model: `/usr/bin/x` and `fix /tmp` are not commands. */
export async function runCommand(text: string, context: CommandContext): Promise<CommandResult | null> {
  if (ESCAPED_COMMAND_PATTERN.test(text)) return { type: "prompt", content: text.slice(1) };
  const [match, name = "", rest = ""] = COMMAND_PATTERN.exec(text) ?? [];
  if (match === undefined) return null;
  const command = commands.find((candidate) => candidate.name === name || candidate.aliases?.includes(name));
  if (command) return rejectUnexpectedArgs(command, rest.trim()) ?? (await command.run(rest.trim(), context));
  const extensionCommand = context.extensions?.commands.find((candidate) => candidate.name === name);
  if (extensionCommand) return await runExtensionCommand(extensionCommand, rest.trim(), context);
  const content = (await context.templates?.expand(name, rest.trim())) ?? null;
  if (content === null) return await suggestCommand(name, context);
  return content === ""
    ? usageError(`/${name} is empty without arguments; type some text after it`)
    : { type: "prompt", content };
}

const NAME_PATTERN = "[\\p{L}\\p{N}](?:[\\p{L}\\p{N}:-]*[\\p{L}\\p{N}])?";
const COMMAND_PATTERN = new RegExp(`^/(${NAME_PATTERN})(?:\\s+([\\s\\S]*))?$`, "u");
/** COM2: a second slash sends text that looks like a command to the model. */
const ESCAPED_COMMAND_PATTERN = new RegExp(`^//${NAME_PATTERN}(?:\\s|$)`, "u");

/** Rejects arguments that the command would ignore: `/undo the last edit` does not mean the undo of a compaction. */
function rejectUnexpectedArgs({ name, argumentHint, description }: Command, args: string): CommandResult | null {
  if (args === "" || argumentHint !== undefined) return null;
  return usageError(`/${name} takes no arguments (${description}). To send this text to the model, type //${name} …`);
}

async function suggestCommand(
  name: string,
  { templates, extensions }: Pick<CommandContext, "templates" | "extensions">,
): Promise<CommandResult> {
  const commandNames = [...commands, ...(extensions?.commands ?? [])].flatMap(
    (command: Pick<Command, "name" | "aliases">) => [command.name, ...(command.aliases ?? [])],
  );
  const allNames = [...commandNames, ...((await templates?.list()) ?? []).map((template) => template.name)];
  const suggestion = findNearest(name, allNames);
  const hint = suggestion === null ? "/help lists all commands." : `did you mean /${suggestion}?`;
  return usageError(`unknown command /${name}; ${hint} To send it to the model, type //${name}`);
}

async function runExtensionCommand(
  command: CommandRegistration,
  args: string,
  context: CommandContext,
): Promise<CommandResult> {
  const { extensions } = context;
  if (!extensions) throw new Error(`no extension provides the command /${command.name}`);
  const nextSession: NextSession = { result: null };
  // Keeps the process alive while the command waits for a promise without a pending Node handle.
  const keepAlive = setInterval(() => {}, KEEP_ALIVE_INTERVAL_MS);
  const result = await extensions
    .runCommand(command, args, createExtensionCommandContext(context, nextSession))
    .finally(() => clearInterval(keepAlive));
  if (result.type === "failed" && !nextSession.result) return failure(result.why);
  const text = result.type === "failed" ? result.why : result.text;
  // The caller switches the session, as for every command.
  if (nextSession.result)
    return text ? { ...nextSession.result, text: `${text}\n${nextSession.result.text}` } : nextSession.result;
  return success(text ?? "", text ?? null);
}

/** The session to switch to after the command. */
interface NextSession {
  result: Extract<CommandResult, { type: "opened" }> | null;
}

function createExtensionCommandContext(context: CommandContext, nextSession: NextSession): ExtensionCommandContext {
  const { agent, extensionActions: actions } = context;
  if (!actions) throw new Error("extension commands need a session");
  const runSwitch = async (command: Command, args: string): Promise<CancellableResult> => {
    const result = await command.run(args, context);
    if (result.type === "opened") nextSession.result = result;
    return { cancelled: result.type !== "opened" };
  };
  const commandActions: Omit<ExtensionCommandContext, keyof ReturnType<typeof actions.context>> = {
    waitForIdle: async () => {
      while (agent.isRunning) await sleep(IDLE_POLL_INTERVAL_MS);
    },
    navigateTree: async (target, options) => ({
      cancelled: (await agent.navigateTree(target, options)).type !== "moved",
    }),
    newSession: () => runSwitch(newCommand, ""),
    fork: (entryId) => runSwitch(forkCommand, entryId),
    switchSession: (path) => runSwitch(resumeCommand, path),
    reload: async () => void (await context.reload()),
  };
  const extensionContext = actions.context();
  // Copies the getters instead of their values, so that the context always shows the current session.
  return Object.defineProperties(
    { ...commandActions } as ExtensionCommandContext,
    Object.getOwnPropertyDescriptors(extensionContext),
  );
}

const IDLE_POLL_INTERVAL_MS = 50;
const KEEP_ALIVE_INTERVAL_MS = 60_000;

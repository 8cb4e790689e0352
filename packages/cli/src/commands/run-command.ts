/** Runs text that begins with a slash: a command, an extension command, a template or a skill; else suggests a name. */

import { setTimeout as sleep } from "node:timers/promises";
import type { CancellableResult, CommandContext, CommandRegistration } from "@pith/agent";
import { mistake, nearest } from "../text/usage-error.ts";
import { type Answer, type Command, type Desk, failed, told } from "./command.ts";
import { commands } from "./commands.ts";
import { fork } from "./fork.ts";
import { begin, resume } from "./sessions.ts";

/** Null where these words are for the model: `/usr/bin/x` is no command, and `fix /tmp` is none either. */
export async function runCommand(words: string, desk: Desk): Promise<Answer | null> {
  if (ESCAPED.test(words)) return { type: "prompt", content: words.slice(1) };
  const [whole, name = "", behind = ""] = CALL.exec(words) ?? [];
  if (whole === undefined) return null;
  const command = commandCalled(name);
  if (command) return unheard(command, behind.trim()) ?? (await command.run(behind.trim(), desk));
  const theirs = desk.extensions?.commands.find((each) => each.name === name);
  if (theirs) return await runExtensionCommand(theirs, behind.trim(), desk);
  const content = (await desk.templates?.filled(name, behind.trim())) ?? null;
  if (content === null) return await unknown(name, desk);
  return content === "" ? mistake(`/${name} says nothing without words behind it`) : { type: "prompt", content };
}

const WORD = "[\\p{L}\\p{N}](?:[\\p{L}\\p{N}:-]*[\\p{L}\\p{N}])?";
const CALL = new RegExp(`^/(${WORD})(?:\\s+([\\s\\S]*))?$`, "u");
/** COM2: what would be a command is said to the model with one slash more. */
const ESCAPED = new RegExp(`^//${WORD}(?:\\s|$)`, "u");

function commandCalled(name: string): Command | undefined {
  return commands.find((command) => command.name === name || command.aliases?.includes(name));
}

/** Words that would go unheard were meant to be heard: `/undo the last edit` means another undo than ours. */
function unheard({ name, takes, says }: Command, words: string): Answer | null {
  if (words === "" || takes !== undefined) return null;
  return mistake(`/${name} takes nothing behind it; it is: ${says}. To say all of it to the model, write //${name} …`);
}

async function unknown(
  name: string,
  { templates, extensions }: Pick<Desk, "templates" | "extensions">,
): Promise<Answer> {
  const own = [...commands, ...(extensions?.commands ?? [])].flatMap((command: Pick<Command, "name" | "aliases">) => [
    command.name,
    ...(command.aliases ?? []),
  ]);
  const names = [...own, ...((await templates?.list()) ?? []).map((template) => template.name)];
  const near = nearest(name, names);
  const meant = near === null ? "/help names them all." : `did you mean /${near}?`;
  return mistake(`there is no command /${name}; ${meant} To say it to the model, write //${name}`);
}

export async function runExtensionCommand(command: CommandRegistration, words: string, desk: Desk): Promise<Answer> {
  const { extensions } = desk;
  if (!extensions) throw new Error(`the command /${command.name} is nobody's`);
  const next: Next = { answer: null };
  // One that waits for nothing that Node knows of would end the program.
  const alive = setInterval(() => {}, RARELY_MS);
  const ran = await extensions.runCommand(command, words, contextOn(desk, next)).finally(() => clearInterval(alive));
  if (ran.type === "failed" && !next.answer) return failed(ran.why);
  const said = ran.type === "failed" ? ran.why : ran.text;
  // Going to another session is done by whoever shows this answer, as for every command.
  if (next.answer) return said ? { ...next.answer, text: `${said}\n${next.answer.text}` } : next.answer;
  return told(said ?? "", said ?? null);
}

/** The session that comes next, once the command has ended. */
interface Next {
  answer: Extract<Answer, { type: "opened" }> | null;
}

function contextOn(desk: Desk, next: Next): CommandContext {
  const { agent, acts } = desk;
  if (!acts) throw new Error("there is no session for commands of extensions");
  const by = async (command: Command, words: string): Promise<CancellableResult> => {
    const answer = await command.run(words, desk);
    if (answer.type === "opened") next.answer = answer;
    return { cancelled: answer.type !== "opened" };
  };
  const own: Omit<CommandContext, keyof ReturnType<typeof acts.context>> = {
    waitForIdle: async () => {
      while (agent.isRunning) await sleep(OFTEN_MS);
    },
    navigateTree: async (target, wish) => ({ cancelled: (await agent.navigateTree(target, wish)).type !== "moved" }),
    newSession: () => by(begin, ""),
    fork: (entryId) => by(fork, entryId),
    switchSession: (path) => by(resume, path),
    reload: async () => void (await desk.reload()),
  };
  const context = acts.context();
  // What it sees of the session stays as new as it is there.
  return Object.defineProperties({ ...own } as CommandContext, Object.getOwnPropertyDescriptors(context));
}

const OFTEN_MS = 50;
const RARELY_MS = 60_000;

/** A command of an extension, with what it may do to the session while it runs. */

import { setTimeout as sleep } from "node:timers/promises";
import type { CancelledOr, CommandContext, NamedCommand } from "@pith/agent";
import { failed, told } from "../../commands/answers.ts";
import type { Answer, Command, Desk } from "../../commands/command.ts";
import { fork } from "../../commands/sessions/fork.ts";
import { begin } from "../../commands/sessions/new.ts";
import { resume } from "../../commands/sessions/resume.ts";

export async function runExtensionCommand(command: NamedCommand, words: string, desk: Desk): Promise<Answer> {
  const { extensions } = desk;
  if (!extensions) throw new Error(`the command /${command.name} is nobody's`);
  const next: Next = { answer: null };
  // One that waits for nothing that Node knows of would end the program.
  const alive = setInterval(() => {}, RARELY_MS);
  const ran = await extensions.run(command, words, contextOn(desk, next)).finally(() => clearInterval(alive));
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
  const by = async (command: Command, words: string): Promise<CancelledOr> => {
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

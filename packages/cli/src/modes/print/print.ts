/** Runs one prompt or command in print or JSON mode, and returns the exit code. */

import { type AgentEvent, AppendError, findDraft, type RunEnd } from "@pith/agent";
import type { Redaction } from "@pith/context";
import { noRedaction } from "@pith/context/host";
import { openDesk, type Ready, readied, saidIn, type Telling } from "../../app/start.ts";
import type { Wish } from "../../args/args.ts";
import type { Answer } from "../../commands/command.ts";
import type { Said } from "../../resources/attachments.ts";
import { type Exit, linesTo, stopOnSignals, type Terminal } from "../../text/process-io.ts";
import { printVoice, type Voice } from "./text-output.ts";

export async function work(wish: Wish, terminal: Terminal): Promise<Exit> {
  const voice = wish.output === "json" ? await jsonVoice() : printVoice(terminal);
  let concealed: Redaction = noRedaction;
  const conceal = (redaction: Redaction): void => {
    concealed = redaction;
    terminal.conceal?.(redaction);
  };
  const exit = await worked(wish, {
    voice,
    listen: voice.listen,
    note: (line) => terminal.note(`pith: ${line}`),
    conceal,
  });
  if (exit.message !== undefined) await voice.failed(concealed.redact(exit.message));
  return exit;
}

/** Loaded where it is wanted. */
async function jsonVoice(): Promise<Voice> {
  const json = await import("./json-output.ts");
  return json.jsonVoice(linesTo(process.stdout));
}

interface Speaking extends Telling {
  readonly voice: Voice;
}

async function worked(wish: Wish, telling: Speaking): Promise<Exit> {
  const ready = await readied(wish, telling);
  if (ready.type === "mistake") return { code: 2, message: ready.message };
  if (ready.type === "failed") return { code: 1, message: ready.message };
  const { agent, close } = ready.built;
  telling.voice.opened(ready.built);
  const damaged = ready.takeDamage();
  if (damaged) await telling.listen(damaged);
  const signalled = stopOnSignals(agent);
  try {
    const exit = await (ready.said ? spoken(ready.said, ready, telling.voice) : called(wish, ready, telling));
    const stopped = signalled() ?? (telling.voice.isUnheard ? UNHEARD : null);
    // PRT4: also of a command, whose answer to being stopped is words.
    return stopped === null ? exit : { code: stopped };
  } finally {
    await close();
  }
}

/** As shells count a pipe that nobody reads. */
const UNHEARD = 141;

/** The model speaks, until it has no more to say. */
async function spoken(said: Said, { built }: Ready, voice: Voice): Promise<Exit> {
  if (said.type === "mistake") return { code: 2, message: said.message };
  const { agent, missing } = built;
  if (missing !== null) return { code: 2, message: missing };
  const content = said.type === "nothing" ? findDraft(agent.session.branch) : said.content;
  const run = content === null ? agent.resume() : agent.prompt(content);
  return exitOf(await voice.ended(await endOf(run)));
}

/** Words that begin with a slash: a command, or something to say after all. */
async function called(wish: Wish, ready: Ready, { voice, note }: Speaking): Promise<Exit> {
  const { runCommand } = await import("../../commands/run-command.ts");
  const desk = openDesk(ready.built, { ...ready.place, sources: ready.sources, note });
  const answer = await runCommand(wish.words, desk).catch(unkept);
  if (answer === null) return await spoken(await saidIn(wish, note), ready, voice);
  // An entry may come from before redaction, or from another program.
  const told = ready.built.agent.session.redact({ words: wish.words, answer });
  const fault = await voice.answered(told.words, told.answer);
  if (fault !== null) return { code: 1, message: fault };
  switch (answer.type) {
    case "mistake":
      return { code: 2, message: answer.message };
    case "failed":
      await voice.ended(null);
      return { code: 1, message: answer.message };
    case "prompt":
      return await spoken(await saidIn(wish, note, { said: answer.content }), ready, voice);
    default:
      return exitOf(await voice.ended(null));
  }
}

/** A session that takes no more words, as on a full disk, is no fault of the program. */
function unkept(error: unknown): Answer {
  if (error instanceof AppendError) return { type: "failed", message: error.message };
  throw error;
}

/** All that happens is told by whoever listens. */
async function endOf(run: AsyncGenerator<AgentEvent, RunEnd>): Promise<RunEnd> {
  for (;;) {
    const { done, value } = await run.next();
    if (done) return value;
  }
}

/** BOUND6: a limit was reached, and the work can be continued. */
const LIMITED = 3;

function exitOf(end: RunEnd | null): Exit {
  switch (end?.type) {
    case undefined:
    case "done":
      return { code: 0 };
    case "failed":
      return end.code === "max-turns" || end.code === "max-cost"
        ? { code: LIMITED, message: `${end.why}; to go on, run pith -p -c, with a higher --${end.code} if you like` }
        : { code: 1, message: end.why };
    case "aborted":
      return { code: 1 };
  }
}

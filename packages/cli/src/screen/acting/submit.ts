/** What words that were sent off do: a command opens its panel or is run, a shell line is run, and everything else is said. */

import { runCommand } from "../../commands/run-command.ts";
import { justWords, type Written } from "../typing/written.ts";
import { openers, wordless } from "./openers.ts";
import { say } from "./say.ts";
import { show } from "./show-answer.ts";
import { shownAtRest } from "./stopping/at-rest.ts";
import type { Talking } from "./talking.ts";

export async function submit(given: string | Written, talking: Talking): Promise<void> {
  const written = typeof given === "string" ? justWords(given) : given;
  const { text } = written;
  void remember(text, talking);
  if (text.startsWith("!") && text.length > 1) return await shellLine(text, talking);
  if (await opened(text, talking)) return;
  const answer = text.startsWith("/") ? await runCommand(text, talking.desk).finally(() => shownAtRest(talking)) : null;
  // Files and pictures go with what a template says, too.
  const isSaid = answer?.type === "prompt" && typeof answer.content === "string";
  if (answer && !isSaid) return await show(answer, talking);
  await sayWritten(isSaid ? { ...written, text: `${answer.content}` } : written, talking);
}

async function opened(text: string, talking: Talking): Promise<boolean> {
  const [, name = "", words = ""] = /^\/([\w-]+)(?:\s+([\s\S]*))?$/.exec(text) ?? [];
  if (!talking.screen.hasPages && !wordless.includes(name)) return false;
  const opener = Object.hasOwn(openers, name) ? await openers[name]?.() : undefined;
  return (await opener?.(words.trim(), talking)) ?? false;
}

async function shellLine(text: string, talking: Talking): Promise<void> {
  const { runShellLine } = await import("./typing/shell-line.ts");
  await runShellLine(text, talking);
}

/** Without secrets, and only where anything is kept. A disk that is full costs the history a line, and nobody anything else. */
async function remember(text: string, { ready }: Talking): Promise<void> {
  if (ready.built.sessionPath === null) return;
  const { addToHistory } = await import("../typing/history-file.ts");
  await addToHistory(ready.built.agent.session.redacted(text), ready.place).catch(() => {});
}

/** What reads files takes a while; what is sent off behind it waits, so that it is said behind it. */
async function sayWritten(written: Written, talking: Talking): Promise<void> {
  const { agent } = talking.ready.built;
  const before = reading.get(agent) ?? Promise.resolve();
  const read = before.then(async () => {
    const { wordsSaid } = await import("./typing/words-said.ts");
    return await wordsSaid(written, talking.ready.place);
  });
  reading.set(
    agent,
    read.catch(() => {}),
  );
  const said = await read;
  if (said.type === "said") return await say(said.content, talking, written.isForLater ? "afterwards" : "next");
  talking.screen.tell(said.message, "bad");
  // Nothing that was typed is lost.
  const { words } = talking.screen;
  words.set([written.text, words.text].filter((text) => text !== "").join("\n\n"));
}

/** What is being read, by whom it will be said to. */
const reading = new WeakMap<object, Promise<unknown>>();

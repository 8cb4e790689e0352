/** Handles Esc, Ctrl+C, Ctrl+D and Ctrl+Z: stops work, puts queued messages back into the editor, quits or suspends. */

import { editableText, type QueuedMessage } from "@pith/context/host";
import { keyHint } from "../../settings/keymap-text.ts";
import { type Stage, survived, type Talking } from "./screen-context.ts";

/** Not everything that fails or is stopped emits an event at its end. While something is still under way, nothing changes. */
export function shownAtRest({ ready, screen }: Talking): void {
  const { agent } = ready.built;
  if (agent.isRunning || agent.session.busyReasons.length > 0) return;
  screen.change((state) => (state.work.type === "idle" ? state : { ...state, work: { type: "idle" } }));
}

/** False where nothing was under way. */
export function stop(talking: Talking): boolean {
  if (!isAtWork(talking)) return false;
  void survived(() => stopped(talking), talking);
  return true;
}

async function stopped(talking: Talking): Promise<void> {
  const { ready, screen } = talking;
  const { agent } = ready.built;
  await Promise.all([agent.abort(), screen.state.shell.length > 0 && stopShell(talking)]);
  shownAtRest(talking);
  if (agent.queue.length === 0) return;
  await takenBack(talking);
}

async function stopShell({ ready }: Talking): Promise<void> {
  const { shellLinesOf } = await import("../../app/user-shell.ts");
  shellLinesOf(ready).stopAll();
}

function isAtWork({ ready, screen: { state } }: Talking): boolean {
  return ready.built.agent.isRunning || state.work.type !== "idle" || state.shell.length > 0;
}

export async function takenBack({ ready, screen }: Talking): Promise<void> {
  const waiting = await ready.built.agent.clearQueue();
  const words = waiting.map(({ content }) => wordsOf(content, screen)).filter((text) => text !== "");
  if (words.length > 0) screen.words.set([...words, screen.words.text].filter((text) => text !== "").join("\n\n"));
}

/** Its pictures get markers of now: those it has may be of another day. */
function wordsOf(content: QueuedMessage["content"], { editor }: Stage): string {
  const words = editableText(content);
  if (typeof content === "string" || !editor) return words;
  return content.reduce((text, block, at) => {
    const before = content[at - 1];
    if (block.type !== "image" || before?.type !== "text") return text;
    return text.replaceAll(before.text, editor.pictures.put(block));
  }, words);
}

/** Ctrl+C. What was typed can be had back with the arrow up. */
export function clear(talking: Talking): boolean {
  const { screen, leave } = talking;
  if (screen.state.hint === againTold(screen)) {
    emptied(screen);
    leave(null);
    return true;
  }
  if (!stop(talking)) emptied(screen);
  hint(screen);
  return true;
}

/** Ctrl+D; false where there are words, so that the editor gets it. */
export function quit({ screen, leave }: Talking): boolean {
  if (screen.words.text !== "") return false;
  leave(null);
  return true;
}

function emptied(screen: Stage): void {
  const { text } = screen.words;
  if (text.trim() === "") return;
  screen.editor?.addToHistory(text);
  screen.words.set("");
}

/** The hint itself says that a second one leaves, and as long as it stands that is so. */
function hint(screen: Stage): void {
  const before = screen.state.hint;
  const again = againTold(screen);
  screen.change((state) => ({ ...state, hint: again }));
  const restore = (): void => screen.change((state) => (state.hint === again ? { ...state, hint: before } : state));
  setTimeout(restore, SOON_MS).unref();
}

function againTold({ state }: Stage): string {
  return `${keyHint("clear", state.keymap) ?? "Ctrl+C"} again leaves; everything is saved`;
}

const SOON_MS = 2_000;

/** False where a shell cannot do that. */
export function suspend({ screen }: { readonly screen: Stage }): false | Promise<void> {
  return process.platform !== "win32" && screen.lend(asleep);
}

/** Whoever sends it to sleep from outside finds the terminal in order as well. What comes back ends that. */
export function suspendOnSignal(screen: Stage): () => void {
  const act = (): void => void suspend({ screen });
  process.on("SIGTSTP", act);
  return () => process.off("SIGTSTP", act);
}

async function asleep(): Promise<void> {
  const own = process.listeners("SIGTSTP");
  process.removeAllListeners("SIGTSTP");
  const woken = Promise.withResolvers<void>();
  process.once("SIGCONT", woken.resolve);
  // Where no shell could wake it, the system does not let it sleep: then it goes on.
  const awake = setTimeout(woken.resolve, SUSPEND_WAIT_MS);
  process.kill(0, "SIGTSTP");
  await woken.promise;
  clearTimeout(awake);
  process.off("SIGCONT", woken.resolve);
  for (const each of own) process.on("SIGTSTP", each);
}

const SUSPEND_WAIT_MS = 300;

/** Handles Esc, Ctrl+C, Ctrl+D and Ctrl+Z: stops work, puts queued messages back into the editor, quits or suspends. */

import { editableText, type QueuedMessage } from "@pith/context/host";
import type { UserShellApp } from "../../app/user-shell.ts";
import { keyHint } from "../../settings/keymap.ts";
import { type InteractiveContext, reportErrors, type ScreenApi, type SessionScreen } from "./screen-context.ts";

/** Shows the screen as idle, unless work is still running. Not everything that fails or is stopped emits a final event. */
export function clearActivity({ app, screen }: SessionScreen): void {
  const { agent } = app;
  if (agent.isRunning || agent.session.busyReasons.length > 0) return;
  screen.update((state) => (state.activity.type === "idle" ? state : { ...state, activity: { type: "idle" } }));
}

/** Stops the current work. Returns false if there is none. */
export function stop(context: SessionScreen<keyof UserShellApp>): boolean {
  if (!isWorking(context)) return false;
  void reportErrors(() => stopAndRestoreQueue(context), context);
  return true;
}

async function stopAndRestoreQueue(context: SessionScreen<keyof UserShellApp>): Promise<void> {
  const { app, screen } = context;
  const { agent } = app;
  await Promise.all([agent.stop(), screen.state.pendingShellBlocks.length > 0 && stopShell(app)]);
  clearActivity(context);
  if (agent.queue.length === 0) return;
  await restoreQueue(context);
}

async function stopShell(app: UserShellApp): Promise<void> {
  const { getUserShell } = await import("../../app/user-shell.ts");
  getUserShell(app).stopAll();
}

function isWorking({ app, screen: { state } }: SessionScreen): boolean {
  return app.agent.isRunning || state.activity.type !== "idle" || state.pendingShellBlocks.length > 0;
}

export async function restoreQueue({ app, screen }: SessionScreen): Promise<void> {
  const messages = await app.agent.clearQueue();
  const texts = messages.map(({ content }) => toEditorText(content, screen)).filter((text) => text !== "");
  if (texts.length > 0)
    screen.editorText.set([...texts, screen.editorText.text].filter((text) => text !== "").join("\n\n"));
}

/** Images get new markers, because the old ones may come from an earlier process. */
function toEditorText(content: QueuedMessage["content"], { editor }: ScreenApi): string {
  const initialText = editableText(content);
  if (typeof content === "string" || !editor) return initialText;
  return content.reduce((text, block, index) => {
    const previous = content[index - 1];
    if (block.type !== "image" || previous?.type !== "text") return text;
    return text.replaceAll(previous.text, editor.images.add(block));
  }, initialText);
}

/** Ctrl+C: stops the work or clears the editor; a second press quits. The up arrow restores the cleared text. */
export function clear(context: InteractiveContext): boolean {
  const { screen, leave } = context;
  if (screen.state.hint === formatQuitHint(context)) {
    clearEditor(screen);
    leave(null);
    return true;
  }
  if (!stop(context)) clearEditor(screen);
  showQuitHint(context);
  return true;
}

/** Ctrl+D. Returns false if the editor contains text, so that the editor handles the key. */
export function quit({ screen, leave }: Pick<InteractiveContext, "screen" | "leave">): boolean {
  if (screen.editorText.text !== "") return false;
  leave(null);
  return true;
}

function clearEditor(screen: ScreenApi): void {
  const { text } = screen.editorText;
  if (text.trim() === "") return;
  screen.editor?.addToHistory(text);
  screen.editorText.set("");
}

/** A second Ctrl+C quits only while this hint is visible. */
function showQuitHint(context: SessionScreen<"sessionPath">): void {
  const { screen } = context;
  const previousHint = screen.state.hint;
  const quitHint = formatQuitHint(context);
  screen.update((state) => ({ ...state, hint: quitHint }));
  const restore = (): void =>
    screen.update((state) => (state.hint === quitHint ? { ...state, hint: previousHint } : state));
  setTimeout(restore, QUIT_HINT_MS).unref();
}

function formatQuitHint({ app, screen: { state } }: SessionScreen<"sessionPath">): string {
  const saved = app.sessionPath === null ? "This session is not saved." : "Everything is saved.";
  return `Press ${keyHint("clear", state.keymap) ?? "Ctrl+C"} again to quit. ${saved}`;
}

const QUIT_HINT_MS = 2_000;

/** Returns false on Windows, where a shell cannot suspend a process. */
export function suspend({ screen }: { readonly screen: ScreenApi }): false | Promise<void> {
  return process.platform !== "win32" && screen.releaseTerminal(suspendProcess);
}

/** Restores the terminal also when another process sends the suspend signal. Returns a function that removes the handler. */
export function suspendOnSignal(screen: ScreenApi): () => void {
  const handler = (): void => void suspend({ screen });
  process.on("SIGTSTP", handler);
  return () => process.off("SIGTSTP", handler);
}

async function suspendProcess(): Promise<void> {
  const listeners = process.listeners("SIGTSTP");
  process.removeAllListeners("SIGTSTP");
  const resume = Promise.withResolvers<void>();
  process.once("SIGCONT", resume.resolve);
  // Without a shell that could resume the process, the system ignores the signal. The timer then continues.
  const timer = setTimeout(resume.resolve, SUSPEND_WAIT_MS);
  process.kill(0, "SIGTSTP");
  await resume.promise;
  clearTimeout(timer);
  process.off("SIGCONT", resume.resolve);
  for (const listener of listeners) process.on("SIGTSTP", listener);
}

const SUSPEND_WAIT_MS = 300;

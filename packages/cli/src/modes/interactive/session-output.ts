/** Shows the events and notes of a session while it has the screen, and sets the terminal title. Notes are held back until then, and dropped afterwards. */

import { basename } from "node:path";
import type { AgentEventListener, ExtensionUi } from "@pith/agent";
import type { Entry, Redaction } from "@pith/context";
import { noRedaction, sanitizeLine } from "@pith/context/host";
import { escapeControls } from "@pith/host/text/safe-text";
import { OutputGate, redactEvent } from "../../app/live-session.ts";
import { createExtensionUi, createPromptQueue, type PromptQueue } from "./extension-ui.ts";
import type { Notifier } from "./notifications.ts";
import type { ScreenApi, SessionScreen } from "./screen-context.ts";
import type { NoteBlock } from "./state/blocks.ts";

export async function showTitle({ app, screen }: SessionScreen<"agent" | "cwd">): Promise<void> {
  const { agent } = app;
  writeTitle(agent.session.redact((await agent.session.store.name()) ?? ""), { screen, folder: app.cwd });
}

/** Changes the title when the session gets another name. */
export function updateTitle(entry: Entry, screen: Pick<ScreenApi, "writeSequence">): void {
  if (entry.type === "session_info") writeTitle(entry.name ?? "", { screen, folder: process.cwd() });
}

/** Saves the title of the terminal, so that `RESTORE_TITLE` can restore it at the end. Not every terminal supports this. */
export const SAVE_TITLE = "\x1b[22;0t";
export const RESTORE_TITLE = "\x1b[23;0t";

function writeTitle(
  name: string,
  { screen, folder }: { readonly screen: Pick<ScreenApi, "writeSequence">; readonly folder: string },
): void {
  const parts = [name, basename(folder), "pith"]
    .map((part) => escapeControls(sanitizeLine(part, MAX_TITLE_PART_CHARS)))
    .filter((part) => part !== "");
  screen.writeSequence(`\x1b]0;${parts.join(" · ")}\x07`);
}

const MAX_TITLE_PART_CHARS = 60;

export interface SessionOutput {
  readonly notify: (line: string) => void;
  readonly setRedaction: (redaction: Redaction) => void;
  readonly onEvent: AgentEventListener;
  readonly ui: ExtensionUi;
  readonly queue: PromptQueue;
  /** Shows the notes that were held back, and all later output. */
  readonly open: () => void;
  /** Drops all later output. */
  readonly close: () => void;
}

interface Note {
  readonly text: string;
  readonly tone: NoteBlock["tone"];
}

export function createSessionOutput(screen: ScreenApi, notifier?: Notifier): SessionOutput {
  let currentRedaction: Redaction = noRedaction;
  const notes = new OutputGate<Note>(({ text, tone }) => screen.showNote(text, tone));
  const redact: Redaction["redact"] = (value) => currentRedaction.redact(value);
  const showNote = (text: string, tone: NoteBlock["tone"]): void => notes.write({ text, tone });
  const queue = createPromptQueue();
  const extensionUi = createExtensionUi(screen, { redact, showNote, queue, notifier });
  return {
    notify: (line) => showNote(redact(line), "plain"),
    setRedaction: (redaction) => {
      currentRedaction = redaction;
    },
    onEvent: (event) => {
      if (!notes.isOpen) return;
      notifier?.handleEvent(event);
      screen.handleEvent(redactEvent(event, currentRedaction));
      if (event.type === "entry_appended") updateTitle(event.entry, screen);
    },
    ui: extensionUi.ui,
    queue,
    open: () => {
      notes.open();
      extensionUi.open();
    },
    close: () => {
      notes.close();
      extensionUi.close();
    },
  };
}

/** Shows a session's events and notes, held back until it has the screen and dropped afterwards, and sets the terminal title. */

import { basename } from "node:path";
import type { AgentEvent, AgentEventListener, ExtensionUi } from "@pith/agent";
import type { Entry, Redaction } from "@pith/context";
import { noRedaction, sanitizeLine } from "@pith/context/host";
import { plain } from "../../text/safe-text.ts";
import { type Turns, turns, uiOn } from "./extension-ui.ts";
import type { Notifier } from "./notifications.ts";
import type { Stage, Talking } from "./screen-context.ts";
import type { Note } from "./state/blocks.ts";

export async function showTitle({ ready, screen }: Talking): Promise<void> {
  const { agent } = ready.built;
  show(agent.session.redact((await agent.session.store.name()) ?? ""), { screen, folder: ready.place.cwd });
}

/** A session that gets another name has another title. */
export function titled(entry: Entry, screen: Pick<Stage, "send">): void {
  if (entry.type === "session_info") show(entry.name ?? "", { screen, folder: process.cwd() });
}

/** At the start, so that what stood there before can come back; not every terminal can. */
export const keepTitle = "\x1b[22;0t";
export const restoreTitle = "\x1b[23;0t";

interface TitlePlace {
  readonly screen: Pick<Stage, "send">;
  readonly folder: string;
}

function show(name: string, { screen, folder }: TitlePlace): void {
  const words = [name, basename(folder), "pith"]
    .map((word) => plain(sanitizeLine(word, MOST)))
    .filter((word) => word !== "");
  screen.send(`\x1b]0;${words.join(" · ")}\x07`);
}

const MOST = 60;

export interface ScreenTelling {
  readonly note: (line: string) => void;
  readonly conceal: (redaction: Redaction) => void;
  readonly listen: AgentEventListener;
  readonly ui: ExtensionUi;
  readonly turns: Turns;
  /** Gives the screen to it, and what waited to whoever tells it. */
  readonly open: () => readonly Told[];
  readonly shut: () => void;
}

export interface Told {
  readonly text: string;
  readonly tone: Note["tone"];
}

export function tellingOn(screen: Stage, notifier?: Notifier): ScreenTelling {
  let concealed: Redaction = noRedaction;
  let waiting: Told[] | null = [];
  let isShown = false;
  const redacted: Redaction["redact"] = (value) => concealed.redact(value);
  const tell = (text: string, tone: Note["tone"]): void => {
    if (waiting) waiting.push({ text, tone });
    else if (isShown) screen.tell(text, tone);
  };
  const inTurn = turns();
  const own = uiOn(screen, { redacted, tell, turns: inTurn, notifier });
  return {
    note: (line) => tell(redacted(line), "plain"),
    conceal: (redaction) => {
      concealed = redaction;
    },
    listen: (event) => {
      if (!isShown) return;
      notifier?.hear(event);
      screen.hear(isClean(event) ? event : redacted(event));
      if (event.type === "entry_appended") titled(event.entry, screen);
    },
    ui: own.ui,
    turns: inTurn,
    open: () => {
      const lines = waiting ?? [];
      waiting = null;
      isShown = true;
      own.open();
      return lines;
    },
    shut: () => {
      waiting = null;
      isShown = false;
      own.shut();
    },
  };
}

/** What the agent itself has made clean, and too often to be looked at twice. */
function isClean({ type }: AgentEvent): boolean {
  return type === "message_update" || type === "tool_execution_update" || type === "entry_appended";
}

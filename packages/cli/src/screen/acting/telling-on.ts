/** How one session speaks on a screen: what it tells before it has the screen waits for that, and once another one has it, nothing more is shown. */

import type { AgentEvent, ExtensionUi, Listen } from "@pith/agent";
import { asItIs, type Redaction } from "@pith/context";
import type { Notifier } from "../notifying/notifier.ts";
import type { Stage } from "../stage.ts";
import type { Note } from "../state/block.ts";
import { type Turns, turns } from "./extending/turns.ts";
import { uiOn } from "./extending/ui-on.ts";
import { titled } from "./sessions/title.ts";

export interface ScreenTelling {
  readonly note: (line: string) => void;
  readonly conceal: (redaction: Redaction) => void;
  readonly listen: Listen;
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
  let concealed: Redaction = asItIs;
  let waiting: Told[] | null = [];
  let isShown = false;
  const redacted: Redaction["redacted"] = (value) => concealed.redacted(value);
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

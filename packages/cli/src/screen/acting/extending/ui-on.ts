/** Where extensions of one session ask and show, on its screen. Whatever they say is concealed, steers nothing, and is gone when the session is left. */

import type { ExtensionUi } from "@pith/agent";
import type { Redaction } from "@pith/context";
import { harmlessLines } from "../../../printing/harmless-words.ts";
import type { Notifier } from "../../notifying/notifier.ts";
import type { Stage } from "../../stage.ts";
import type { Note } from "../../state/block.ts";
import { noSigns, type Signs, withStatus, withWidget } from "../../state/signs.ts";
import { questionsOn } from "./questions-on.ts";
import type { Turns } from "./turns.ts";

export interface UiParts {
  readonly redacted: Redaction["redacted"];
  /** In the transcript, or as soon as there is one. */
  readonly tell: (text: string, tone: Note["tone"]) => void;
  readonly turns: Turns;
  readonly notifier: Pick<Notifier, "waits"> | undefined;
}

export interface ScreenUi {
  readonly ui: ExtensionUi;
  /** Its session has the screen from now on: signs that were set are seen. */
  open(): void;
  /** What is asked is closed, and what is shown goes. */
  shut(): void;
}

export function uiOn(stage: Stage, { redacted, tell, turns, notifier }: UiParts): ScreenUi {
  const leaving = new AbortController();
  const left = leaving.signal;
  let signs: Signs = noSigns;
  let isSeen = false;
  const sign = (next: Signs): void => {
    if (left.aborted) return;
    signs = next;
    if (isSeen) stage.change((state) => ({ ...state, signs }));
  };
  return {
    ui: {
      ...questionsOn(stage, { redacted, left, turns, notifier }),
      notify: (message, type = "info") => {
        if (!left.aborted) tell(harmlessLines(redacted(message), MOST_LINES).join("\n"), toneOf(type));
      },
      setStatus: (key, text) => sign(withStatus(signs, key, redacted(text))),
      setWidget: (key, lines) => sign(withWidget(signs, key, redacted(lines))),
    },
    open: () => {
      isSeen = true;
      stage.change((state) => ({ ...state, signs }));
    },
    shut: () => {
      leaving.abort();
      if (isSeen) stage.change((state) => ({ ...state, signs: noSigns }));
      isSeen = false;
    },
  };
}

const MOST_LINES = 20;

/** Whatever else it calls it, it is told. */
function toneOf(type: string): Note["tone"] {
  if (type === "error") return "bad";
  return type === "warning" ? "warning" : "plain";
}

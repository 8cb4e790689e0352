/** What is heard while a model answers, as progress for people and as calls that cost something though nothing came of them. */

import { briefly } from "../../attempted.ts";
import type { Usage } from "../../message.ts";
import type { ModelEvent, ModelFailure } from "../../model.ts";
import type { TellProgress } from "../progress.ts";

export interface Ear {
  /** Every event of the stream. */
  hear(event: ModelEvent): void;
  /** Asked again by ourselves. */
  waits(failure: ModelFailure, delayMs: number): void;
  /** The wait is over. */
  goesOn(): void;
  /** Nothing more is to be heard. */
  ends(): void;
}

export interface Hearing {
  readonly progress?: TellProgress | undefined;
  /** For a try that does not count. */
  readonly spent?: ((usage: Usage) => void) | undefined;
}

export function earOf({ progress = () => {}, spent = () => {} }: Hearing): Ear {
  let [letters, told, attempts, isWaiting] = [0, 0, 0, false];
  const goesOn = (): void => {
    if (isWaiting) progress({ step: "asking-again", attempt: attempts });
    isWaiting = false;
  };
  const waits = (failure: ModelFailure, delayMs: number): void => {
    [letters, told, attempts, isWaiting] = [0, 0, attempts + 1, true];
    progress({ step: "waiting", attempt: attempts, delayMs, errorMessage: briefly(failure.message) });
  };
  const hear = (event: ModelEvent): void => {
    if (event.type === "reply-restarted") {
      if (event.usage) spent(event.usage);
      waits(event.failure, event.waitMs);
      return;
    }
    goesOn();
    letters += lettersIn(event);
    const tokens = Math.floor(letters / LETTERS);
    if (tokens < told + STEP) return;
    told = tokens;
    progress({ step: "writing", tokens });
  };
  const ends = (): void => {
    if (attempts > 0) progress({ step: "answered", attempts });
  };
  return { hear, waits, goesOn, ends };
}

function lettersIn(event: ModelEvent): number {
  return event.type === "text-delta" || event.type === "thinking-delta" ? event.text.length : 0;
}

/** Roughly, of a token: this is told to people who wait, and counts for nothing. */
const LETTERS = 4;
/** Tokens from one word of progress to the next. */
const STEP = 200;

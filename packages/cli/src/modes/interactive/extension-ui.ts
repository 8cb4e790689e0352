/** Shows the questions, notifications, statuses and widgets of extensions on the screen, one question at a time. */

import type { ExtensionUi, UiPromptOptions } from "@pith/agent";
import type { Redaction } from "@pith/context";
import { harmlessLines } from "../../text/safe-text.ts";
import type { Notifier } from "./notifications.ts";
import type { Panel } from "./panels/panel.ts";
import type { TypingOptions } from "./panels/typing.ts";
import type { Stage } from "./screen-context.ts";
import type { Note } from "./state/blocks.ts";
import { noSigns, type Signs, withStatus, withWidget } from "./state/screen-state.ts";

export interface AskedParts<State, Answer> {
  readonly turns: Turns;
  /** Absent: nobody has turned away, and keys count at once. */
  readonly notifier: Pick<Notifier, "waits"> | undefined;
  readonly title: string;
  readonly panel: () => Promise<Panel<State, Answer>>;
}

/** Null or undefined where nobody answered. */
export async function askedOn<State, Answer>(
  stage: Stage,
  { title, panel, turns, notifier }: AskedParts<State, Answer>,
  signal: AbortSignal,
): Promise<Answer | null | undefined> {
  const ask = async (): Promise<Answer | null> => {
    const enough = notifier?.waits(title);
    try {
      const { withTyping } = await import("./panels/typing.ts");
      return await stage.ask(withTyping(await panel(), earlyKeys(stage, notifier)), { where: "inline", signal });
    } finally {
      enough?.();
    }
  };
  return await turns.inTurn(ask, signal);
}

/** Whoever has words in the editor may still be typing; nobody else can have read a question in less than a moment. */
export function earlyKeys({ words }: Stage, notifier: AskedParts<unknown, unknown>["notifier"]): TypingOptions {
  return notifier ? { quietMs: A_MOMENT_MS, isTyping: words.text !== "" } : {};
}

const A_MOMENT_MS = 300;

/** When the session is left, the one who asks wants no answer any more, or has waited long enough. */
export function ending({ signal, timeout }: UiPromptOptions, left: AbortSignal): AbortSignal {
  const isLimited = typeof timeout === "number" && timeout > 0 && timeout <= LONGEST_MS;
  return AbortSignal.any([left, ...(signal ? [signal] : []), ...(isLimited ? [AbortSignal.timeout(timeout)] : [])]);
}

/** A timer knows no more. */
const LONGEST_MS = 2 ** 31 - 1;

export interface QuestionParts extends Pick<AskedParts<unknown, unknown>, "turns" | "notifier"> {
  readonly redacted: Redaction["redact"];
  /** The session was left. */
  readonly left: AbortSignal;
}

/** Shows redacted texts, and returns the option as the extension gave it. */
export function questionsOn(
  stage: Stage,
  { redacted, left, turns, notifier }: QuestionParts,
): Pick<ExtensionUi, "select" | "confirm" | "input"> {
  const asked = <State, Answer>(title: string, panel: Making<State, Answer>, asking: UiPromptOptions = {}) =>
    askedOn(stage, { title, panel: async () => panel(await panels()), turns, notifier }, ending(asking, left));
  return {
    select: async (given, options, asking) => {
      const title = redacted(given);
      const labels = options.slice(0, MOST_OPTIONS).map((option) => redacted(option));
      if (labels.length === 0) return undefined;
      const isFew = labels.length <= FEW;
      const few = isFew ? await asked(title, ({ fewPanel }) => fewPanel(title, labels), asking) : null;
      const many = isFew ? null : await asked(title, ({ manyPanel }) => manyPanel(title, labels), asking);
      return options[few ?? many?.value ?? -1];
    },
    confirm: async (given, message, asking) => {
      const [title, more] = [redacted(given), redacted(message)];
      return (await asked(title, ({ confirmPanel }) => confirmPanel(title, more), asking)) ?? false;
    },
    input: async (given, placeholder = "", asking = {}) => {
      const [title, such] = [redacted(given), redacted(placeholder)];
      return (await asked(title, ({ inputPanel }) => inputPanel(title, such), asking)) ?? undefined;
    },
  };
}

/** Those that stand on any screen. */
const FEW = 6;
const MOST_OPTIONS = 1_000;

type Making<State, Answer> = (from: Awaited<ReturnType<typeof panels>>) => Panel<State, Answer>;

/** Loaded when somebody asks. */
async function panels() {
  return await import("./panels/extension-prompts.ts");
}

export interface Turns {
  atOnce<Value>(act: () => Promise<Value>): Promise<Value>;
  /** Undefined where it was broken off before its turn came. */
  inTurn<Value>(act: () => Promise<Value>, signal: AbortSignal): Promise<Value | undefined>;
}

/** A permission question is asked at once; questions of extensions wait until none is open, one after the other. */
export function turns(): Turns {
  let urgent = 0;
  let last: Promise<unknown> = Promise.resolve();
  let free = Promise.withResolvers<void>();
  return {
    atOnce: async (act) => {
      urgent += 1;
      try {
        return await act();
      } finally {
        urgent -= 1;
        if (urgent === 0) {
          free.resolve();
          free = Promise.withResolvers();
        }
      }
    },
    inTurn: async (act, signal) => {
      const before = last;
      const turn = (async () => {
        await unlessAborted(before, signal);
        while (urgent > 0 && !signal.aborted) await unlessAborted(free.promise, signal);
        return signal.aborted ? undefined : await act();
      })();
      // Who gives up its turn does not let those behind it pass those before it.
      last = Promise.allSettled([before, turn]);
      return await turn;
    },
  };
}

async function unlessAborted(awaited: Promise<unknown>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const aborted = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => aborted.resolve(), { once: true });
  await Promise.race([awaited, aborted.promise]);
}

export interface UiParts {
  readonly redacted: Redaction["redact"];
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

/** Texts are redacted and stripped of control sequences; statuses and widgets go when the session is left. */
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

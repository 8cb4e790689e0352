/** Shows the questions, notifications, statuses and widgets of extensions on the screen, one question at a time. */

import type { ExtensionUi, UiPromptOptions } from "@pith/agent";
import type { Redaction } from "@pith/context";
import { toSafeLines } from "../../text/safe-text.ts";
import type { Notifier } from "./notifications.ts";
import type { Panel } from "./panels/panel.ts";
import type { TypingOptions } from "./panels/typing.ts";
import type { ScreenApi } from "./screen-context.ts";
import type { NoteBlock } from "./state/blocks.ts";
import { type ExtensionWidgets, emptyExtensionWidgets, withStatus, withWidget } from "./state/screen-state.ts";

export interface PromptOptions<State, Answer> {
  readonly queue: PromptQueue;
  /** Absent: nobody has turned away, and keys count at once. */
  readonly notifier: Pick<Notifier, "notifyWhenAway"> | undefined;
  readonly title: string;
  readonly loadPanel: () => Promise<Panel<State, Answer>>;
}

/** Null or undefined where nobody answered. */
export async function showPrompt<State, Answer>(
  screen: ScreenApi,
  { title, loadPanel, queue, notifier }: PromptOptions<State, Answer>,
  signal: AbortSignal,
): Promise<Answer | null | undefined> {
  const show = async (): Promise<Answer | null> => {
    const stopNotifying = notifier?.notifyWhenAway(title);
    try {
      const { withTyping } = await import("./panels/typing.ts");
      return await screen.showPanel(withTyping(await loadPanel(), createTypingOptions(screen, notifier)), {
        where: "inline",
        signal,
      });
    } finally {
      stopNotifying?.();
    }
  };
  return await queue.enqueue(show, signal);
}

/** Whoever has words in the editor may still be typing; nobody else can have read a question in less than a moment. */
export function createTypingOptions(
  { editorText }: ScreenApi,
  notifier: PromptOptions<unknown, unknown>["notifier"],
): TypingOptions {
  return notifier ? { quietMs: TYPING_QUIET_MS, isTyping: editorText.text !== "" } : {};
}

const TYPING_QUIET_MS = 300;

/** When the session is left, the one who asks wants no answer any more, or has waited long enough. */
export function createPromptSignal({ signal, timeout }: UiPromptOptions, sessionSignal: AbortSignal): AbortSignal {
  const isLimited = typeof timeout === "number" && timeout > 0 && timeout <= MAX_TIMER_MS;
  return AbortSignal.any([
    sessionSignal,
    ...(signal ? [signal] : []),
    ...(isLimited ? [AbortSignal.timeout(timeout)] : []),
  ]);
}

/** A timer knows no more. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface ExtensionPromptOptions extends Pick<PromptOptions<unknown, unknown>, "queue" | "notifier"> {
  readonly redact: Redaction["redact"];
  /** The session was left. */
  readonly sessionSignal: AbortSignal;
}

/** Shows redacted texts, and returns the option as the extension gave it. */
export function createPrompts(
  screen: ScreenApi,
  { redact, sessionSignal, queue, notifier }: ExtensionPromptOptions,
): Pick<ExtensionUi, "select" | "confirm" | "input"> {
  const ask = <State, Answer>(
    title: string,
    createPanel: PanelFactory<State, Answer>,
    promptOptions: UiPromptOptions = {},
  ) =>
    showPrompt(
      screen,
      { title, loadPanel: async () => createPanel(await loadPanels()), queue, notifier },
      createPromptSignal(promptOptions, sessionSignal),
    );
  return {
    select: async (rawTitle, options, promptOptions) => {
      const title = redact(rawTitle);
      const labels = options.slice(0, MAX_OPTIONS).map((option) => redact(option));
      if (labels.length === 0) return undefined;
      const isFew = labels.length <= MAX_INLINE_OPTIONS;
      const chosenIndex = isFew
        ? await ask(title, ({ createSelectPanel }) => createSelectPanel(title, labels), promptOptions)
        : null;
      const picked = isFew
        ? null
        : await ask(title, ({ createSearchPanel }) => createSearchPanel(title, labels), promptOptions);
      return options[chosenIndex ?? picked?.value ?? -1];
    },
    confirm: async (rawTitle, message, promptOptions) => {
      const [title, redactedMessage] = [redact(rawTitle), redact(message)];
      return (
        (await ask(title, ({ createConfirmPanel }) => createConfirmPanel(title, redactedMessage), promptOptions)) ??
        false
      );
    },
    input: async (rawTitle, placeholder = "", promptOptions = {}) => {
      const [title, redactedPlaceholder] = [redact(rawTitle), redact(placeholder)];
      return (
        (await ask(title, ({ createInputPanel }) => createInputPanel(title, redactedPlaceholder), promptOptions)) ??
        undefined
      );
    },
  };
}

/** Those that stand on any screen. */
const MAX_INLINE_OPTIONS = 6;
const MAX_OPTIONS = 1_000;

type PanelFactory<State, Answer> = (panels: Awaited<ReturnType<typeof loadPanels>>) => Panel<State, Answer>;

/** Loaded when somebody asks. */
async function loadPanels() {
  return await import("./panels/extension-prompts.ts");
}

export interface PromptQueue {
  runNow<Value>(run: () => Promise<Value>): Promise<Value>;
  /** Undefined where it was broken off before its turn came. */
  enqueue<Value>(run: () => Promise<Value>, signal: AbortSignal): Promise<Value | undefined>;
}

/** A permission question is asked at once; questions of extensions wait until none is open, one after the other. */
export function createPromptQueue(): PromptQueue {
  let urgentCount = 0;
  let tail: Promise<unknown> = Promise.resolve();
  let idle = Promise.withResolvers<void>();
  return {
    runNow: async (run) => {
      urgentCount += 1;
      try {
        return await run();
      } finally {
        urgentCount -= 1;
        if (urgentCount === 0) {
          idle.resolve();
          idle = Promise.withResolvers();
        }
      }
    },
    enqueue: async (run, signal) => {
      const previous = tail;
      const turn = (async () => {
        await raceAbort(previous, signal);
        while (urgentCount > 0 && !signal.aborted) await raceAbort(idle.promise, signal);
        return signal.aborted ? undefined : await run();
      })();
      // Who gives up its turn does not let those behind it pass those before it.
      tail = Promise.allSettled([previous, turn]);
      return await turn;
    },
  };
}

async function raceAbort(promise: Promise<unknown>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const aborted = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => aborted.resolve(), { once: true });
  await Promise.race([promise, aborted.promise]);
}

export interface ExtensionUiOptions {
  readonly redact: Redaction["redact"];
  /** In the transcript, or as soon as there is one. */
  readonly showNote: (text: string, tone: NoteBlock["tone"]) => void;
  readonly queue: PromptQueue;
  readonly notifier: Pick<Notifier, "notifyWhenAway"> | undefined;
}

export interface ScreenUi {
  readonly ui: ExtensionUi;
  /** Its session has the screen from now on: signs that were set are seen. */
  open(): void;
  /** What is asked is closed, and what is shown goes. */
  close(): void;
}

/** Texts are redacted and stripped of control sequences; statuses and widgets go when the session is left. */
export function createExtensionUi(
  screen: ScreenApi,
  { redact, showNote, queue, notifier }: ExtensionUiOptions,
): ScreenUi {
  const sessionController = new AbortController();
  const sessionSignal = sessionController.signal;
  let widgets: ExtensionWidgets = emptyExtensionWidgets;
  let isVisible = false;
  const setWidgets = (next: ExtensionWidgets): void => {
    if (sessionSignal.aborted) return;
    widgets = next;
    if (isVisible) screen.update((state) => ({ ...state, extensionWidgets: widgets }));
  };
  return {
    ui: {
      ...createPrompts(screen, { redact, sessionSignal, queue, notifier }),
      notify: (message, type = "info") => {
        if (!sessionSignal.aborted)
          showNote(toSafeLines(redact(message), MAX_NOTIFICATION_LINES).join("\n"), toTone(type));
      },
      setStatus: (key, text) => setWidgets(withStatus(widgets, key, redact(text))),
      setWidget: (key, lines) => setWidgets(withWidget(widgets, key, redact(lines))),
    },
    open: () => {
      isVisible = true;
      screen.update((state) => ({ ...state, extensionWidgets: widgets }));
    },
    close: () => {
      sessionController.abort();
      if (isVisible) screen.update((state) => ({ ...state, extensionWidgets: emptyExtensionWidgets }));
      isVisible = false;
    },
  };
}

const MAX_NOTIFICATION_LINES = 20;

/** Whatever else it calls it, it is told. */
function toTone(type: string): NoteBlock["tone"] {
  if (type === "error") return "bad";
  return type === "warning" ? "warning" : "plain";
}

/** Shows the questions, notifications, statuses and widgets of extensions on the screen, one question at a time. */

import type { ExtensionUi, UiPromptOptions } from "@pith/agent";
import type { Redaction } from "@pith/context";
import { toSafeLines } from "@pith/host/text/safe-text";
import type { Notifier } from "./notifications.ts";
import type { Panel } from "./panels/panel.ts";
import type { ScreenApi } from "./screen-context.ts";
import type { NoteBlock } from "./state/blocks.ts";
import { type ExtensionWidgets, emptyExtensionWidgets, withStatus, withWidget } from "./state/screen-state.ts";

export interface PromptOptions<State, Answer> {
  readonly queue: PromptQueue;
  /** Absent if the user cannot be notified. */
  readonly notifier: Pick<Notifier, "notifyWhenAway"> | undefined;
  readonly title: string;
  readonly loadPanel: () => Promise<Panel<State, Answer>>;
}

/** Resolves with null or undefined if the question was not answered. */
async function showPrompt<State, Answer>(
  screen: ScreenApi,
  { title, loadPanel, queue, notifier }: PromptOptions<State, Answer>,
  signal: AbortSignal,
): Promise<Answer | null | undefined> {
  const show = async (): Promise<Answer | null> => {
    const stopNotifying = notifier?.notifyWhenAway(title);
    try {
      return await screen.showPanel(await loadPanel(), { where: "inline", signal, question: "unprompted" });
    } finally {
      stopNotifying?.();
    }
  };
  return await queue.enqueue(show, signal);
}

/** Aborts when the session is left, when the extension cancels the question, or after the extension's timeout. */
function createPromptSignal({ signal, timeout }: UiPromptOptions, sessionSignal: AbortSignal): AbortSignal {
  const isLimited = typeof timeout === "number" && timeout > 0 && timeout <= MAX_TIMER_MS;
  return AbortSignal.any([
    sessionSignal,
    ...(signal ? [signal] : []),
    ...(isLimited ? [AbortSignal.timeout(timeout)] : []),
  ]);
}

/** The longest delay that a timer supports. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface ExtensionPromptOptions extends Pick<PromptOptions<unknown, unknown>, "queue" | "notifier"> {
  readonly redact: Redaction["redact"];
  /** Aborts when the session is left. */
  readonly sessionSignal: AbortSignal;
}

/** Shows redacted texts, and returns the selected option as the extension passed it. */
function createPrompts(
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
      const inlineIndex = isFew
        ? await ask(title, ({ createSelectPanel }) => createSelectPanel(title, labels), promptOptions)
        : null;
      const choice = isFew
        ? null
        : await ask(title, ({ createSearchPanel }) => createSearchPanel(title, labels), promptOptions);
      return options[inlineIndex ?? choice?.value ?? -1];
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

/** This many options fit on any screen. */
const MAX_INLINE_OPTIONS = 6;
const MAX_OPTIONS = 1_000;

type PanelFactory<State, Answer> = (panels: Awaited<ReturnType<typeof loadPanels>>) => Panel<State, Answer>;

/** Loads the panels with the first question. */
async function loadPanels() {
  return await import("./panels/extension-prompts.ts");
}

export interface PromptQueue {
  runNow<Value>(run: () => Promise<Value>): Promise<Value>;
  /** Resolves with undefined if the signal aborts before `run` starts. */
  enqueue<Value>(run: () => Promise<Value>, signal: AbortSignal): Promise<Value | undefined>;
}

/** Runs permission questions immediately. Questions of extensions wait until no permission question is open, and run one after another. */
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
      // A question that is aborted while it waits must not let later questions overtake earlier ones.
      tail = Promise.allSettled([previous, turn]);
      return await turn;
    },
  };
}

async function raceAbort(promise: Promise<unknown>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const abort = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => abort.resolve(), { once: true });
  await Promise.race([promise, abort.promise]);
}

export interface ExtensionUiOptions {
  readonly redact: Redaction["redact"];
  /** Shows a note in the transcript, or as soon as the session has the screen. */
  readonly showNote: (text: string, tone: NoteBlock["tone"]) => void;
  readonly queue: PromptQueue;
  readonly notifier: Pick<Notifier, "notifyWhenAway"> | undefined;
}

export interface ScreenUi {
  readonly ui: ExtensionUi;
  /** Called when the session gets the screen. Shows the statuses and widgets that are already set. */
  open(): void;
  /** Closes open questions and removes statuses and widgets. */
  close(): void;
}

/** Redacts texts and removes control sequences. Statuses and widgets disappear when the session is left. */
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

/** A notification of an unknown type is shown as a plain note. */
function toTone(type: string): NoteBlock["tone"] {
  if (type === "error") return "bad";
  return type === "warning" ? "warning" : "plain";
}

/** Lets the user type while a question is open: a key that is no answer, and all keys after it, go to the editor. */

import { isCancelKey, isText, type KeyResult, type Panel, type Viewport } from "./panel.ts";
import { renderHints } from "./widgets.ts";

export interface TypingState<State> {
  readonly inner: State;
  /** Whether keys go to the editor. Ends with Esc. */
  readonly isTyping: boolean;
  /** False until there was a pause between keys; before that, the user cannot have read the question. */
  readonly isReady: boolean;
  /** The number of answer keys that came before the question was ready. */
  readonly earlyKeys: number;
}

export interface TypingOptions {
  /** Milliseconds without a key after which the question accepts keys. Default: 0. */
  readonly quietMs?: number;
  /** Whether the user is already typing, so that the first keys also go to the editor. */
  readonly isTyping?: boolean;
}

/** ASK1, ASK2, XUI10: wraps a panel so that keys meant for the editor never reach it. */
export function withTyping<State, Answer>(
  panel: Panel<State, Answer>,
  { quietMs = 0, isTyping = false }: TypingOptions = {},
): Panel<TypingState<State>, Answer> {
  return {
    initialState: { inner: panel.initialState, isTyping, isReady: quietMs === 0, earlyKeys: 0 },
    ...(panel.plainQuestion && { plainQuestion: panel.plainQuestion }),
    isTyping: (state) => state.isTyping,
    handleKey: (state, key, viewport) => {
      if (state.isTyping) return handleTypingKey(state, key);
      if (!state.isReady) return handleEarlyKey(state, key, quietMs);
      const result = panel.handleKey(state.inner, key, viewport);
      return result ? wrapInnerResult(state, result) : startTyping(state, key);
    },
    render: ({ inner, isTyping: isEditorActive }, viewport) => {
      if (!isEditorActive) return panel.render(inner, viewport);
      const height = Math.max(1, viewport.height - 1);
      return [...panel.render(inner, { ...viewport, height, isTyping: true }), renderTypingHint(viewport)];
    },
    loadUpdates: async (update, signal) => {
      await Promise.all([
        waitUntilQuiet<State>(0, quietMs, signal).then(update),
        panel.loadUpdates?.(
          (updateInner) => update((state) => ({ ...state, inner: updateInner(state.inner) })),
          signal,
        ),
      ]);
    },
  };
}

function handleTypingKey<State>(state: TypingState<State>, key: string): KeyResult<TypingState<State>, never> {
  // A user who comes back has seen the question.
  if (isCancelKey(key)) return { type: "continue", state: { ...state, isTyping: false, isReady: true } };
  return { type: "continue", state, isTyping: true };
}

/** Esc always closes the question. A character goes to the editor. Enter and arrow keys are ignored, and the wait starts again. */
function handleEarlyKey<State>(
  state: TypingState<State>,
  key: string,
  quietMs: number,
): KeyResult<TypingState<State>, never> | null {
  if (isCancelKey(key)) return null;
  const typingResult = startTyping(state, key);
  if (typingResult || !ANSWER_KEYS.has(key)) return typingResult;
  const earlyKeys = state.earlyKeys + 1;
  const loadUpdate = (signal: AbortSignal) => waitUntilQuiet<State>(earlyKeys, quietMs, signal);
  return { type: "continue", state: { ...state, earlyKeys }, loadUpdate };
}

const ANSWER_KEYS: ReadonlySet<string> = new Set(["enter", "up", "down", "left", "right", "tab", "home", "end"]);

function startTyping<State>(state: TypingState<State>, key: string): KeyResult<TypingState<State>, never> | null {
  if (!isText(key)) return null;
  return { type: "continue", state: { ...state, isTyping: true }, isTyping: true };
}

function wrapInnerResult<State, Answer>(
  state: TypingState<State>,
  result: KeyResult<State, Answer>,
): KeyResult<TypingState<State>, Answer> {
  if (result.type === "done") return result;
  const { loadUpdate } = result;
  return {
    ...result,
    state: { ...state, inner: result.state },
    ...(loadUpdate && {
      loadUpdate: async (signal) => {
        const updateInner = await loadUpdate(signal);
        return (current: TypingState<State>) => ({ ...current, inner: updateInner(current.inner) });
      },
    }),
  } as KeyResult<TypingState<State>, Answer>;
}

/** Returns an update that makes the question ready, unless another key came during the wait. */
async function waitUntilQuiet<State>(
  earlyKeys: number,
  quietMs: number,
  signal: AbortSignal,
): Promise<(state: TypingState<State>) => TypingState<State>> {
  await new Promise<void>((resolve) => {
    // If the program was busy, keys pressed long ago are read first, so that they are treated as early.
    const timer = setTimeout(() => setImmediate(resolve), quietMs);
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
  return (state) => (state.earlyKeys === earlyKeys ? { ...state, isReady: true } : state);
}

function renderTypingHint(viewport: Viewport): string {
  return renderHints(["You are typing a message", "Enter send", "Esc back to the question"], viewport);
}

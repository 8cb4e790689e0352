/** Lets a user type while a question is open: a key that is no answer, and all that follow, go to the editor and never answer it. */

import { isCancelKey, isText, type KeyResult, type Panel, type Viewport } from "./panel.ts";
import { renderHints } from "./widgets.ts";

export interface TypingState<State> {
  readonly inner: State;
  /** Keys go to the editor until Esc. */
  readonly isTyping: boolean;
  /** False until keys have rested once: before that nobody can have read the question. */
  readonly isReady: boolean;
  /** How many keys came before that. */
  readonly earlyKeys: number;
}

export interface TypingOptions {
  /** Milliseconds without a key after which keys count; at once, unless told. */
  readonly quietMs?: number;
  /** Whether somebody is typing already, so that the first keys are for the editor, too. */
  readonly isTyping?: boolean;
}

/** ASK1, ASK2, XUI10: the same panel, which keys that were meant for the editor never reach. */
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
  // Whoever comes back has seen the question.
  if (isCancelKey(key)) return { type: "goes-on", state: { ...state, isTyping: false, isReady: true } };
  return { type: "goes-on", state, isTyping: true };
}

/** Esc is meant whenever it comes. A letter is for the editor; Enter and arrows are ignored, and the wait starts again. */
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
  return { type: "goes-on", state: { ...state, earlyKeys }, loadUpdate };
}

const ANSWER_KEYS: ReadonlySet<string> = new Set(["enter", "up", "down", "left", "right", "tab", "home", "end"]);

function startTyping<State>(state: TypingState<State>, key: string): KeyResult<TypingState<State>, never> | null {
  if (!isText(key)) return null;
  return { type: "goes-on", state: { ...state, isTyping: true }, isTyping: true };
}

function wrapInnerResult<State, Answer>(
  state: TypingState<State>,
  result: KeyResult<State, Answer>,
): KeyResult<TypingState<State>, Answer> {
  if (result.type === "answered") return result;
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

/** Ready, unless another key came meanwhile. */
async function waitUntilQuiet<State>(
  earlyKeys: number,
  quietMs: number,
  signal: AbortSignal,
): Promise<(state: TypingState<State>) => TypingState<State>> {
  await new Promise<void>((resolve) => {
    // Where the program was busy, keys that were pressed long ago are read first, and count as early.
    const timer = setTimeout(() => setImmediate(resolve), quietMs);
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
  return (state) => (state.earlyKeys === earlyKeys ? { ...state, isReady: true } : state);
}

function renderTypingHint(viewport: Viewport): string {
  return renderHints(["You are typing a message", "Enter sends it", "Esc: back to the question"], viewport);
}

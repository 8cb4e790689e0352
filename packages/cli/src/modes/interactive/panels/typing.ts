/** Keeps keys that are not meant for a question away from it: those from before it was drawn, and those that are no answer. */

import { type Continue, isCancelKey, isText, type KeyResult, type Panel, type Viewport } from "./panel.ts";
import { renderHints } from "./widgets.ts";

export interface TypingState<State> {
  readonly inner: State;
  /** Whether keys go to the editor. Ends with Esc. */
  readonly isTyping: boolean;
  readonly isDrawn: boolean;
  /** False until there was a pause between keys after the question was drawn; before that, the user cannot have read it. */
  readonly isReady: boolean;
  /** The number of keys that came before the question was ready, except those that were typed as text. */
  readonly earlyKeys: number;
}

export interface TypingOptions {
  /** Milliseconds without a key after which the question accepts keys, from when it was drawn. Default: null, it accepts them immediately. */
  readonly quietMs?: number | null;
  /** Whether the user is already typing, so that the first keys also go to the editor. Default: false. */
  readonly isTyping?: boolean;
}

/** ASK1, ASK2, ASK6, XUI10: wraps a panel so that keys meant for the editor never reach it. */
export function withTyping<State, Answer>(
  panel: Panel<State, Answer>,
  { quietMs = null, isTyping = false }: TypingOptions = {},
): Panel<TypingState<State>, Answer> {
  const isReadyAtOnce = quietMs === null;
  return {
    initialState: { inner: panel.initialState, isTyping, isDrawn: isReadyAtOnce, isReady: isReadyAtOnce, earlyKeys: 0 },
    ...(panel.plainQuestion && { plainQuestion: panel.plainQuestion }),
    isTyping: (state) => state.isTyping,
    handleKey: (state, key, viewport) => {
      if (state.isTyping) return handleTypingKey(state, key, quietMs);
      if (!state.isReady) return startTyping(state, key) ?? { ...restartWait(state, quietMs), isEarly: true };
      const result = panel.handleKey(state.inner, key, viewport);
      return result ? wrapInnerResult(state, result) : startTyping(state, key);
    },
    render: ({ inner, isTyping: isEditorActive, isReady }, viewport) => {
      const hasKeys = isReady || quietMs === null || quietMs < NOTICEABLE_MS;
      if (!isEditorActive) return panel.render(inner, hasKeys ? viewport : { ...viewport, isTyping: true });
      const height = Math.max(1, viewport.height - 1);
      return [...panel.render(inner, { ...viewport, height, isTyping: true }), renderTypingHint(viewport)];
    },
    ...(panel.loadUpdates && { loadUpdates: wrapUpdates(panel.loadUpdates) }),
    onDrawn: async (update, signal) => {
      if (quietMs !== null) await startQuietPeriod<State>(update, { quietMs, signal });
    },
  };
}

/** A shorter wait does not hide the hints about keys, because it would only make them flicker. */
const NOTICEABLE_MS = 100;

function wrapUpdates<State>(
  loadUpdates: NonNullable<Panel<State, never>["loadUpdates"]>,
): NonNullable<Panel<TypingState<State>, never>["loadUpdates"]> {
  return (update, signal) =>
    loadUpdates((change) => update((state) => ({ ...state, inner: change(state.inner) })), signal);
}

type TypingUpdate<State> = (change: (state: TypingState<State>) => TypingState<State>) => void;

/** Called when the question was drawn. */
async function startQuietPeriod<State>(
  update: TypingUpdate<State>,
  { quietMs, signal }: { readonly quietMs: number; readonly signal: AbortSignal },
): Promise<void> {
  let earlyKeys = 0;
  update((state) => {
    earlyKeys = state.earlyKeys;
    return { ...state, isDrawn: true, isReady: quietMs === 0 };
  });
  if (quietMs > 0) update(await waitUntilQuiet<State>(earlyKeys, quietMs, signal));
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

/** Esc goes back to the question. If it was not ready yet, the user cannot have read it, so the wait starts again. */
function handleTypingKey<State>(
  state: TypingState<State>,
  key: string,
  quietMs: number | null,
): KeyResult<TypingState<State>, never> {
  if (!isCancelKey(key)) return { type: "continue", state, isTyping: true };
  const nextState = { ...state, isTyping: false };
  return state.isReady ? { type: "continue", state: nextState } : restartWait(nextState, quietMs);
}

/** Before the question is drawn, there is no wait yet. */
function restartWait<State>(state: TypingState<State>, quietMs: number | null): Continue<TypingState<State>> {
  const earlyKeys = state.earlyKeys + 1;
  return {
    type: "continue",
    state: { ...state, earlyKeys },
    ...(state.isDrawn && { loadUpdate: (signal) => waitUntilQuiet<State>(earlyKeys, quietMs ?? 0, signal) }),
  };
}

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

function renderTypingHint(viewport: Viewport): string {
  return renderHints(["You are typing a message", "Enter send", "Esc back to the question"], viewport);
}

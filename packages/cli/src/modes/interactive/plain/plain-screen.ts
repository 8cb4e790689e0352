/** Implements the screen for screen readers and terminals without cursor movement. Lines are appended and never redrawn. */

import type { AgentEvent } from "@pith/agent";
import { formatCountOrNone } from "@pith/host/text/format";
import { escapeControls } from "@pith/host/text/safe-text";
import { isCancelKey, openPanel, type Panel } from "../panels/panel.ts";
import type { EditorText, PanelOptions, ScreenApi } from "../screen-context.ts";
import { type Block, isDraft, isFinished, type NoteBlock, type ToolBlock } from "../state/blocks.ts";
import { type FinishedSplit, splitFinished } from "../state/finished-blocks.ts";
import { reduceEvent } from "../state/reduce.ts";
import type { ScreenState } from "../state/screen-state.ts";
import { formatBlock, formatStateChange, formatToolCallName } from "./block-text.ts";
import { createKeyQuestion, createQuestion, type Question } from "./questions.ts";

/** Includes blocks that could be folded, because this screen folds nothing: they are printed as soon as they are finished. */
function splitFinishedBlocks(state: ScreenState): FinishedSplit {
  const { blocks, rest } = splitFinished(state);
  const firstOpen = rest.blocks.findIndex((block) => !isFinished(block) || isDraft(block));
  const finishedBlocks = firstOpen === -1 ? rest.blocks : rest.blocks.slice(0, firstOpen);
  if (finishedBlocks.length === 0) return { blocks, rest };
  return {
    blocks: [...blocks, ...finishedBlocks],
    rest: { ...rest, blocks: rest.blocks.slice(finishedBlocks.length) },
  };
}

export interface ProgressOptions {
  /** Runs the task after `ms` milliseconds. Returns a function that cancels it. */
  readonly schedule: (task: () => void, ms: number) => () => void;
  readonly writeLines: (lines: readonly string[]) => void;
  readonly getState: () => ScreenState;
}

/**
 * Writes "Still working" after 30 seconds, and then each time the duration has doubled: silence would look like the end.
 * The returned function must be called after every change of the state.
 */
function createProgressReporter({ schedule, writeLines, getState }: ProgressOptions): () => void {
  let cancel: (() => void) | null = null;
  const scheduleNotice = (seconds: number): void => {
    cancel = schedule(
      () => {
        writeLines([formatProgress(getState(), seconds)]);
        scheduleNotice(seconds * 2);
      },
      (seconds === FIRST_NOTICE_SECONDS ? seconds : seconds / 2) * 1_000,
    );
  };
  return () => {
    const isIdle = getState().activity.type === "idle";
    if (isIdle) cancel?.();
    if (isIdle) cancel = null;
    else if (!cancel) scheduleNotice(FIRST_NOTICE_SECONDS);
  };
}

const FIRST_NOTICE_SECONDS = 30;

function formatProgress({ blocks }: ScreenState, seconds: number): string {
  const runningCall = blocks.findLast(
    (block): block is ToolBlock => block.kind === "tool" && block.state === "running",
  );
  const duration =
    seconds < 120 ? formatCountOrNone(seconds, "second") : formatCountOrNone(Math.round(seconds / 60), "minute");
  return escapeControls(`Still working, ${duration}${runningCall ? `: ${formatToolCallName(runningCall)}` : ""}.`);
}

export interface PlainScreenOptions extends Pick<ProgressOptions, "schedule"> {
  readonly writeLines: (lines: readonly string[]) => void;
  readonly initialState: ScreenState;
  /** In milliseconds. */
  readonly now: () => number;
  readonly releaseTerminal: ScreenApi["releaseTerminal"];
}

export interface OpenQuestion {
  readonly question: Question;
  /** False until the user can have read the question. A line from before is no answer. */
  readonly isReady: boolean;
  readonly dismiss: () => void;
}

/** How long after its text a question that the user did not open takes answers. */
const QUIET_MS = 300;

export class PlainScreen implements ScreenApi {
  readonly hasPages = false;
  readonly editor = null;
  readonly releaseTerminal: ScreenApi["releaseTerminal"];
  readonly #options: PlainScreenOptions;
  readonly #reportProgress: () => void;
  #state: ScreenState;
  #draft = "";
  /** The newest question is last. */
  #openQuestions: readonly OpenQuestion[] = [];
  /** The last typed line, until other output follows it. A screen reader need not read it again. */
  #lastTyped: string | null = null;

  constructor(options: PlainScreenOptions) {
    this.#options = options;
    this.#state = options.initialState;
    this.releaseTerminal = options.releaseTerminal;
    this.#reportProgress = createProgressReporter({
      schedule: options.schedule,
      writeLines: (lines) => this.#writeLines(lines),
      getState: () => this.#state,
    });
  }

  get state(): ScreenState {
    return this.#state;
  }

  get editorText(): EditorText {
    return {
      text: this.#draft,
      set: (text) => this.#showDraft(text),
      insert: (text) => this.#showDraft(this.#draft + text),
    };
  }

  get openQuestion(): OpenQuestion | undefined {
    return this.#openQuestions.at(-1);
  }

  handleEvent(event: AgentEvent): void {
    this.update((state) => reduceEvent(state, event, this.#options.now()));
  }

  update(change: (state: ScreenState) => ScreenState): void {
    const before = this.#state;
    const { blocks, rest } = splitFinishedBlocks(change(before));
    this.#state = rest;
    this.#writeLines([...blocks.flatMap((block) => this.#formatBlock(block)), ...formatStateChange(before, rest)]);
    this.#reportProgress();
  }

  showNote(text: string, tone: NoteBlock["tone"] = "plain"): void {
    this.update((state) => ({ ...state, blocks: [...state.blocks, { kind: "note", id: text, tone, text }] }));
  }

  async showPanel<State, Answer>(panel: Panel<State, Answer>, options: PanelOptions): Promise<Answer | null> {
    const controller = new AbortController();
    const signal = AbortSignal.any([controller.signal, ...(options.signal ? [options.signal] : [])]);
    const { promise, resolve, reject } = Promise.withResolvers<Answer | null>();
    const remove = (): void => {
      this.#openQuestions = this.#openQuestions.filter((candidate) => candidate !== openQuestion);
    };
    const settle = (value: Answer | null): void => {
      remove();
      resolve(value);
    };
    const openedPanel = openPanel(notifyOnClose(panel, remove), { ...options, signal, onChange: () => {} });
    const isOpen = (): boolean => this.#openQuestions.includes(openQuestion);
    const question = panel.plainQuestion
      ? createQuestion(panel.plainQuestion, settle)
      : createKeyQuestion(openedPanel, isOpen);
    let isReady = options.question !== "unprompted";
    const openQuestion: OpenQuestion = {
      question,
      get isReady() {
        return isReady;
      },
      dismiss: () => controller.abort(),
    };
    this.#openQuestions = [...this.#openQuestions, openQuestion];
    this.#writeLines(question.lines());
    // If the program was busy, lines that were typed long ago are read first.
    const setReady = (): void => {
      isReady = true;
    };
    if (!isReady)
      signal.addEventListener(
        "abort",
        this.#options.schedule(() => setImmediate(setReady), QUIET_MS),
      );
    void openedPanel.answer.then(settle, (error) => {
      remove();
      reject(error);
    });
    return await promise.finally(() => controller.abort());
  }

  /** Does nothing: this screen writes only text, and no control sequences. */
  writeSequence(): void {}

  /** Returns the text to submit for a typed line. An empty line means the draft. */
  takeLine(line: string): string {
    const text = line.trim() === "" ? this.#draft : line;
    this.#draft = "";
    this.#lastTyped = text;
    return text;
  }

  #showDraft(text: string): void {
    this.#draft = text;
    if (text === "") return;
    const lines = escapeControls(`Draft: ${text}`).split("\n");
    this.#writeLines([...lines, "Press Enter to send it, or type a line to send instead."]);
  }

  #formatBlock(block: Block): readonly string[] {
    return block.kind === "user" && block.text === this.#lastTyped ? [] : formatBlock(block);
  }

  #writeLines(lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.#lastTyped = null;
    this.#options.writeLines(lines);
  }
}

/** Calls `onClose` as soon as a key closes the panel, so that the next line does not go to it. */
function notifyOnClose<State, Answer>(panel: Panel<State, Answer>, onClose: () => void): Panel<State, Answer> {
  return {
    ...panel,
    handleKey: (state, key, viewport) => {
      const result = panel.handleKey(state, key, viewport);
      const isClosed = result ? result.type === "done" : isCancelKey(key);
      if (isClosed) onClose();
      return result;
    },
  };
}

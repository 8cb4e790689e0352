/** Implements the screen for screen readers and terminals without cursor movement. Lines are appended and never redrawn. */

import type { AgentEvent } from "@pith/agent";
import { formatCountOrNone } from "../../../text/format.ts";
import { escapeControls } from "../../../text/safe-text.ts";
import { isCancelKey, openPanel, type Panel } from "../panels/panel.ts";
import type { EditorText, PanelOptions, ScreenApi } from "../screen-context.ts";
import { type Block, isDraft, isFinished, type NoteBlock, type ToolBlock } from "../state/blocks.ts";
import { type FinishedSplit, splitFinished } from "../state/finished-blocks.ts";
import { reduceEvent } from "../state/reduce.ts";
import type { ScreenState } from "../state/screen-state.ts";
import { formatBlock, formatStateChange, formatToolCallName } from "./block-text.ts";
import { createKeyQuestion, createQuestion, type Question } from "./questions.ts";

/** Nothing is folded here, so that foldable blocks are printed as soon as they are finished. */
export function splitFinishedBlocks(state: ScreenState): FinishedSplit {
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
  /** Calls it after so many milliseconds, unless what it returns is called before. */
  readonly schedule: (act: () => void, ms: number) => () => void;
  readonly writeLines: (lines: readonly string[]) => void;
  readonly getState: () => ScreenState;
}

/** Silence would look like the end. Each line comes later than the one before. To be called whenever the state may be another. */
export function createProgressReporter({ schedule, writeLines, getState }: ProgressOptions): () => void {
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

/** In seconds. */
const FIRST_NOTICE_SECONDS = 30;

function formatProgress({ blocks }: ScreenState, seconds: number): string {
  const runningCall = blocks.findLast(
    (block): block is ToolBlock => block.kind === "called" && block.state === "running",
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
  readonly lend: ScreenApi["releaseTerminal"];
}

interface OpenQuestion {
  readonly question: Question;
  readonly dismiss: () => void;
}

export class PlainScreen implements ScreenApi {
  readonly hasPages = false;
  readonly editor = null;
  readonly releaseTerminal: ScreenApi["releaseTerminal"];
  readonly #options: PlainScreenOptions;
  readonly #reportProgress: () => void;
  #state: ScreenState;
  #draft = "";
  /** What is asked, the newest last. */
  #openQuestions: readonly OpenQuestion[] = [];
  /** The line that was typed last, as long as nothing was said behind it: it need not be read out again. */
  #lastTyped: string | null = null;

  constructor(options: PlainScreenOptions) {
    this.#options = options;
    this.#state = options.initialState;
    this.releaseTerminal = options.lend;
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

  /** What is asked now; undefined for nothing. */
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
    const openQuestion: OpenQuestion = { question, dismiss: () => controller.abort() };
    this.#openQuestions = [...this.#openQuestions, openQuestion];
    this.#writeLines(question.lines());
    void openedPanel.answer.then(settle, (error) => {
      remove();
      reject(error);
    });
    return await promise.finally(() => controller.abort());
  }

  /** Nothing but words is ever written. */
  writeSequence(): void {}

  /** What a line that was typed means where nothing is asked: an empty one is the draft. */
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
    this.#writeLines([...lines, "An empty line says it as it is; any other line is said instead."]);
  }

  #formatBlock(block: Block): readonly string[] {
    return block.kind === "said" && block.text === this.#lastTyped ? [] : formatBlock(block);
  }

  #writeLines(lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.#lastTyped = null;
    this.#options.writeLines(lines);
  }
}

/** Says at once that a key has closed it: the next line is for somebody else. */
function notifyOnClose<State, Answer>(panel: Panel<State, Answer>, onClose: () => void): Panel<State, Answer> {
  return {
    ...panel,
    handleKey: (state, key, viewport) => {
      const result = panel.handleKey(state, key, viewport);
      const isClosed = result ? result.type === "answered" : isCancelKey(key);
      if (isClosed) onClose();
      return result;
    },
  };
}

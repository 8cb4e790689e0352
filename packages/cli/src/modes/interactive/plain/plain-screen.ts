/** Implements the screen for screen readers and terminals without cursor movement. Lines are appended and never redrawn. */

import type { AgentEvent } from "@pith/agent";
import { several } from "../../../text/format.ts";
import { plain } from "../../../text/safe-text.ts";
import { openPanel } from "../panels/open-panel.ts";
import { isWayOut, type Panel } from "../panels/panel.ts";
import type { Asking, Stage, Words } from "../screen-context.ts";
import { type Block, type Called, isDraft, isFinished, type Note } from "../state/blocks.ts";
import { type Printable, printable } from "../state/finished-blocks.ts";
import { fold } from "../state/reduce.ts";
import type { ScreenState } from "../state/screen-state.ts";
import { calledName, toldBlock, toldChange } from "./block-text.ts";
import { keyed, type Question, spokenQuestion } from "./questions.ts";

/** Nothing is folded here, so that foldable blocks are printed as soon as they are finished. */
export function finished(state: ScreenState): Printable {
  const { blocks, rest } = printable(state);
  const open = rest.blocks.findIndex((block) => !isFinished(block) || isDraft(block));
  const more = open === -1 ? rest.blocks : rest.blocks.slice(0, open);
  if (more.length === 0) return { blocks, rest };
  return { blocks: [...blocks, ...more], rest: { ...rest, blocks: rest.blocks.slice(more.length) } };
}

export interface Waiting {
  /** Calls it after so many milliseconds, unless what it returns is called before. */
  readonly later: (act: () => void, ms: number) => () => void;
  readonly tell: (lines: readonly string[]) => void;
  readonly state: () => ScreenState;
}

/** Silence would look like the end. Each line comes later than the one before. To be called whenever the state may be another. */
export function stillWorking({ later, tell, state }: Waiting): () => void {
  let stop: (() => void) | null = null;
  const wait = (seconds: number): void => {
    stop = later(
      () => {
        tell([workingTold(state(), seconds)]);
        wait(seconds * 2);
      },
      (seconds === FIRST ? seconds : seconds / 2) * 1_000,
    );
  };
  return () => {
    const isIdle = state().work.type === "idle";
    if (isIdle) stop?.();
    if (isIdle) stop = null;
    else if (!stop) wait(FIRST);
  };
}

/** In seconds. */
const FIRST = 30;

function workingTold({ blocks }: ScreenState, seconds: number): string {
  const running = blocks.findLast((block): block is Called => block.kind === "called" && block.state === "running");
  const time = seconds < 120 ? several(seconds, "second") : several(Math.round(seconds / 60), "minute");
  return plain(`Still working, ${time}${running ? `: ${calledName(running)}` : ""}.`);
}

export interface PlainParts extends Pick<Waiting, "later"> {
  readonly say: (lines: readonly string[]) => void;
  readonly start: ScreenState;
  /** In milliseconds. */
  readonly now: () => number;
  readonly lend: Stage["lend"];
}

interface Asked {
  readonly question: Question;
  readonly dismiss: () => void;
}

export class PlainScreen implements Stage {
  readonly hasPages = false;
  readonly editor = null;
  readonly lend: Stage["lend"];
  readonly #parts: PlainParts;
  readonly #watch: () => void;
  #state: ScreenState;
  #draft = "";
  /** What is asked, the newest last. */
  #asked: readonly Asked[] = [];
  /** The line that was typed last, as long as nothing was said behind it: it need not be read out again. */
  #typed: string | null = null;

  constructor(parts: PlainParts) {
    this.#parts = parts;
    this.#state = parts.start;
    this.lend = parts.lend;
    this.#watch = stillWorking({ later: parts.later, tell: (lines) => this.#say(lines), state: () => this.#state });
  }

  get state(): ScreenState {
    return this.#state;
  }

  get words(): Words {
    return { text: this.#draft, set: (text) => this.#offer(text), insert: (text) => this.#offer(this.#draft + text) };
  }

  /** What is asked now; undefined for nothing. */
  get asked(): Asked | undefined {
    return this.#asked.at(-1);
  }

  hear(event: AgentEvent): void {
    this.change((state) => fold(state, event, this.#parts.now()));
  }

  change(change: (state: ScreenState) => ScreenState): void {
    const before = this.#state;
    const { blocks, rest } = finished(change(before));
    this.#state = rest;
    this.#say([...blocks.flatMap((block) => this.#told(block)), ...toldChange(before, rest)]);
    this.#watch();
  }

  tell(text: string, tone: Note["tone"] = "plain"): void {
    this.change((state) => ({ ...state, blocks: [...state.blocks, { kind: "note", id: text, tone, text }] }));
  }

  async ask<State, Answer>(panel: Panel<State, Answer>, asking: Asking): Promise<Answer | null> {
    const closing = new AbortController();
    const signal = AbortSignal.any([closing.signal, ...(asking.signal ? [asking.signal] : [])]);
    const { promise, resolve, reject } = Promise.withResolvers<Answer | null>();
    const closed = (): void => {
      this.#asked = this.#asked.filter((each) => each !== asked);
    };
    const answer = (given: Answer | null): void => {
      closed();
      resolve(given);
    };
    const open = openPanel(noticing(panel, closed), { ...asking, signal, changed: () => {} });
    const isOpen = (): boolean => this.#asked.includes(asked);
    const question = panel.spoken ? spokenQuestion(panel.spoken, answer) : keyed(open, isOpen);
    const asked: Asked = { question, dismiss: () => closing.abort() };
    this.#asked = [...this.#asked, asked];
    this.#say(question.lines());
    void open.answer.then(answer, (fault) => {
      closed();
      reject(fault);
    });
    return await promise.finally(() => closing.abort());
  }

  /** Nothing but words is ever written. */
  send(): void {}

  /** What a line that was typed means where nothing is asked: an empty one is the draft. */
  taken(line: string): string {
    const text = line.trim() === "" ? this.#draft : line;
    this.#draft = "";
    this.#typed = text;
    return text;
  }

  #offer(text: string): void {
    this.#draft = text;
    if (text === "") return;
    const lines = plain(`Draft: ${text}`).split("\n");
    this.#say([...lines, "An empty line says it as it is; any other line is said instead."]);
  }

  #told(block: Block): readonly string[] {
    return block.kind === "said" && block.text === this.#typed ? [] : toldBlock(block);
  }

  #say(lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.#typed = null;
    this.#parts.say(lines);
  }
}

/** Says at once that a key has closed it: the next line is for somebody else. */
function noticing<State, Answer>(panel: Panel<State, Answer>, closed: () => void): Panel<State, Answer> {
  return {
    ...panel,
    press: (state, key, sight) => {
      const pressed = panel.press(state, key, sight);
      const isClosed = pressed ? pressed.type === "answered" : isWayOut(key);
      if (isClosed) closed();
      return pressed;
    },
  };
}

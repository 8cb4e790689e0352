/** Wraps the terminal so that whole frames are written and the scrollback is never cleared, and follows the theme settings. */

import { pithHome } from "@pith/context/node";
import type { Environment } from "@pith/models";
import { settingsFrom } from "../../../settings/fields.ts";
import { readSettings } from "../../../settings/resolve.ts";
import type { Settings } from "../../../settings/settings.ts";
import {
  type Ink,
  isColourless,
  type Surroundings,
  type Theme,
  type ThemeName,
  themeFor,
  themeNamed,
} from "../render/theme.ts";
import type { RgbColor, Terminal } from "./pi-tui.ts";

/** Wiping the history of a terminal takes away lines that are not ours. */
const WIPE_HISTORY = "\x1b[3J";
const BEGIN = "\x1b[?2026h";
const END = "\x1b[?2026l";

export class OneWrite implements Terminal {
  readonly #inner: Terminal;
  #held: string[] | null = null;

  constructor(inner: Terminal) {
    this.#inner = inner;
  }

  /** All that is written meanwhile is seen at once. */
  together(act: () => void): void {
    if (this.#held) {
      act();
      return;
    }
    const held: string[] = [];
    this.#held = held;
    try {
      act();
    } finally {
      this.#held = null;
      const text = held.join("").replaceAll(BEGIN, "").replaceAll(END, "");
      if (text !== "") this.#inner.write(`${BEGIN}${text}${END}`);
    }
  }

  write(data: string): void {
    const text = data.replaceAll(WIPE_HISTORY, "");
    if (this.#held) this.#held.push(text);
    else if (text !== "") this.#inner.write(text);
  }

  start(onInput: (data: string) => void, onResize: () => void): void {
    this.#inner.start(onInput, onResize);
  }

  stop(): void {
    this.#inner.stop();
  }

  drainInput(mostMs?: number, idleMs?: number): Promise<void> {
    return this.#inner.drainInput(mostMs, idleMs);
  }

  get columns(): number {
    return this.#inner.columns;
  }

  get rows(): number {
    return this.#inner.rows;
  }

  get kittyProtocolActive(): boolean {
    return this.#inner.kittyProtocolActive;
  }

  moveBy(lines: number): void {
    if (lines !== 0) this.write(lines > 0 ? `\x1b[${lines}B` : `\x1b[${-lines}A`);
  }

  hideCursor(): void {
    this.write("\x1b[?25l");
  }

  showCursor(): void {
    this.write("\x1b[?25h");
  }

  clearLine(): void {
    this.write("\x1b[K");
  }

  clearFromCursor(): void {
    this.write("\x1b[J");
  }

  clearScreen(): void {
    this.write("\x1b[2J\x1b[H");
  }

  setTitle(title: string): void {
    this.write(`\x1b]0;${title}\x07`);
  }

  setProgress(isActive: boolean): void {
    this.#inner.setProgress(isActive);
  }
}

/**
 * Whether a terminal that becomes narrower wraps its lines again or cuts them off, judged by the environment. Where nobody knows it does:
 * nearly all of them do.
 */
export function rewraps({ TMUX, STY, TERM = "", XTERM_VERSION }: Environment): boolean {
  // Whoever stands between has its own way, whatever it stands in: tmux wraps, screen cuts.
  if (TMUX) return true;
  return !STY && !XTERM_VERSION && !/^(?:linux|st)(?:-|$)/.test(TERM);
}

export interface Dressed {
  readonly theme: Theme;
  /** As it is set, or as the terminal says when it is asked. */
  follow(screen: Dressable): Promise<void>;
}

export interface Dressable {
  background(mostMs: number): Promise<RgbColor | undefined>;
  redraw(): void;
}

/** The first frame waits for neither the settings nor the terminal's background colour. */
export function wornHere(
  environment: Surroundings["environment"],
  wished: () => Promise<Settings["theme"]> = wishInSettings,
): Dressed {
  const { theme, wear } = wornTheme(themeFor({ environment }));
  const follow = async (screen: Dressable): Promise<void> => {
    if (isColourless(environment)) return;
    const wish = (await wished()) ?? "auto";
    const background = wish === "auto" ? await screen.background(MOST_MS) : undefined;
    const name = themeFor({ environment, wish, background });
    if (name === theme.name) return;
    wear(name);
    screen.redraw();
  };
  return { theme, follow };
}

/** Those that answer do so at once; the answer has to come over the line, though. */
const MOST_MS = 500;

async function wishInSettings(): Promise<Settings["theme"]> {
  const own = await readSettings(pithHome());
  // A mistake in them is told when all of them are read.
  return own.type === "read" ? settingsFrom(own.fields).theme : undefined;
}

/** Can be changed while it is drawn with: whoever holds its inks draws with the new ones from then on. */
export interface WornTheme {
  readonly theme: Theme;
  wear(name: ThemeName): void;
}

export function wornTheme(first: ThemeName): WornTheme {
  let worn = themeNamed(first);
  const inks = Object.keys(worn).filter((key): key is Ink => key !== "name");
  const turning = Object.fromEntries(inks.map((ink) => [ink, (text: string) => worn[ink](text)]));
  const theme = Object.defineProperty(turning, "name", { get: () => worn.name, enumerable: true });
  return {
    theme: theme as unknown as Theme,
    wear: (name) => {
      worn = themeNamed(name);
    },
  };
}

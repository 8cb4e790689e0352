/** Wraps the terminal so that whole frames are written, detects how it wraps lines, and follows the theme setting. Never clears the scrollback. */

import { pithHome } from "@pith/context/node";
import { buildSettings } from "@pith/host/settings/fields";
import type { Settings } from "@pith/host/settings/settings";
import type { Environment } from "@pith/models";
import { readSettings } from "../../../settings/resolve.ts";
import {
  chooseTheme,
  createTheme,
  hasTrueColor,
  isColourless,
  type Style,
  type Theme,
  type ThemeColors,
  type ThemeName,
  type ThemeOptions,
} from "../render/theme.ts";
import type { RgbColor, Terminal } from "./pi-tui.ts";

/** Never sent: the scrollback also contains lines of other programs. */
const CLEAR_SCROLLBACK = "\x1b[3J";
const BEGIN_SYNC = "\x1b[?2026h";
const END_SYNC = "\x1b[?2026l";

export class BufferedTerminal implements Terminal {
  readonly #inner: Terminal;
  #buffer: string[] | null = null;

  constructor(inner: Terminal) {
    this.#inner = inner;
  }

  /** Shows all output of `run` in one update. */
  batch(run: () => void): void {
    if (this.#buffer) {
      run();
      return;
    }
    const buffer: string[] = [];
    this.#buffer = buffer;
    try {
      run();
    } finally {
      this.#buffer = null;
      const text = buffer.join("").replaceAll(BEGIN_SYNC, "").replaceAll(END_SYNC, "");
      if (text !== "") this.#inner.write(`${BEGIN_SYNC}${text}${END_SYNC}`);
    }
  }

  write(data: string): void {
    const text = data.replaceAll(CLEAR_SCROLLBACK, "");
    if (this.#buffer) this.#buffer.push(text);
    else if (text !== "") this.#inner.write(text);
  }

  start(onInput: (data: string) => void, onResize: () => void): void {
    this.#inner.start(onInput, onResize);
  }

  stop(): void {
    this.#inner.stop();
  }

  drainInput(maxMs?: number, idleMs?: number): Promise<void> {
    return this.#inner.drainInput(maxMs, idleMs);
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
 * Whether a terminal that becomes narrower wraps its lines again instead of cutting them, judged by the environment. Default: true, as
 * nearly all terminals do.
 */
export function rewrapsLines({ TMUX, STY, TERM = "", XTERM_VERSION }: Environment): boolean {
  // A multiplexer decides, whatever terminal it runs in: tmux wraps, screen cuts.
  if (TMUX) return true;
  return !STY && !XTERM_VERSION && !/^(?:linux|st)(?:-|$)/.test(TERM);
}

export interface ThemeFollower {
  readonly theme: Theme;
  /** Applies the theme setting, or the theme that matches the terminal's background colour. */
  follow(screen: ThemedScreen): Promise<void>;
}

export interface ThemedScreen {
  queryBackground(timeoutMs: number): Promise<RgbColor | undefined>;
  redraw(): void;
}

/** Chooses a theme immediately: the first frame waits for neither the settings nor the terminal's background colour. */
export function detectTheme(
  environment: ThemeOptions["environment"],
  getSetting: () => Promise<Settings["theme"]> = readThemeSetting,
): ThemeFollower {
  const { theme, setTheme } = createSwitchableTheme(chooseTheme({ environment }), {
    hasTrueColor: hasTrueColor(environment),
  });
  const follow = async (screen: ThemedScreen): Promise<void> => {
    if (isColourless(environment)) return;
    const setting = (await getSetting()) ?? "auto";
    const background = setting === "auto" ? await screen.queryBackground(BACKGROUND_TIMEOUT_MS) : undefined;
    const name = chooseTheme({ environment, setting, background });
    if (name === theme.name) return;
    setTheme(name);
    screen.redraw();
  };
  return { theme, follow };
}

/** Terminals answer immediately, but the answer may have to cross a network. */
const BACKGROUND_TIMEOUT_MS = 500;

async function readThemeSetting(): Promise<Settings["theme"]> {
  const result = await readSettings(pithHome());
  // An error in the settings is reported when all of them are read.
  return result.type === "read" ? buildSettings(result.fields).theme : undefined;
}

/** A theme that can change while it is in use. Stored references to its styles use the new theme from then on. */
export interface SwitchableTheme {
  readonly theme: Theme;
  setTheme(name: ThemeName): void;
}

export function createSwitchableTheme(initialName: ThemeName, colors: ThemeColors = {}): SwitchableTheme {
  let current = createTheme(initialName, colors);
  const styles = Object.keys(current).filter((key): key is Style => key !== "name");
  const delegates = Object.fromEntries(styles.map((style) => [style, (text: string) => current[style](text)]));
  const theme = Object.defineProperty(delegates, "name", { get: () => current.name, enumerable: true });
  return {
    theme: theme as unknown as Theme,
    setTheme: (name) => {
      current = createTheme(name, colors);
    },
  };
}

/** The clipboard: through a program of this machine where there is one, and through the terminal, which also reaches the machine one sits at. */

import { spawn } from "node:child_process";

export interface ClipboardPlace {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** To the terminal; dropped where it hears words alone. */
  readonly send: (sequence: string) => void;
  readonly run?: (program: Program, text: string) => Promise<boolean>;
}

/** A program and its arguments. */
export type Program = readonly [name: string, ...args: readonly string[]];

/** The program that took it; null where only the terminal was told. */
export async function toClipboard(text: string, place: ClipboardPlace): Promise<string | null> {
  const { environment, send, run = runs } = place;
  send(clipboardSequence(text, environment));
  for (const program of programsFor(place)) if (await run(program, text)) return program[0];
  return null;
}

/** Those that reach the clipboard of whoever sits here: none of them does from afar. */
export function programsFor({
  environment,
  platform,
}: Pick<ClipboardPlace, "environment" | "platform">): readonly Program[] {
  if (environment.SSH_CONNECTION) return [];
  if (platform === "darwin") return [["pbcopy"]];
  if (platform === "win32" || environment.WSL_DISTRO_NAME) return [["clip.exe"]];
  const wayland: readonly Program[] = environment.WAYLAND_DISPLAY ? [["wl-copy"]] : [];
  const x11: readonly Program[] = [
    ["xclip", "-selection", "clipboard"],
    ["xsel", "--clipboard", "--input"],
  ];
  return [...wayland, ...(environment.DISPLAY ? x11 : [])];
}

/** OSC 52; through tmux also to the terminal around it. */
export function clipboardSequence(text: string, { TMUX }: ClipboardPlace["environment"]): string {
  const own = `\x1b]52;c;${Buffer.from(text.toWellFormed()).toString("base64")}\x07`;
  return TMUX ? `${own}\x1bPtmux;${own.replaceAll("\x1b", "\x1b\x1b")}\x1b\\` : own;
}

function runs([name, ...args]: Program, text: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(name, args, { stdio: ["pipe", "ignore", "ignore"], timeout: LONGEST });
    child.on("error", () => resolve(false));
    // Not when it closes: some stay behind, to hand out what they were given.
    child.on("exit", (code) => resolve(code === 0));
    child.stdin.on("error", () => resolve(false));
    child.stdin.end(text);
  });
}

/** In milliseconds. */
const LONGEST = 3_000;

/** Reads images from the clipboard, and copies text to it (`/copy`). */

import { execFile, spawn } from "node:child_process";
import { detectImageType, MAX_IMAGE_BYTES } from "@pith/agent";
import { textToCopy } from "../../../commands/copy.ts";
import { severalLines } from "../../../text/format.ts";
import type { Opener } from "../screen-context.ts";

export type Clipped =
  | { readonly type: "picture"; readonly bytes: Uint8Array }
  /** `why` for people. */
  | { readonly type: "none"; readonly why: string };

type Environment = Readonly<Record<string, string | undefined>>;

export async function clippedPicture(environment: Environment): Promise<Clipped> {
  let isAnyThere = false;
  for (const reader of readers) {
    const said = await outputOf(reader, environment);
    if (said === null) continue;
    isAnyThere = true;
    const bytes = reader.bytes(said);
    if (detectImageType(bytes) !== null) return { type: "picture", bytes };
  }
  if (isAnyThere) return { type: "none", why: "there is no picture in the clipboard" };
  return { type: "none", why: `no program here reads pictures from the clipboard; ${ADVICE}` };
}

const ADVICE = "install wl-clipboard, xclip or pngpaste, or paste the path of a picture";

interface Reader {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly bytes: (said: Buffer) => Uint8Array;
}

const asItIs = (said: Buffer): Uint8Array => said;

const WINDOWS = [
  "Add-Type -AssemblyName System.Windows.Forms",
  "$image = [Windows.Forms.Clipboard]::GetImage()",
  "if ($image) { $bytes = New-Object IO.MemoryStream",
  "$image.Save($bytes, [Drawing.Imaging.ImageFormat]::Png)",
  "[Convert]::ToBase64String($bytes.ToArray()) }",
].join("; ");

const readers: readonly Reader[] = [
  { program: "wl-paste", arguments: ["--no-newline", "--type", "image/png"], bytes: asItIs },
  { program: "xclip", arguments: ["-selection", "clipboard", "-t", "image/png", "-o"], bytes: asItIs },
  { program: "pngpaste", arguments: ["-"], bytes: asItIs },
  {
    program: "osascript",
    arguments: ["-e", "get the clipboard as «class PNGf»"],
    bytes: (said) => Buffer.from(/PNGf([0-9A-Fa-f]+)/.exec(said.toString())?.[1] ?? "", "hex"),
  },
  {
    program: "powershell.exe",
    arguments: ["-NoProfile", "-Command", WINDOWS],
    bytes: (said) => Buffer.from(said.toString().trim(), "base64"),
  },
];

/** Null where there is no such program. One that fails has nothing to give. */
function outputOf({ program, arguments: given }: Reader, environment: Environment): Promise<Buffer | null> {
  return new Promise((resolve) => {
    const options = { encoding: "buffer", maxBuffer: 3 * MAX_IMAGE_BYTES, timeout: PATIENCE_MS } as const;
    execFile(program, given, { ...options, env: { ...environment } }, (error, said) => {
      resolve(error?.code === "ENOENT" ? null : error ? Buffer.alloc(0) : said);
    });
  });
}

const PATIENCE_MS = 5_000;

export interface ClipboardPlace {
  readonly environment: Environment;
  readonly platform: NodeJS.Platform;
  /** To the terminal; dropped where it hears words alone. */
  readonly send: (sequence: string) => void;
  readonly run?: (program: Program, text: string) => Promise<boolean>;
}

/** A program and its arguments. */
export type Program = readonly [name: string, ...args: readonly string[]];

/** The program that took it; null where only the terminal was told, which also reaches the user's own machine over SSH. */
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
export function clipboardSequence(text: string, { TMUX }: Environment): string {
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

export const copyOnScreen: Opener = async (words, { ready, desk, screen }) => {
  const answer = await textToCopy(words, desk);
  if (answer.type !== "told") return false;
  const text = ready.built.agent.session.redact(answer.text);
  const { environment } = ready.place;
  const by = await toClipboard(text, { environment, platform: process.platform, send: (each) => screen.send(each) });
  // Without a terminal that hears sequences, nothing was copied: it is told, as in print mode.
  if (by === null && !screen.hasPages) return false;
  screen.tell(`copied ${severalLines(text)}, ${by === null ? toTerminal(text) : `by ${by}`}`);
  return true;
};

function toTerminal(text: string): string {
  return text.length > MOST_LETTERS ? "through the terminal; it may be too long for it" : "through the terminal";
}

/** Some terminals take no more. */
const MOST_LETTERS = 70_000;

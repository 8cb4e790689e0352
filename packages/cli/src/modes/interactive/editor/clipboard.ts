/** Reads images from the clipboard, and copies text to it (`/copy`). */

import { execFile, spawn } from "node:child_process";
import { detectImageType, MAX_IMAGE_SOURCE_BYTES } from "@pith/agent";
import { formatLineCount } from "@pith/host/text/format";
import { findTextToCopy } from "../../../commands/copy.ts";
import type { PanelCommand } from "../screen-context.ts";

export type ClipboardImage =
  | { readonly type: "picture"; readonly bytes: Uint8Array }
  /** `reason` is shown to the user. */
  | { readonly type: "none"; readonly reason: string };

type Environment = Readonly<Record<string, string | undefined>>;

export async function readClipboardImage(environment: Environment): Promise<ClipboardImage> {
  let hasReader = false;
  for (const reader of imageReaders) {
    const output = await runReader(reader, environment);
    if (output === null) continue;
    hasReader = true;
    const bytes = reader.decode(output);
    if (detectImageType(bytes) !== null) return { type: "picture", bytes };
  }
  if (hasReader) return { type: "none", reason: "The clipboard contains no image." };
  return { type: "none", reason: `No program that can read images from the clipboard was found. ${INSTALL_HINT}` };
}

const INSTALL_HINT = "Install wl-clipboard, xclip or pngpaste, or paste the path to an image.";

interface ClipboardReader {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly decode: (output: Buffer) => Uint8Array;
}

const identity = (output: Buffer): Uint8Array => output;

const POWERSHELL_SCRIPT = [
  "Add-Type -AssemblyName System.Windows.Forms",
  "$image = [Windows.Forms.Clipboard]::GetImage()",
  "if ($image) { $bytes = New-Object IO.MemoryStream",
  "$image.Save($bytes, [Drawing.Imaging.ImageFormat]::Png)",
  "[Convert]::ToBase64String($bytes.ToArray()) }",
].join("; ");

const imageReaders: readonly ClipboardReader[] = [
  { program: "wl-paste", arguments: ["--no-newline", "--type", "image/png"], decode: identity },
  { program: "xclip", arguments: ["-selection", "clipboard", "-t", "image/png", "-o"], decode: identity },
  { program: "pngpaste", arguments: ["-"], decode: identity },
  {
    program: "osascript",
    arguments: ["-e", "get the clipboard as «class PNGf»"],
    decode: (output) => Buffer.from(/PNGf([0-9A-Fa-f]+)/.exec(output.toString())?.[1] ?? "", "hex"),
  },
  {
    program: "powershell.exe",
    arguments: ["-NoProfile", "-Command", POWERSHELL_SCRIPT],
    decode: (output) => Buffer.from(output.toString().trim(), "base64"),
  },
];

/** Returns null if the program is not installed, and no bytes if it fails. */
function runReader({ program, arguments: args }: ClipboardReader, environment: Environment): Promise<Buffer | null> {
  return new Promise((resolve) => {
    const options = { encoding: "buffer", maxBuffer: 3 * MAX_IMAGE_SOURCE_BYTES, timeout: READ_TIMEOUT_MS } as const;
    execFile(program, args, { ...options, env: { ...environment } }, (error, output) => {
      resolve(error?.code === "ENOENT" ? null : error ? Buffer.alloc(0) : output);
    });
  });
}

const READ_TIMEOUT_MS = 5_000;

export interface ClipboardOptions {
  readonly environment: Environment;
  readonly platform: NodeJS.Platform;
  /** Writes to the terminal. Plain mode drops the sequence. */
  readonly writeSequence: (sequence: string) => void;
  readonly run?: (program: Program, text: string) => Promise<boolean>;
}

export type Program = readonly [name: string, ...args: readonly string[]];

/** Returns the name of the program that copied the text. Null if only the terminal received it, which also works over SSH. */
export async function copyToClipboard(text: string, options: ClipboardOptions): Promise<string | null> {
  const { environment, writeSequence, run = runProgram } = options;
  writeSequence(formatClipboardSequence(text, environment));
  for (const program of listCopyPrograms(options)) if (await run(program, text)) return program[0];
  return null;
}

/** Lists the programs that reach the user's clipboard. Over SSH there are none. */
export function listCopyPrograms({
  environment,
  platform,
}: Pick<ClipboardOptions, "environment" | "platform">): readonly Program[] {
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

/** Formats an OSC 52 sequence. In tmux, a second copy passes through to the outer terminal. */
export function formatClipboardSequence(text: string, { TMUX }: Environment): string {
  const sequence = `\x1b]52;c;${Buffer.from(text.toWellFormed()).toString("base64")}\x07`;
  return TMUX ? `${sequence}\x1bPtmux;${sequence.replaceAll("\x1b", "\x1b\x1b")}\x1b\\` : sequence;
}

function runProgram([name, ...args]: Program, text: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(name, args, { stdio: ["pipe", "ignore", "ignore"], timeout: COPY_TIMEOUT_MS });
    child.on("error", () => resolve(false));
    // Not `close`: some programs keep a process running that serves the clipboard.
    child.on("exit", (code) => resolve(code === 0));
    child.stdin.on("error", () => resolve(false));
    child.stdin.end(text);
  });
}

const COPY_TIMEOUT_MS = 3_000;

export const runCopyCommand: PanelCommand = async (args, { app, screen }) => {
  const result = await findTextToCopy(args, app);
  if (result.type !== "success") return false;
  const text = app.agent.session.redact(result.text);
  const { environment } = app;
  const program = await copyToClipboard(text, {
    environment,
    platform: process.platform,
    writeSequence: (sequence) => screen.writeSequence(sequence),
  });
  // Plain mode dropped the sequence, so nothing was copied. The text is then shown, as in print mode.
  if (program === null && !screen.hasPages) return false;
  screen.showNote(
    `Copied ${formatLineCount(text)} ${program === null ? describeTerminalCopy(text) : `to the clipboard with ${program}`}.`,
  );
  return true;
};

function describeTerminalCopy(text: string): string {
  return text.length > MAX_OSC52_CHARS
    ? "to the clipboard via the terminal, which may not accept this much text"
    : "to the clipboard via the terminal, which must support OSC 52";
}

/** Some terminals do not accept a longer sequence. */
const MAX_OSC52_CHARS = 70_000;

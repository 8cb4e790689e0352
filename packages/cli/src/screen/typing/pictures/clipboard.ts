/** The picture in the clipboard, by whichever program of this machine can read it. */

import { execFile } from "node:child_process";
import { LARGEST_PICTURE, pictureKind } from "@pith/agent";

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
    if (pictureKind(bytes) !== null) return { type: "picture", bytes };
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
    const options = { encoding: "buffer", maxBuffer: 3 * LARGEST_PICTURE, timeout: PATIENCE_MS } as const;
    execFile(program, given, { ...options, env: { ...environment } }, (error, said) => {
      resolve(error?.code === "ENOENT" ? null : error ? Buffer.alloc(0) : said);
    });
  });
}

const PATIENCE_MS = 5_000;

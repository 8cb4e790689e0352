/** Tests modes/interactive/editor/clipboard.ts: copy text, paste images. */

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  copyToClipboard,
  formatClipboardSequence,
  listCopyPrograms,
  type Program,
  readClipboardImage,
} from "../../../../src/modes/interactive/editor/clipboard.ts";

describe("copy text", () => {
  test.each([
    ["linux", { WAYLAND_DISPLAY: "w", DISPLAY: ":0" }, ["wl-copy", "xclip", "xsel"]],
    ["linux", { DISPLAY: ":0" }, ["xclip", "xsel"]],
    ["linux", {}, []],
    ["linux", { DISPLAY: ":10", SSH_CONNECTION: "a b" }, []],
    ["linux", { WSL_DISTRO_NAME: "Debian" }, ["clip.exe"]],
    ["darwin", {}, ["pbcopy"]],
    ["win32", {}, ["clip.exe"]],
  ] as const)(
    "LOOK5 the copy programs are chosen by platform and environment, and none are used over SSH: %s %j",
    (platform, environment, names) => {
      expect(listCopyPrograms({ platform, environment }).map(([name]) => name)).toEqual(names);
    },
  );

  test("LOOK5 text is also sent to the terminal, which is the only way if no program works", async () => {
    const sent: string[] = [];
    const tried: Program[] = [];
    const place = {
      environment: { DISPLAY: ":0" },
      platform: "linux",
      writeSequence: (each: string) => void sent.push(each),
    } as const;
    const none = async (program: Program): Promise<boolean> => tried.push(program) < 0;
    expect(await copyToClipboard("ü\x1b]", { ...place, run: none })).toBeNull();
    expect(tried.map(([name]) => name)).toEqual(["xclip", "xsel"]);
    expect(await copyToClipboard("a", { ...place, run: async () => true })).toBe("xclip");
    expect(sent).toEqual([`\x1b]52;c;${Buffer.from("ü\x1b]").toString("base64")}\x07`, "\x1b]52;c;YQ==\x07"]);
  });

  test("LOOK5 a copy program that is not installed is skipped", async () => {
    const environment = { DISPLAY: ":0", PATH: "/nowhere" };
    expect(await copyToClipboard("a", { environment, platform: "darwin", writeSequence: () => {} })).toBeNull();
  });

  test("LOOK5 within tmux the sequence is also passed through to the outer terminal", () => {
    expect(formatClipboardSequence("a", { TMUX: "x" })).toBe(
      "\x1b]52;c;YQ==\x07\x1bPtmux;\x1b\x1b]52;c;YQ==\x07\x1b\\",
    );
  });
});

describe("paste images", () => {
  function programs(all: Readonly<Record<string, string>>): { readonly PATH: string } {
    const folder = mkdtempSync(join(tmpdir(), "pith-programs-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const [name, script] of Object.entries(all)) {
      writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(folder, name), 0o755);
    }
    return { PATH: folder };
  }

  const PNG = "\\211PNG\\r\\n\\032\\nrest";

  test("TYP13 the image is read from the first program that returns one", async () => {
    const clipped = await readClipboardImage(programs({ "wl-paste": "exit 1", xclip: `printf '${PNG}'` }));
    expect(clipped.type).toBe("picture");
  });

  test("TYP13 images returned as hexadecimal or base64 text are decoded", async () => {
    const hex = await readClipboardImage(programs({ osascript: "echo '«data PNGf89504E470D0A1A0A00»'" }));
    expect(hex).toMatchObject({ type: "picture", bytes: Buffer.from("89504e470d0a1a0a00", "hex") });
    const letters = await readClipboardImage(programs({ "powershell.exe": "echo iVBORw0KGgoA" }));
    expect(letters.type).toBe("picture");
  });

  test("TYP13 a clipboard without an image, or a missing clipboard program, is reported", async () => {
    expect(await readClipboardImage(programs({ xclip: "exit 1" }))).toEqual({
      type: "none",
      reason: "The clipboard contains no image.",
    });
    expect(await readClipboardImage(programs({}))).toMatchObject({
      type: "none",
      reason: /Install wl-clipboard, xclip/,
    });
  });
});

/** The clipboard, without touching anybody's. */

import { expect, test } from "vitest";
import {
  clipboardSequence,
  type Program,
  programsFor,
  toClipboard,
} from "../../../../src/screen/acting/looking/clipboard.ts";

test.each([
  ["linux", { WAYLAND_DISPLAY: "w", DISPLAY: ":0" }, ["wl-copy", "xclip", "xsel"]],
  ["linux", { DISPLAY: ":0" }, ["xclip", "xsel"]],
  ["linux", {}, []],
  ["linux", { DISPLAY: ":10", SSH_CONNECTION: "a b" }, []],
  ["linux", { WSL_DISTRO_NAME: "Debian" }, ["clip.exe"]],
  ["darwin", {}, ["pbcopy"]],
  ["win32", {}, ["clip.exe"]],
] as const)(
  "LOOK5 the program is the one of the screen that somebody sits at: %s %j",
  (platform, environment, names) => {
    expect(programsFor({ platform, environment }).map(([name]) => name)).toEqual(names);
  },
);

test("LOOK5 the terminal is told, too, and where no program takes it, it alone", async () => {
  const sent: string[] = [];
  const tried: Program[] = [];
  const place = {
    environment: { DISPLAY: ":0" },
    platform: "linux",
    send: (each: string) => void sent.push(each),
  } as const;
  const none = async (program: Program): Promise<boolean> => tried.push(program) < 0;
  expect(await toClipboard("ü\x1b]", { ...place, run: none })).toBeNull();
  expect(tried.map(([name]) => name)).toEqual(["xclip", "xsel"]);
  expect(await toClipboard("a", { ...place, run: async () => true })).toBe("xclip");
  expect(sent).toEqual([`\x1b]52;c;${Buffer.from("ü\x1b]").toString("base64")}\x07`, "\x1b]52;c;YQ==\x07"]);
});

test("LOOK5 a program that is not there is passed by", async () => {
  const environment = { DISPLAY: ":0", PATH: "/nowhere" };
  expect(await toClipboard("a", { environment, platform: "darwin", send: () => {} })).toBeNull();
});

test("LOOK5 within tmux the terminal around it is reached as well", () => {
  expect(clipboardSequence("a", { TMUX: "x" })).toBe("\x1b]52;c;YQ==\x07\x1bPtmux;\x1b\x1b]52;c;YQ==\x07\x1b\\");
});

/** The picture in the clipboard, from programs that stand in for those of a desktop. */

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { clippedPicture } from "../../../../src/screen/typing/pictures/clipboard.ts";

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

test("TYP13 the first program that has a picture gives it", async () => {
  const clipped = await clippedPicture(programs({ "wl-paste": "exit 1", xclip: `printf '${PNG}'` }));
  expect(clipped.type).toBe("picture");
});

test("TYP13 pictures that are told in hexadecimal digits or by their letters are read, too", async () => {
  const hex = await clippedPicture(programs({ osascript: "echo '«data PNGf89504E470D0A1A0A00»'" }));
  expect(hex).toMatchObject({ type: "picture", bytes: Buffer.from("89504e470d0a1a0a00", "hex") });
  const letters = await clippedPicture(programs({ "powershell.exe": "echo iVBORw0KGgoA" }));
  expect(letters.type).toBe("picture");
});

test("TYP13 where there is no picture, or no program to read one, that is said kindly", async () => {
  expect(await clippedPicture(programs({ xclip: "exit 1" }))).toEqual({
    type: "none",
    why: "there is no picture in the clipboard",
  });
  expect(await clippedPicture(programs({}))).toMatchObject({ type: "none", why: /install wl-clipboard, xclip/ });
});

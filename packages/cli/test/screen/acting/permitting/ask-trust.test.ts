/** Whether a folder is trusted, asked before the first talk in it. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Wish } from "../../../../src/asking/wish.ts";
import { trustedFolder } from "../../../../src/home/trust/trusted-folder.ts";
import { type TrustPlace, trustAsked } from "../../../../src/screen/acting/permitting/ask-trust.ts";
import { shownOn } from "../../shown-on.ts";

const wish: Wish = {
  ...{ words: "", files: [], session: { type: "new" }, choices: {}, allow: [], deny: [] },
  ...{ systemPrompt: undefined, appendSystemPrompt: undefined, trusts: false, output: "screen" },
};

function places(): TrustPlace {
  const [cwd, home] = ["pith-trust-", "pith-home-"].map((name) => mkdtempSync(join(tmpdir(), name))) as [
    string,
    string,
  ];
  onTestFinished(() => [cwd, home].forEach((each) => void rmSync(each, { recursive: true })));
  return { cwd, home };
}

function withSettings(text: string): TrustPlace {
  const place = places();
  mkdirSync(join(place.cwd, ".pith"));
  writeFileSync(join(place.cwd, ".pith", "settings.json"), text);
  return place;
}

async function answered(key: string, place: TrustPlace) {
  const { screen, terminal, seen } = shownOn({ columns: 80, rows: 24 });
  const asked = trustAsked(wish, screen, place);
  while (!(await seen()).includes("Do you trust this folder?")) await new Promise((resolve) => setTimeout(resolve, 5));
  const page = await seen();
  terminal.press(key);
  const after = await asked;
  screen.stop();
  return { page, after, folder: await trustedFolder({ ...place, userHome: place.home }) };
}

test("MAN8 a folder that brings settings of its own is shown before they count; yes keeps exactly what was shown", async () => {
  const place = withSettings('{ "thinking": "high" }');
  const { page, after, folder } = await answered("y", place);
  expect(page).toMatch(/\.pith\/settings\.json[\s\S]*"thinking": "high"/);
  expect(after.trusts).toBe(false);
  expect(folder.type).toBe("trusted");
  writeFileSync(join(place.cwd, ".pith", "settings.json"), '{ "thinking": "low" }');
  const again = await answered("n", place);
  expect(again.page).toContain("was trusted, and has changed since");
});

test("MAN8 only this time keeps nothing, no and Esc keep nothing either, and no is what Enter means", async () => {
  for (const [key, trusts] of [
    ["o", true],
    ["n", false],
    ["\x1b", false],
    ["\r", false],
  ] as const) {
    const { after, folder } = await answered(key, withSettings('{ "thinking": "high" }'));
    expect(after.trusts).toBe(trusts);
    expect(folder.type).toBe("untrusted");
  }
});

test("MAN8 a no holds for these bytes: nobody is asked again until they change, and Esc leaves it open", async () => {
  const place = withSettings('{ "thinking": "high" }');
  await answered("\x1b", place);
  await answered("n", place);
  const { screen } = shownOn({ columns: 80, rows: 24 });
  expect(await trustAsked(wish, screen, place)).toBe(wish);
  screen.stop();
  writeFileSync(join(place.cwd, ".pith", "settings.json"), '{ "thinking": "low" }');
  expect((await answered("y", place)).folder.type).toBe("trusted");
});

test("MAN8 a list of what was declined that cannot be read or written asks again, and breaks nothing", async () => {
  const place = withSettings('{ "thinking": "high" }');
  mkdirSync(join(place.home, "declined.json"));
  await answered("n", place);
  await answered("n", place);
});

test("MAN8 nobody is asked where there is nothing, or where it was said already", async () => {
  const { screen } = shownOn({ columns: 80, rows: 24 });
  expect(await trustAsked(wish, screen, places())).toBe(wish);
  const said = { ...wish, trusts: true };
  expect(await trustAsked(said, screen, withSettings("{}"))).toBe(said);
  screen.stop();
});

test("MAN8 nothing that the folder holds steers the terminal", async () => {
  const { page } = await answered("n", withSettings('{ "thinking": "\\u001b[2J\u202ehigh\x9b31m" }'));
  expect(page).not.toMatch(/[\u202e\x9b]/);
  expect(page).toContain("\\u{202e}");
});

test("LOAD14 where an extension of the user trusts the folder nobody is asked, unless extensions are switched off", async () => {
  const place = withSettings('{ "thinking": "high" }');
  mkdirSync(join(place.home, "extensions"));
  const answer = "export default (pith) => pith.on('project_trust', () => ({ trusted: true }));";
  writeFileSync(join(place.home, "extensions", "trust.js"), answer);
  const { screen, seen } = shownOn({ columns: 80, rows: 24 });
  const after = await trustAsked(wish, screen, place);
  expect(after.trusts).toBe(true);
  expect(await seen()).not.toContain("Do you trust this folder?");
  screen.stop();
  writeFileSync(join(place.home, "settings.json"), '{ "extensions": false }');
  expect((await answered("n", place)).after.trusts).toBe(false);
});

/** The title of the terminal. */

import { basename } from "node:path";
import type { Entry } from "@pith/context";
import { expect, test } from "vitest";
import type { ScreenApi } from "../../../src/modes/interactive/screen-context.ts";
import { updateTitle } from "../../../src/modes/interactive/session-output.ts";

function sentFor(entry: object): readonly string[] {
  const sent: string[] = [];
  updateTitle(entry as Entry, { writeSequence: (sequence: string) => void sent.push(sequence) } as ScreenApi);
  return sent;
}

test("RES22 the terminal title is the session name and the folder, without control sequences", () => {
  const name = "the \x1b]0;evil\x07login\nbug\x9c";
  const [title] = sentFor({ type: "session_info", name });
  expect(title).toBe(`\x1b]0;the login bug · ${basename(process.cwd())} · pith\x07`);
});

test("RES22 removing the session name leaves the folder in the title", () => {
  expect(sentFor({ type: "session_info", name: "" })).toEqual([`\x1b]0;${basename(process.cwd())} · pith\x07`]);
  expect(sentFor({ type: "label", targetId: "a" })).toEqual([]);
});

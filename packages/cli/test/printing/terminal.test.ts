/** The two ends of the program: what reaches a screen, and what reaches a pipe. */

import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { terminalOf } from "../../src/printing/terminal.ts";

const STEERING = "red \x1b[31m\u202e";
const PLAIN = "red \\x1b[31m\\u{202e}";

test("PRT6 on a screen an answer is plain, in a pipe it is as it was said; notes are always plain", async () => {
  const screen = ends({ isTTY: true });
  expect(await screen.terminal.answer(STEERING)).toBeNull();
  screen.terminal.note(STEERING);
  expect(screen.written()).toEqual({ out: PLAIN, notes: `${PLAIN}\n` });
  const pipe = ends({ isTTY: false });
  await pipe.terminal.answer(STEERING);
  expect(pipe.written()).toEqual({ out: STEERING, notes: "" });
});

test("PRT8 a reader who left is no fault, a disk that is full is one", async () => {
  expect(await ends({ isTTY: false, failsWith: "EPIPE" }).terminal.answer("x")).toBeNull();
  const full = await ends({ isTTY: false, failsWith: "ENOSPC" }).terminal.answer("x");
  expect(full).toBe("the answer could not be written: ENOSPC");
});

interface EndParts {
  readonly isTTY: boolean;
  readonly failsWith?: string;
}

function ends({ isTTY, failsWith }: EndParts) {
  const written = { out: "", notes: "" };
  const into = (name: keyof typeof written) =>
    new Writable({
      write(chunk, _, done) {
        if (failsWith) return done(Object.assign(new Error(failsWith), { code: failsWith }));
        written[name] += chunk;
        done();
      },
    });
  const streams = { stdout: Object.assign(into("out"), { isTTY }), stderr: into("notes") };
  const terminal = terminalOf(streams as unknown as Pick<NodeJS.Process, "stdout" | "stderr">);
  return { terminal, written: () => written };
}

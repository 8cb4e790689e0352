/** Tests text/process-io.ts: line output, terminal output. */

import { Writable } from "node:stream";
import { describe, expect, test } from "vitest";
import { createLineWriter, createTerminal } from "../../src/text/process-io.ts";

describe("line output", () => {
  /** It takes a line when it is told to. */
  function reader() {
    const waiting: ((error?: Error) => void)[] = [];
    const stream = new Writable({ highWaterMark: 10, write: (_chunk, _encoding, done) => void waiting.push(done) });
    return { lines: createLineWriter(stream), read: (error?: Error) => waiting.shift()?.(error) };
  }

  test("JSON4 write returns a promise while the reader is slow, and nothing while there is room", async () => {
    const { lines, read } = reader();
    expect(lines.write("a\n")).toBeUndefined();
    const room = lines.write("a longer line\n");
    let isFree = false;
    void room?.then(() => {
      isFree = true;
    });
    await Promise.resolve();
    expect(isFree).toBe(false);
    read();
    read();
    await room;
    expect(isFree).toBe(true);
    expect(await flushed(lines, read)).toBeNull();
  });

  test("JSON4 a closed reader resolves pending writes and is not an error; a full disk is one", async () => {
    const left = reader();
    let hasLeft = false;
    left.lines.onReaderClosed(() => {
      hasLeft = true;
    });
    const room = left.lines.write("a line that is too long\n");
    left.read(Object.assign(new Error("EPIPE"), { code: "EPIPE" }));
    await room;
    expect([hasLeft, left.lines.isReaderClosed, left.lines.write("more\n")]).toEqual([true, true, undefined]);
    expect(await left.lines.flush()).toBeNull();
    const full = reader();
    const late = full.lines.write("a line that is too long\n");
    full.read(Object.assign(new Error("ENOSPC"), { code: "ENOSPC" }));
    await late;
    expect(await full.lines.flush()).toBe("the output could not be written: ENOSPC");
  });

  async function flushed(lines: ReturnType<typeof createLineWriter>, read: () => void): Promise<string | null> {
    const done = lines.flush();
    read();
    return await done;
  }
});

describe("terminal output", () => {
  const STEERING = "red \x1b[31m\u202e";
  const PLAIN = "red \\x1b[31m\\u{202e}";

  test("PRT6 control characters are escaped on a terminal and in notes, and unchanged in a pipe", async () => {
    const screen = ends({ isTTY: true });
    expect(await screen.terminal.writeOutput(STEERING)).toBeNull();
    screen.terminal.notify(STEERING);
    expect(screen.written()).toEqual({ out: PLAIN, notes: `${PLAIN}\n` });
    const pipe = ends({ isTTY: false });
    await pipe.terminal.writeOutput(STEERING);
    expect(pipe.written()).toEqual({ out: STEERING, notes: "" });
  });

  test("PRT8 a closed reader is not an error; a full disk is one", async () => {
    expect(await ends({ isTTY: false, failsWith: "EPIPE" }).terminal.writeOutput("x")).toBeNull();
    const full = await ends({ isTTY: false, failsWith: "ENOSPC" }).terminal.writeOutput("x");
    expect(full).toBe("the output could not be written: ENOSPC");
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
    const terminal = createTerminal(streams as unknown as Pick<NodeJS.Process, "stdout" | "stderr">);
    return { terminal, written: () => written };
  }
});

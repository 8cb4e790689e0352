/** Lines of an editor: what is passed on, and what is answered with an error while the connection goes on. */

import { expect, test } from "vitest";
import { boundedLines } from "../../../src/modes/acp/acp.ts";

async function read(pieces: readonly string[], longest: number) {
  const answers: unknown[] = [];
  async function* input() {
    for (const piece of pieces) yield Buffer.from(piece);
  }
  const lines = boundedLines({
    input: input(),
    write: (line) => void answers.push(JSON.parse(line)),
    maxBytes: longest,
  });
  let passed = "";
  for await (const piece of lines) passed += Buffer.from(piece).toString();
  return { passed, answers };
}

test("BOUND8 a line that is too long is answered with an error, and the next one is passed on", async () => {
  const { passed, answers } = await read(
    ['{"id":1}\n', '{"id":2,"long":"', "a".repeat(100), '"}\n{"id":3}\n{"id"', ":4}"],
    50,
  );
  expect(passed).toBe('{"id":1}\n{"id":3}\n{"id":4}\n');
  expect(answers).toEqual([
    {
      jsonrpc: "2.0",
      id: null,
      error: {
        code: -32600,
        message: expect.stringContaining("the line has 118 bytes, but the limit is 50"),
      },
    },
  ]);
});

test("BOUND8 a line that is not JSON or too deeply nested is answered as in RPC mode", async () => {
  const deep = `${"[".repeat(300)}${"]".repeat(300)}`;
  const { passed, answers } = await read([`nonsense\n${deep}\n\n{"id":1}\n`], 10_000);
  expect(passed).toBe('\n{"id":1}\n');
  expect(answers).toMatchObject([{ error: { code: -32700 } }, { error: { code: -32700 } }]);
});

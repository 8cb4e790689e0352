/** What counts as yes. */

import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { confirm } from "../../src/text/process-io.ts";

test.each(["y\n", "Y\n", "yes\n", " yes \n"])("TRU11 %j confirms", async (typed) => {
  expect(await answered(typed)).toBe(true);
});

test.each(["\n", "n\n", "yeah, no\n", "y y\n", "", "y"])(
  "TRU11 %j does not confirm, and neither does the end of the input",
  async (typed) => {
    expect(await answered(typed)).toBe(false);
  },
);

async function answered(typed: string): Promise<boolean> {
  const input = new PassThrough();
  const confirmed = confirm("Trust it?", { input, output: new PassThrough() });
  input.end(typed);
  return await confirmed;
}

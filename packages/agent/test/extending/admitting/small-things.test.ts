/** State sections of extensions: what one throws leaves what was said before, and is told once. */

import assert from "node:assert/strict";
import { test } from "vitest";
import { assembled } from "../assembly.ts";

test("EXT16 a state that throws or says no text is reported once, until it speaks again", async () => {
  let says: unknown = "one thing to do";
  const { extensions, failures } = await assembled({
    one: (pith) =>
      pith.registerState("todo", () => {
        if (says instanceof Error) throw says;
        return says as string;
      }),
  });
  const [state] = extensions.states;
  assert.equal(state?.text(), "one thing to do");
  for (const odd of [new Error("no luck"), 7, new Error("no luck")]) {
    says = odd;
    assert.throws(() => state?.text());
  }
  says = undefined;
  assert.equal(state?.text(), null);
  says = 7;
  assert.throws(() => state?.text());
  assert.deepEqual(failures, [
    { extension: "one", event: "state todo", why: "no luck" },
    { extension: "one", event: "state todo", why: "what it says is no text" },
  ]);
});

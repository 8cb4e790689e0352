/** Measuring an opened session while the program does other things. */

import type { Entry } from "@pith/context";
import { loadBranch } from "@pith/context/store";
import { expect, test, vi } from "vitest";
import { measureInBackground } from "../src/measure-session.ts";

test("DUE9 an opened session is measured in the background, after work that is already queued", async () => {
  let reads = 0;
  const message = {
    role: "toolResult",
    toolCallId: "call",
    toolName: "read",
    get content() {
      reads += 1;
      return [{ type: "text", text: "what a file says" }];
    },
    isError: false,
    timestamp: 0,
  };
  const entries = Array.from(
    { length: 300 },
    (_, at): Entry => ({
      type: "message",
      id: `e${at}`,
      parentId: at === 0 ? null : `e${at - 1}`,
      timestamp: "",
      message: message as Extract<Entry, { type: "message" }>["message"],
    }),
  );
  measureInBackground({ branch: loadBranch(entries) });
  expect(reads).toBe(0);
  await vi.waitFor(() => expect(reads).toBeGreaterThanOrEqual(300), { timeout: 10_000 });
});

/** A message that waits to be said. */

import type { Entry } from "@pith/context";
import { story } from "@pith/context/testing";
import { expect, test } from "vitest";
import { DRAFT, draftAt } from "../../src/index.ts";

function draft(data: unknown): Entry {
  return { type: "custom", customType: DRAFT, data, id: "d1", parentId: null, timestamp: "" };
}

test("COM31 a draft waits until somebody speaks; the newest counts", () => {
  const [hello] = story("user: hello");
  const { entries } = { entries: [draft({ text: "old" }), draft({ text: "say this" })] };
  expect(draftAt({ entries })).toBe("say this");
  expect(draftAt({ entries: [...entries, ...(hello ? [hello] : [])] })).toBeNull();
  expect(draftAt({ entries: [...(hello ? [hello] : []), ...entries] })).toBe("say this");
  expect(draftAt({ entries: [] })).toBeNull();
});

test("COM31 what is no draft in a file of somebody else's is none", () => {
  for (const data of [null, undefined, "text", { text: 7 }, { text: " " }, []])
    expect(draftAt({ entries: [draft(data)] })).toBeNull();
});

/** Tests drafts. */

import type { Entry } from "@pith/context";
import { story } from "@pith/context/testing";
import { expect, test } from "vitest";
import { DRAFT_TYPE, findDraft } from "../../src/index.ts";

function draft(data: unknown): Entry {
  return { type: "custom", customType: DRAFT_TYPE, data, id: "d1", parentId: null, timestamp: "" };
}

test("COM31 the newest draft is returned until the user sends a message", () => {
  const [hello] = story("user: hello");
  const { entries } = { entries: [draft({ text: "old" }), draft({ text: "say this" })] };
  expect(findDraft({ entries })).toBe("say this");
  expect(findDraft({ entries: [...entries, ...(hello ? [hello] : [])] })).toBeNull();
  expect(findDraft({ entries: [...(hello ? [hello] : []), ...entries] })).toBe("say this");
  expect(findDraft({ entries: [] })).toBeNull();
});

test("COM31 ignores invalid drafts in a session file", () => {
  for (const data of [null, undefined, "text", { text: 7 }, { text: " " }, []])
    expect(findDraft({ entries: [draft(data)] })).toBeNull();
});

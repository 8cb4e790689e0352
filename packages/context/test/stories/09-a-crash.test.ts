/** Story 9: the machine dies in the middle of a write. What was acknowledged is there; half a batch is as good as none. */

import { expect, test } from "vitest";
import { buildSessionContext } from "../../src/context/build-context.ts";
import { MemoryStore } from "../../src/session/memory-store.ts";
import { Session } from "../../src/session/session.ts";
import { testRuntime } from "../../src/testing/scripted-model.ts";
import { show } from "../../src/testing/story.ts";

const user = (content: string) => ({ type: "message", message: { role: "user", content, timestamp: 0 } }) as const;

test("LOG3 after a cut at any byte of the last batch, the session opens as it was before that batch", async () => {
  const ports = testRuntime();
  const store = MemoryStore.create(ports);
  const session = await Session.open(store, ports);
  await session.append(user("one"));
  const acknowledged = store.bytes().length;
  await session.append(
    { type: "compaction", summary: "short", firstKeptEntryId: "e1", tokensBefore: 9 },
    user("two"),
    user("three"),
  );

  for (let cut = acknowledged; cut < store.bytes().length - 1; cut++) {
    const reopened = await Session.open(MemoryStore.open(store.bytes().slice(0, cut), ports), ports);
    expect(show(buildSessionContext(reopened.branch).messages)).toBe("0 user      one");
    await reopened.append(user("again"));
    const again = MemoryStore.open((reopened.store as MemoryStore).bytes(), ports);
    expect([again.damage, await again.leaf()]).toEqual([[], reopened.leaf]);
  }
});

/** Tests rewind-files.ts: file changes, plans and restores. */

import type { Entry } from "@pith/context";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { collectFileChanges, type PlannedFile, planRewind, rewindFiles } from "../../src/rewind-files.ts";
import { hashBytes } from "../../src/text.ts";
import { changeEntry, resultEntry, type WritingSession, writingSession } from "../support/writing-session.ts";

describe("file change", () => {
  const [one, two] = ["1".repeat(64), "2".repeat(64)];

  test("BACK1 listing the changes of a session returns all of them in the order of the entries", () => {
    const entries = [
      resultEntry("write", { details: { pith: { path: "/a", before: null, after: one } } }),
      resultEntry("read", { details: { pith: { path: "/a", hash: one } } }),
      resultEntry("edit", { details: { diff: "", pith: { path: "/a", before: one, after: two, unkept: ["after"] } } }),
    ];
    expect(collectFileChanges(entries)).toEqual([
      { path: "/a", before: null, after: one },
      { path: "/a", before: one, after: two },
    ]);
  });

  test("BACK1 listing the changes ignores failed results, other tools and invalid details", () => {
    const pith = { path: "/a", before: null, after: one };
    const entries = [
      resultEntry("write", { isError: true, details: { pith } }),
      resultEntry("bash", { details: { pith } }),
      resultEntry("write", { details: { pith: { ...pith, path: null } } }),
      resultEntry("write", { details: { pith: { ...pith, before: "../x" } } }),
      resultEntry("write", { details: { pith: { ...pith, after: null } } }),
      resultEntry("write", { details: null }),
    ];
    expect(collectFileChanges(entries)).toEqual([]);
  });
});

describe("plan", () => {
  const hash = (text: string): Promise<string> => hashBytes(new TextEncoder().encode(text));

  test("BACK1 has the target, the current content and the action of each file, and changes no file", async () => {
    const { files, originals, checkPermission, write } = writingSession();
    files.put("/old", "as it was");
    const left = [await write("/old", "changed"), await write("/old", "again"), await write("/new", "created")];
    const plan = await planRewind({ leftEntries: left, reachedEntries: [] }, { files, originals, checkPermission });
    expect(plan).toEqual([
      {
        type: "restore",
        path: "/old",
        expectedHash: await hash("again"),
        targetHash: await hash("as it was"),
        currentHash: await hash("again"),
        hasForeignChanges: false,
      },
      {
        type: "remove",
        path: "/new",
        expectedHash: await hash("created"),
        targetHash: null,
        currentHash: await hash("created"),
        hasForeignChanges: false,
      },
    ]);
    expect(files.texts()).toEqual({ "/old": "again", "/new": "created" });
  });

  test("BACK3 reports an unreadable file as a conflict", async () => {
    const { files, originals, checkPermission } = writingSession();
    const left = [changeEntry({ path: "/folder/", before: null, after: await hash("x") })];
    expect(
      await planRewind({ leftEntries: left, reachedEntries: [] }, { files, originals, checkPermission }),
    ).toMatchObject([{ type: "conflict", currentHash: "unreadable" }]);
  });

  test("BACK3 reports changes that others made between two changes of the session", async () => {
    const { files, originals, checkPermission, write } = writingSession();
    const first = await write("/file", "one");
    files.put("/file", "one, formatted");
    const left = [first, await write("/file", "two")];
    expect(
      await planRewind({ leftEntries: left, reachedEntries: [] }, { files, originals, checkPermission }),
    ).toMatchObject([{ type: "remove", hasForeignChanges: true }]);
  });

  test("BACK4 does not remove a file only because a forged session claims to have created it", async () => {
    const { files, originals, checkPermission } = writingSession();
    files.put("/precious", "known to all");
    const left = [changeEntry({ path: "/precious", before: null, after: await hash("known to all") })];
    expect(
      await planRewind({ leftEntries: left, reachedEntries: [] }, { files, originals, checkPermission }),
    ).toMatchObject([{ type: "lost" }]);
  });
});

describe("rewind files", () => {
  const hash = (text: string): Promise<string> => hashBytes(new TextEncoder().encode(text));
  const verdicts = (plan: readonly PlannedFile[]) => Object.fromEntries(plan.map(({ path, type }) => [path, type]));

  test("BACK2 moves between two branches restore the files of each", async () => {
    const { files, originals, checkPermission, write } = writingSession();
    const parts = { files, originals, checkPermission };
    files.put("/both", "start");
    const one = [await write("/both", "one"), await write("/one", "1")];
    const back = await rewindFiles(await planRewind({ leftEntries: one, reachedEntries: [] }, parts), parts);
    expect(back).toEqual({
      type: "rewound",
      files: [
        { type: "restored", path: "/both" },
        { type: "removed", path: "/one" },
      ],
    });
    const two = [await write("/both", "two"), await write("/two", "2")];
    const over = async (left: readonly Entry[], reached: readonly Entry[]) => {
      expect(
        await rewindFiles(await planRewind({ leftEntries: left, reachedEntries: reached }, parts), parts),
      ).toMatchObject({ type: "rewound" });
      return files.texts();
    };
    expect(await over(two, one)).toEqual({ "/both": "one", "/one": "1" });
    expect(await over(one, two)).toEqual({ "/both": "two", "/two": "2" });
    expect(await over(two, [])).toEqual({ "/both": "start" });
  });

  test("BACK2 in any tree, a move between any two entries restores the files of the target", async () => {
    const acts = fc.array(
      fc.record({
        place: fc.nat(30),
        path: fc.constantFrom("/a", "/b", "/c"),
        text: fc.constantFrom("", "1", "2", "3"),
      }),
      { minLength: 1, maxLength: 15 },
    );
    await fc.assert(
      fc.asyncProperty(acts, async (edits) => {
        const session = writingSession();
        session.files.put("/a", "there before");
        const places: Place[] = [{ branch: [], texts: session.files.texts() }];
        let here = 0;
        for (const { place, path, text } of edits) {
          const to = place % places.length;
          await move(session, places[here]?.branch ?? [], places[to]?.branch ?? []);
          expect(session.files.texts()).toEqual(places[to]?.texts);
          const entry = await session.write(path, text);
          here = places.push({ branch: [...(places[to]?.branch ?? []), entry], texts: session.files.texts() }) - 1;
        }
      }),
      { numRuns: 200 },
    );
  });

  interface Place {
    readonly branch: readonly Entry[];
    readonly texts: Readonly<Record<string, string>>;
  }

  async function move(parts: WritingSession, from: readonly Entry[], to: readonly Entry[]): Promise<void> {
    const parting = from.findIndex((entry, at) => entry !== to[at]);
    const common = parting < 0 ? from.length : parting;
    const plan = await planRewind({ leftEntries: from.slice(common), reachedEntries: to.slice(common) }, parts);
    expect(await rewindFiles(plan, parts)).toMatchObject({ type: "rewound" });
  }

  test("BACK3 changes no file if others changed, removed or created one of them since", async () => {
    const { files, originals, checkPermission, write } = writingSession();
    files.put("/fine", "before");
    const left = [];
    for (const path of ["/fine", "/changed", "/removed"]) left.push(await write(path, "by the session"));
    files.put("/fine", "by the session");
    files.put("/changed", "by hand");
    files.put("/removed", null);
    files.put("/taken", "by hand");
    const reached = [changeEntry({ path: "/taken", before: null, after: await hash("x") })];
    const before = files.texts();
    const plan = await planRewind(
      { leftEntries: left, reachedEntries: reached },
      { files, originals, checkPermission },
    );
    expect(verdicts(plan)).toEqual({
      "/fine": "restore",
      "/changed": "conflict",
      // The file did not exist before, so it already has its target state.
      "/removed": "same",
      "/taken": "conflict",
    });
    const refused = await rewindFiles(plan, { files, originals, checkPermission });
    expect(refused).toMatchObject({ type: "refused", conflicts: [{ path: "/changed" }, { path: "/taken" }] });
    expect(files.texts()).toEqual(before);

    const some = await rewindFiles(plan, { files, originals, checkPermission, only: ["/fine"] });
    expect(some).toEqual({ type: "rewound", files: [{ type: "restored", path: "/fine" }] });
    expect(files.texts()).toEqual({ ...before, "/fine": "before" });
    expect(await rewindFiles(plan, { files, originals, checkPermission, only: ["/changed"] })).toMatchObject({
      type: "refused",
    });
  });

  test("BACK3 detects a change between the plan and the restore", async () => {
    const { files, originals, checkPermission, write } = writingSession();
    const left = [await write("/file", "by the session")];
    const plan = await planRewind({ leftEntries: left, reachedEntries: [] }, { files, originals, checkPermission });
    files.put("/file", "by hand");
    const outcome = await rewindFiles(plan, { files, originals, checkPermission });
    expect(outcome).toMatchObject({ type: "refused", conflicts: [{ type: "conflict", path: "/file" }] });
    expect(files.texts()).toEqual({ "/file": "by hand" });
  });

  test("BACK4 reports content that was not stored as lost, and removes no file whose content is not stored", async () => {
    const { files, originals, checkPermission, write } = writingSession();
    files.put("/old", "before");
    const left = [await write("/old", "after"), await write("/new", "created")];
    originals.lose(await hash("before"));
    originals.lose(await hash("created"));
    const plan = await planRewind({ leftEntries: left, reachedEntries: [] }, { files, originals, checkPermission });
    expect(verdicts(plan)).toEqual({ "/old": "lost", "/new": "lost" });
    expect(await rewindFiles(plan, { files, originals, checkPermission })).toMatchObject({
      type: "refused",
      conflicts: plan,
    });
  });

  test("BACK4 reports a file that cannot be written, and restores the others", async () => {
    const { files, originals, checkPermission, write } = writingSession();
    const left = [await write("/one", "1"), await write("/two", "2")];
    files.refuse("/one");
    const plan = await planRewind({ leftEntries: left, reachedEntries: [] }, { files, originals, checkPermission });
    expect(await rewindFiles(plan, { files, originals, checkPermission })).toEqual({
      type: "rewound",
      files: [
        { type: "failed", path: "/one", message: "/one cannot be written" },
        { type: "removed", path: "/two" },
      ],
    });
  });
});

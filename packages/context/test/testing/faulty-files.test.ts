/** The faulty files themselves: every fault happens when it was asked for, and a power cut takes only what was not synced. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { diskErrorCode, type OpenFile } from "../../src/node/files.ts";
import { CrashError } from "../support/faulty-files/errors.ts";
import { FaultyFiles } from "../support/faulty-files/faulty-files.ts";
import { createSeededRandom } from "../support/seeded-random.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (found: Uint8Array): string => new TextDecoder().decode(found);

function tried(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error instanceof CrashError ? "crashed" : diskErrorCode(error);
  }
}

/** A disk with one durable file, open for appending; nothing is counted yet but the opening. */
function started(content = ""): { files: FaultyFiles; file: OpenFile } {
  const files = new FaultyFiles();
  files.addFile("/s/a", bytes(content));
  return { files, file: files.open("/s/a", "append") };
}

/** What is left after a power cut, over many throws of the dice. */
function outcomes(
  createFaultyFiles: () => FaultyFiles,
  look: (files: FaultyFiles) => unknown,
  throws = 2000,
): Set<unknown> {
  return new Set(
    Array.from({ length: throws }, (_, seed) => {
      const files = createFaultyFiles();
      files.cutPower(createSeededRandom(seed));
      return look(files);
    }),
  );
}

const textOfA = (files: FaultyFiles): string => text(files.readBytes("/s/a"));
const allPaths = (files: FaultyFiles): string => files.listPaths().join(" ");

describe("access for tests", () => {
  test("an added file has its folders, survives a power cut, and is not an operation", () => {
    const files = new FaultyFiles();
    files.addFile("/deep/down/a", bytes("x"));
    files.addLink("/deep/link");
    expect(files.listPaths()).toEqual(["/deep/down/a", "/deep/link"]);
    files.cutPower(() => 0);
    expect(files.listPaths()).toEqual(["/deep/down/a", "/deep/link"]);
    expect(text(files.readBytes("/deep/down/a"))).toBe("x");
    expect(files.operations).toBe(0);
  });

  test("adding a file again keeps its identity and replaces its content", () => {
    const files = new FaultyFiles();
    files.addFile("/a", bytes("long text"));
    const before = files.stat("/a");
    files.addFile("/a", bytes("x"));
    expect(files.stat("/a")).toMatchObject({ identity: before?.identity, size: 1 });
    expect(Number(files.stat("/a")?.modified)).toBeGreaterThan(Number(before?.modified));
  });

  test("returned bytes are a copy", () => {
    const { files, file } = started("abc");
    files.readBytes("/s/a").fill(0);
    const mine = bytes("d");
    file.append(mine);
    mine.fill(0);
    expect(textOfA(files)).toBe("abcd");
  });

  test("an identity is never reused", () => {
    const files = new FaultyFiles();
    const identities = Array.from({ length: 20 }, () => {
      const { identity } = files.create("/a").stat();
      files.remove("/a");
      return identity;
    });
    expect(new Set(identities).size).toBe(20);
  });

  test("errors have the messages of Node", () => {
    const { files, file } = started();
    expect(() => files.open("/no", "read")).toThrow("ENOENT: no such file or directory, open '/no'");
    expect(() => files.link("/s/a", "/s/a")).toThrow("EEXIST: file already exists, link '/s/a' -> '/s/a'");
    expect(() => files.readBytes("/s")).toThrow("EISDIR: illegal operation on a directory, open '/s'");
    expect(() => files.addFile("/s/a/b", bytes(""))).toThrow("'/s/a/b'");
    file.close();
    expect(() => file.stat()).toThrow("EBADF: bad file descriptor, fstat");
  });

  test("every call is counted and logged", () => {
    const { files, file } = started("x");
    files.failAt(2, "EIO");
    file.append(bytes("four"));
    tried(() => file.sync());
    files.rename("/s/a", "/s/b");
    tried(() => files.stat("/s/a"));
    files.tearAt(1, 2, "short");
    file.append(bytes("four"));
    file.truncate(3);
    file.close();
    expect(files.operations).toBe(8);
    expect(files.log).toEqual([
      "open /s/a append",
      "append /s/a 4",
      "sync /s/a EIO",
      "rename /s/a /s/b",
      "stat /s/a",
      "append /s/a 4 only 2",
      "truncate /s/a 3",
      "close /s/a",
    ]);
  });

  test("the log is bounded", () => {
    const files = new FaultyFiles();
    for (let count = 0; count < 5000; count++) files.stat("/");
    expect(files.operations).toBe(5000);
    expect(files.log).toHaveLength(1000);
  });
});

describe("planned faults", () => {
  test("the nth operation fails once, without effect", () => {
    const { files, file } = started();
    files.failAt(2, "EIO");
    expect([1, 2, 3].map((n) => tried(() => file.append(bytes(String(n)))))).toEqual([1, "EIO", 1]);
    expect(textOfA(files)).toBe("13");
  });

  test("a failed sync makes nothing durable", () => {
    const { files, file } = started();
    file.append(bytes("x"));
    files.failAt(1, "EIO");
    expect(tried(() => file.sync())).toBe("EIO");
    files.cutPower(() => 0);
    expect(textOfA(files)).toBe("");
  });

  test("a lasting failure lasts until it is cleared, only for its kinds", () => {
    const { files, file } = started();
    files.failEvery("EIO", ["sync", "syncFolder"]);
    files.failEvery("ENOSPC", ["append"]);
    const all = () => [
      tried(() => file.sync()),
      tried(() => file.append(bytes("x"))),
      tried(() => files.syncFolder("/s")),
      tried(() => file.truncate(0)),
    ];
    expect([...all(), ...all()]).toEqual([
      ...["EIO", "ENOSPC", "EIO", undefined],
      ...["EIO", "ENOSPC", "EIO", undefined],
    ]);
    files.clearFaults();
    expect(all()).toEqual([undefined, 1, undefined, undefined]);
  });

  test("clearing removes planned faults", () => {
    const { files, file } = started();
    files.crashAt(1);
    files.failAt(2, "EIO");
    files.clearFaults();
    expect([tried(() => file.append(bytes("x"))), tried(() => file.sync())]).toEqual([1, undefined]);
  });

  test.each([
    ["throws", "ENOSPC", false],
    ["short", 2, false],
    ["crashes", "crashed", true],
  ] as const)("a torn append leaves its first bytes and %s", (end, outcome, crashed) => {
    const { files, file } = started("1");
    files.tearAt(1, 2, end);
    expect(tried(() => file.append(bytes("234")))).toBe(outcome);
    expect(textOfA(files)).toBe("123");
    expect(files.isCrashed).toBe(crashed);
  });

  test("only an append is torn", () => {
    const { files, file } = started("1");
    files.tearAt(1, 2);
    expect(tried(() => file.sync())).toBe(undefined);
    expect(tried(() => file.append(bytes("234")))).toBe(3);
  });
});

describe("free space", () => {
  test("an append writes what fits, then fails", () => {
    const { files, file } = started("old");
    files.freeBytes = 5;
    expect([tried(() => file.append(bytes("1234"))), files.freeBytes]).toEqual([4, 1]);
    expect([tried(() => file.append(bytes("56"))), files.freeBytes]).toEqual([1, 0]);
    expect(tried(() => file.append(bytes("7")))).toBe("ENOSPC");
    expect(tried(() => file.append(bytes("")))).toBe(0);
    expect(textOfA(files)).toBe("old12345");
    files.freeBytes = undefined;
    expect(file.append(bytes("endless"))).toBe(7);
  });

  test("truncating frees space, and growing uses it", () => {
    const { files, file } = started("12345");
    files.freeBytes = 1;
    file.truncate(2);
    expect(files.freeBytes).toBe(4);
    expect(tried(() => file.truncate(7))).toBe("ENOSPC");
    file.truncate(6);
    expect(files.freeBytes).toBe(0);
  });

  test("a removed file frees its space when neither a name nor a descriptor is left", () => {
    const { files, file } = started("12345");
    files.freeBytes = 0;
    files.link("/s/a", "/s/b");
    files.remove("/s/a");
    expect(files.freeBytes).toBe(0);
    files.remove("/s/b");
    expect(files.freeBytes).toBe(0);
    file.close();
    expect(files.freeBytes).toBe(5);
  });

  test("a replaced file frees its space", () => {
    const { files, file } = started("12345");
    file.close();
    files.addFile("/s/b", bytes("x"));
    files.freeBytes = 0;
    files.rename("/s/b", "/s/a");
    expect(files.freeBytes).toBe(5);
  });
});

describe("a crash", () => {
  test("stops everything before the operation has an effect", () => {
    const { files, file } = started("1");
    files.crashAt(2);
    file.append(bytes("2"));
    const acts = [
      () => file.append(bytes("3")),
      () => file.close(),
      () => file.stat(),
      () => files.stat("/s/a"),
      () => files.create("/s/b"),
      () => files.list("/s"),
      () => files.remove("/s/a"),
    ];
    expect(acts.map(tried)).toEqual(acts.map(() => "crashed"));
    expect(files.operations).toBe(3);
    expect(files.log.at(-1)).toBe("append /s/a 1 crashed");
    expect([files.listPaths(), textOfA(files)]).toEqual([["/s/a"], "12"]);
  });

  test("is not a disk error", () => {
    expect(new CrashError()).toBeInstanceOf(Error);
    expect(diskErrorCode(new CrashError())).toBe("");
  });

  test("leaves a restarted process all written data and no open file", () => {
    const { files, file } = started();
    files.create("/s/b").append(bytes("unsynced"));
    file.append(bytes("x"));
    files.crashAt(1);
    tried(() => file.sync());
    files.restart();
    expect(files.isCrashed).toBe(false);
    expect([files.listPaths(), textOfA(files), text(files.readBytes("/s/b"))]).toEqual([
      ["/s/a", "/s/b"],
      "x",
      "unsynced",
    ]);
    const dead = [() => file.append(bytes("y")), () => file.read(new Uint8Array(1), 0), () => file.close()];
    expect(dead.map(tried)).toEqual(["EBADF", "EBADF", "EBADF"]);
    expect(files.open("/s/a", "append").append(bytes("y"))).toBe(1);
  });

  test("a restart makes nothing durable", () => {
    const { files, file } = started();
    file.append(bytes("x"));
    files.restart();
    files.cutPower(() => 0);
    expect(textOfA(files)).toBe("");
  });

  test("frees the space of open files without a name", () => {
    const { files } = started("12345");
    files.freeBytes = 0;
    files.remove("/s/a");
    files.restart();
    expect(files.freeBytes).toBe(5);
  });
});

describe("what a power cut does to a file", () => {
  test("open files are closed, and what survived is durable", () => {
    const { files, file } = started();
    file.append(bytes("x"));
    files.cutPower(() => 0.5);
    const [paths, left] = [files.listPaths(), textOfA(files)];
    expect(tried(() => file.append(bytes("y")))).toBe("EBADF");
    for (let seed = 0; seed < 50; seed++) files.cutPower(createSeededRandom(seed));
    expect([files.listPaths(), textOfA(files)]).toEqual([paths, left]);
  });

  test("synced data always survives", () => {
    const createFaultyFiles = () => {
      const { files, file } = started("1");
      file.append(bytes("23"));
      file.truncate(2);
      file.append(bytes("4"));
      file.sync();
      return files;
    };
    expect(outcomes(createFaultyFiles, textOfA)).toEqual(new Set(["124"]));
  });

  test("writes survive, are lost, torn or out of order, and the size varies", () => {
    const createFaultyFiles = () => {
      const { files, file } = started("=");
      file.append(bytes("ab"));
      file.append(bytes("cd"));
      return files;
    };
    const left = outcomes(createFaultyFiles, textOfA);
    for (const each of left) expect(each).toMatch(/^=([a\0]([b\0]([c\0][d\0]?)?)?)?$/);
    for (const each of ["=", "=a", "=ab", "=abc", "=abcd", "=\0\0", "=\0\0cd", "=ab\0\0", "=a\0cd", "=\0b"]) {
      expect(left).toContain(each);
    }
  });

  test("a truncation may have happened or not", () => {
    const createFaultyFiles = () => {
      const { files, file } = started("12345");
      file.truncate(2);
      return files;
    };
    expect(outcomes(createFaultyFiles, textOfA)).toEqual(new Set(["12345", "12"]));
  });

  test("data after a truncation may follow old content", () => {
    const createFaultyFiles = () => {
      const { files, file } = started("12345");
      file.truncate(2);
      file.append(bytes("ab"));
      return files;
    };
    const left = outcomes(createFaultyFiles, textOfA);
    for (const each of left) expect(each).toMatch(/^12([a3\0]([b4\0]5?)?)?$/);
    for (const each of ["12345", "12", "12ab", "12ab5", "1234", "12a", "12\0\0"]) expect(left).toContain(each);
  });

  test("nothing before the truncated part changes, with any seed", () => {
    const step = fc.oneof(
      fc.record({ act: fc.constant("append" as const), size: fc.integer({ min: 1, max: 9 }) }),
      fc.record({ act: fc.constant("truncate" as const), size: fc.nat(30) }),
      fc.record({ act: fc.constantFrom("sync" as const, "powerCut" as const), size: fc.nat() }),
    );
    const stepSequences = fc.array(step, { maxLength: 30 });
    fc.assert(fc.property(stepSequences, fc.nat(), (steps, seed) => checkPowerCut(steps, seed)));
  });

  /** Only what was synced and not truncated since is safe, and a size never leaves the sizes there were. */
  function checkPowerCut(
    steps: readonly { act: "append" | "truncate" | "sync" | "powerCut"; size: number }[],
    seed: number,
  ) {
    const { files, file: first } = started();
    const chance = createSeededRandom(seed);
    let [file, safe, largest] = [first, "", 0];
    for (const [index, { act, size }] of [...steps, { act: "powerCut" as const, size: 0 }].entries()) {
      if (act === "append") file.append(bytes(String.fromCharCode(65 + (index % 26)).repeat(size)));
      if (act === "truncate") file.truncate(size);
      if (act === "truncate") safe = safe.slice(0, size);
      if (act === "sync") file.sync();
      if (act === "powerCut") {
        files.cutPower(chance);
        expect(textOfA(files).startsWith(safe)).toBe(true);
        expect(textOfA(files).length).toBeLessThanOrEqual(largest);
        file = files.open("/s/a", "append");
      }
      const now = textOfA(files);
      if (act === "sync" || act === "powerCut") [safe, largest] = [now, now.length];
      largest = Math.max(largest, now.length);
    }
  }
});

describe("what a power cut does to names", () => {
  const planted = (): FaultyFiles => {
    const files = new FaultyFiles();
    files.addFile("/s/old", bytes("old"));
    return files;
  };
  /** What remains of an act, without and with a sync of its folder. */
  const named = (act: (files: FaultyFiles) => void, look = allPaths) => {
    const createFaultyFiles = () => {
      const files = planted();
      act(files);
      return files;
    };
    const synced = () => {
      const files = createFaultyFiles();
      files.syncFolder("/s");
      return files;
    };
    return { unsynced: outcomes(createFaultyFiles, look, 200), synced: outcomes(synced, look, 200) };
  };

  test("a new file may be missing until its folder is synced, even if it was synced itself", () => {
    const { unsynced, synced } = named((files) => {
      const file = files.create("/s/new");
      file.append(bytes("x"));
      file.sync();
    });
    expect(unsynced).toEqual(new Set(["/s/old", "/s/new /s/old"]));
    expect(synced).toEqual(new Set(["/s/new /s/old"]));
  });

  test("a name may survive without its content", () => {
    const act = (files: FaultyFiles) => void files.create("/s/new").append(bytes("x"));
    const { synced } = named(act, (files) => String(tried(() => text(files.readBytes("/s/new")))));
    expect(synced).toEqual(new Set(["", "x", "\0"]));
  });

  test("a removed file may be back", () => {
    const { unsynced, synced } = named((files) => files.remove("/s/old"));
    expect(unsynced).toEqual(new Set(["/s/old", ""]));
    expect(synced).toEqual(new Set([""]));
  });

  test("a link may be missing", () => {
    const { unsynced, synced } = named((files) => files.link("/s/old", "/s/new"));
    expect(unsynced).toEqual(new Set(["/s/old", "/s/new /s/old"]));
    expect(synced).toEqual(new Set(["/s/new /s/old"]));
  });

  test("a rename happened or not: there is always exactly one of the two names", () => {
    const { unsynced, synced } = named((files) => files.rename("/s/old", "/s/new"));
    expect(unsynced).toEqual(new Set(["/s/old", "/s/new"]));
    expect(synced).toEqual(new Set(["/s/new"]));
  });

  test("a rename over a file leaves the one or the other", () => {
    const createFaultyFiles = () => {
      const files = planted();
      files.addFile("/s/new", bytes("new"));
      files.rename("/s/new", "/s/old");
      return files;
    };
    const left = outcomes(createFaultyFiles, (files) => `${allPaths(files)}: ${text(files.readBytes("/s/old"))}`, 200);
    expect(left).toEqual(new Set(["/s/new /s/old: old", "/s/old: new"]));
  });

  test("a rename between folders survives in both or neither, and in both once one is synced", () => {
    const createFaultyFiles = () => {
      const files = planted();
      files.addFile("/t/other", bytes(""));
      files.rename("/s/old", "/t/new");
      return files;
    };
    const synced = () => {
      const files = createFaultyFiles();
      files.syncFolder("/s");
      return files;
    };
    expect(outcomes(createFaultyFiles, allPaths, 200)).toEqual(new Set(["/s/old /t/other", "/t/new /t/other"]));
    expect(outcomes(synced, allPaths, 200)).toEqual(new Set(["/t/new /t/other"]));
  });

  test("in one folder a later change never survives without the earlier ones", () => {
    const { unsynced } = named((files) => {
      files.create("/s/1");
      files.create("/s/2");
      files.remove("/s/old");
    });
    expect(unsynced).toEqual(new Set(["/s/old", "/s/1 /s/old", "/s/1 /s/2 /s/old", "/s/1 /s/2"]));
  });

  test("two folders survive independently", () => {
    const createFaultyFiles = () => {
      const files = planted();
      files.addFile("/t/other", bytes(""));
      files.create("/s/1");
      files.create("/t/2");
      return files;
    };
    expect(outcomes(createFaultyFiles, allPaths, 200)).toEqual(
      new Set(["/s/old /t/other", "/s/1 /s/old /t/other", "/s/old /t/2 /t/other", "/s/1 /s/old /t/2 /t/other"]),
    );
  });

  test("a new folder is lost with its content, unless its parent is synced", () => {
    const { unsynced, synced } = named((files) => {
      files.makeFolder("/s/f");
      files.create("/s/f/a").close();
      files.syncFolder("/s/f");
    });
    expect(unsynced).toEqual(new Set(["/s/old", "/s/f/a /s/old"]));
    expect(synced).toEqual(new Set(["/s/f/a /s/old"]));
  });

  test("a file with two names has one content afterwards", () => {
    const createFaultyFiles = () => {
      const files = planted();
      files.link("/s/old", "/s/new");
      files.syncFolder("/s");
      files.open("/s/new", "append").append(bytes("er and longer"));
      return files;
    };
    const same = outcomes(
      createFaultyFiles,
      (files) => text(files.readBytes("/s/old")) === text(files.readBytes("/s/new")),
      200,
    );
    expect(same).toEqual(new Set([true]));
  });

  test("the same seed gives the same disk", () => {
    const left = (seed: number) => {
      const files = planted();
      for (const name of ["1", "2", "3"]) files.create(`/s/${name}`).append(bytes("some text"));
      files.cutPower(createSeededRandom(seed));
      return files.listPaths().map((path) => [path, text(files.readBytes(path))]);
    };
    for (let seed = 0; seed < 50; seed++) expect(left(seed)).toEqual(left(seed));
  });
});

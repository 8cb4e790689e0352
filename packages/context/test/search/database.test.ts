/** The file of the index: for its owner alone, without readable text, and worth nothing: whatever happens to it, all is found again. */

import {
  chmodSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { searchSessions } from "../../src/search/search.ts";
import { createSearchHome, userLine } from "./search-home.ts";

describe("FIND7 every entry is found, whatever happened to the index file", () => {
  const fates: Readonly<Record<string, (path: string) => void>> = {
    removed: (path) => rmSync(path),
    truncated: (path) => truncateSync(path, 0),
    "cut in the middle": (path) => truncateSync(path, 9_000),
    "replaced by another file": (path) => writeFileSync(path, "this is no database ".repeat(500)),
    "replaced by another database": (path) => {
      rmSync(path);
      const database = new DatabaseSync(path);
      database.exec("CREATE TABLE notes (text TEXT)");
      database.close();
    },
    "of an older version": (path) => {
      const database = new DatabaseSync(path);
      database.exec("PRAGMA user_version = 0");
      database.close();
    },
    "without one of its tables": (path) => {
      const database = new DatabaseSync(path);
      database.exec("DROP TABLE words_1");
      database.close();
    },
    "replaced by a link": (path) => {
      rmSync(path);
      writeFileSync(`${path}.other`, "not to be touched");
      symlinkSync(`${path}.other`, path);
    },
    "with overwritten pages": (path) => {
      const bytes = readFileSync(path);
      writeFileSync(path, bytes.fill(0x41, 4_096));
    },
  };
  for (const [fate, befall] of Object.entries(fates))
    test(fate, async () => {
      const on = createSearchHome();
      on.session("s", [userLine("one", "needle"), userLine("two", "hay")]);
      const path = join(on.home, "search.db");
      expect(await on.ids("needle")).toEqual(["one"]);
      befall(path);
      expect(await on.ids("needle")).toEqual(["one"]);
      expect(await on.ids("hay")).toEqual(["two"]);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      if (existsSync(`${path}.other`)) expect(readFileSync(`${path}.other`, "utf8")).toBe("not to be touched");
    });
});

test("FIND7 only its owner can read the index, and it contains no sentence of a session", async () => {
  const on = createSearchHome();
  on.session("s", [userLine("one", "alpha bravo charlie delta")]);
  expect(await on.ids('"bravo charlie"')).toEqual(["one"]);
  const path = join(on.home, "search.db");
  expect(statSync(path).mode & 0o077).toBe(0);
  expect(statSync(on.home).mode & 0o077).toBe(0);
  expect(readFileSync(path, "latin1")).not.toContain("alpha bravo");
});

test("an unusable index path gives a message with a next step", async () => {
  const on = createSearchHome();
  on.session("s", [userLine("one", "needle")]);
  writeFileSync(join(on.home, "file"), "");
  const found = await searchSessions("needle", { env: { PITH_HOME: join(on.home, "file", "home") } });
  expect(found).toMatchObject({ type: "unavailable", why: expect.stringMatching(/cannot be searched: .+;/) });
  chmodSync(on.home, 0o700);
});

/** What placeholders stand for, learnt again from files after a restart. */

import type { FileRead } from "@pith/agent";
import { MemoryStore, Session } from "@pith/context";
import { Vault } from "@pith/context/secrets";
import { plantedSecrets, seededChance, testPorts } from "@pith/context/testing";
import { expect, test } from "vitest";
import { type RelearningParts, relearning as relearningWith } from "../../../src/home/secrets/relearning.ts";

const vault = (): Vault => new Vault({ digest: (value) => Buffer.from(value.slice(-6)).toString("hex") });
const relearning = (own: Vault, parts: Omit<RelearningParts, "mayRead">) =>
  relearningWith(own, { ...parts, mayRead: async (path) => !path.includes("closed") });
const [planted] = plantedSecrets(1, seededChance(3));
const text = `key = ${planted?.text}`;

async function sessionThat(...said: readonly string[]): Promise<Session> {
  const ports = testPorts();
  const session = await Session.open(MemoryStore.create(ports), ports);
  for (const each of said)
    await session.append({
      type: "message",
      message: { role: "user", content: [{ type: "text", text: each }], timestamp: 0 },
    });
  return session;
}

function disk(files: Readonly<Record<string, string>>) {
  const read: string[] = [];
  return {
    read: async (path: string): Promise<FileRead> => {
      read.push(path);
      const found = files[path];
      return found === undefined ? { type: "missing", message: "no" } : { type: "read", bytes: Buffer.from(found) };
    },
    resolve: (path: string) => `/work/${path}`,
    seen: read,
  };
}

test("SEC12 what a placeholder stands for is learnt again from the file a call is about, then from those that were seen", async () => {
  const redacted = vault().redacted(text);
  const session = await sessionThat('<file path="shown.txt">\nx\n</file>');
  const about = disk({ "/work/it.txt": text });
  const asked = { path: "it.txt", content: redacted };
  expect(await relearning(vault(), { session, files: about }).restored(asked)).toEqual({
    type: "restored",
    value: { ...asked, content: text },
  });
  expect(about.seen).toEqual(["/work/it.txt"]);
  const shown = disk({ "/work/shown.txt": text });
  expect((await relearning(vault(), { session, files: shown }).restored(asked)).type).toBe("restored");
  expect(shown.seen).toEqual(["/work/it.txt", "/work/shown.txt"]);
});

test("SEC12 nothing is read where all is known, and what no file holds stays unknown", async () => {
  const session = await sessionThat("hello");
  const files = disk({});
  const own = vault();
  const redacted = own.redacted(text);
  expect(await relearning(own, { session, files }).restored(redacted)).toEqual({ type: "restored", value: text });
  expect(files.seen).toEqual([]);
  expect((await relearning(vault(), { session, files }).restored(redacted)).type).toBe("unknown");
});

test("SEC12 a placeholder that stands in the file a call is about stands for itself, and in no other file", async () => {
  const session = await sessionThat('<file path="notes.txt">\nx\n</file>');
  const example = "PITH_SECRET_github_0123456789ab";
  const files = disk({ "/work/docs.md": `see ${example}`, "/work/notes.txt": example });
  const secrets = relearning(vault(), { session, files });
  expect((await secrets.restored({ path: "other.md", content: example })).type).toBe("unknown");
  const asked = { path: "docs.md", content: `look at ${example}` };
  expect(await secrets.restored(asked)).toEqual({ type: "restored", value: asked });
});

test("SEC12 a call that writes an example of somebody's documents does not open the way for other files", async () => {
  const session = await sessionThat("hello");
  const example = "PITH_SECRET_github_0123456789ab";
  const secrets = relearning(vault(), { session, files: disk({ "/work/docs.md": `see ${example}` }) });
  expect((await secrets.restored({ path: "docs.md", content: example })).type).toBe("restored");
  expect((await secrets.restored({ path: "other.md", content: example })).type).toBe("unknown");
});

test("SEC12 no file is looked into that a tool could not read, whoever names it", async () => {
  const session = await sessionThat('<file path="closed/shown.txt">\nx\n</file>');
  const files = disk({ "/work/closed/it.txt": text, "/work/closed/shown.txt": text });
  const asked = { path: "closed/it.txt", content: vault().redacted(text) };
  expect((await relearning(vault(), { session, files }).restored(asked)).type).toBe("unknown");
  expect(files.seen).toEqual([]);
});

/** What an extension is given of a session: questions are announced, nobody who is asked is hurried, and what is kept too long does nothing. */

import assert from "node:assert/strict";
import { test } from "vitest";
import { type ExtensionContext, type ExtensionUi, headlessUi } from "../../src/index.ts";
import { actsIn, assembled, quiet } from "./assembly.ts";

test("EXT10 every extension hears that a person is asked, and nobody is hurried meanwhile", async () => {
  const heard: string[] = [];
  const answer = Promise.withResolvers<boolean>();
  const ui: ExtensionUi = { ...headlessUi, confirm: () => answer.promise };
  const { extensions, failures } = await assembled({
    asks: (pith) =>
      pith.on("session_before_switch", async (_, context) => ({
        cancel: !(await context.ui.confirm("Leave?", "Now?")),
      })),
    hears: (pith) => {
      for (const name of ["ui_prompt_start", "ui_prompt_end"] as const)
        pith.on(name, ({ type, method, title }) => void heard.push(`${type} ${method} ${title}`));
    },
  });
  extensions.bind(actsIn([], ui));
  const asked = extensions.dispatch({ type: "session_before_switch", reason: "new" });
  // Longer than anybody else would be waited for.
  for (let at = 0; at < 5; at += 1) await quiet();
  assert.deepEqual(heard, ["ui_prompt_start confirm Leave?"]);
  answer.resolve(false);
  assert.deepEqual(await asked, [{ cancel: true }]);
  await quiet();
  assert.deepEqual(heard[1], "ui_prompt_end confirm Leave?");
  assert.deepEqual(failures, []);
});

test("EXT10 what is no text never reaches a person", async () => {
  const shown: string[] = [];
  const ui: ExtensionUi = { ...headlessUi, notify: (message) => void shown.push(message) };
  const { extensions, failures } = await assembled({
    one: (pith) => {
      pith.on("session_start", (_, context) => context.ui.notify({} as never));
      pith.on("session_start", async (_, context) => void (await context.ui.select("Which?", [7] as never)));
      pith.on("session_start", (_, context) => context.ui.notify("fine"));
    },
  });
  extensions.bind(actsIn([], ui));
  await extensions.dispatch({ type: "session_start", reason: "startup" });
  assert.deepEqual(shown, ["fine"]);
  assert.deepEqual(
    failures.map(({ event, why }) => `${event}: ${why}`),
    ["session_start", "ui.select", "session_start"].map((event) => `${event}: what is shown to a person must be text`),
  );
});

test("EXT5 a context that was kept does nothing after the session was left, and says so", async () => {
  const done: string[] = [];
  let kept: ExtensionContext | undefined;
  const { extensions, failures } = await assembled({
    one: (pith) =>
      pith.on("session_start", (_, context) => {
        kept = context;
        context.abort();
      }),
  });
  extensions.bind(actsIn(done, { ...headlessUi, confirm: async () => true }));
  await extensions.dispatch({ type: "session_start", reason: "startup" });
  assert.deepEqual(done, ["abort"]);
  const { ui } = kept as ExtensionContext;
  assert.equal(await ui.confirm("Sure?", ""), true);
  await extensions.dispatch({ type: "session_shutdown", reason: "new" });
  const wrong: string[] = [];
  kept?.abort();
  kept?.compact({ onError: ({ message }) => void wrong.push(message) });
  ui.notify("hello");
  assert.equal(await ui.confirm("Sure?", ""), false);
  assert.deepEqual([kept?.hasUI, kept?.isIdle(), kept?.hasPendingMessages()], [false, true, false]);
  assert.equal(kept?.cwd, "/home/ada/app");
  assert.deepEqual(done, ["abort"]);
  assert.deepEqual(wrong, ["this session was left: nothing was done"]);
  assert.deepEqual(
    failures.map(({ event, why }) => `${event}: ${why}`),
    ["abort", "compact", "ui.notify", "ui.confirm"].map((what) => `${what}: this session was left: nothing was done`),
  );
});

test("EXT5 before there is a session a listener sees the place, and not more", async () => {
  const seen: unknown[] = [];
  const { extensions, failures } = await assembled({
    one: (pith) => {
      pith.on("project_trust", (_, { cwd, hasUI }) => void seen.push(cwd, hasUI));
      pith.on("project_trust", (_, { session }) => void seen.push(session));
    },
  });
  await extensions.dispatch({ type: "project_trust", cwd: "/home/ada/app", files: [] });
  assert.deepEqual(seen, ["", false]);
  assert.match(failures[0]?.why ?? "", /from session_start on/);
});

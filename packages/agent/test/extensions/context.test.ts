/** Tests extensions/context.ts: questions are announced and pause timeouts, and a context that is kept too long has no effect. */

import assert from "node:assert/strict";
import { test } from "vitest";
import { type ExtensionContext, type ExtensionUi, headlessUi } from "../../src/index.ts";
import { assemble, quiet, recordActions } from "../support/test-extensions.ts";

test("EXT10 every extension is notified of a question, and timeouts are paused while it is open", async () => {
  const received: string[] = [];
  const answer = Promise.withResolvers<boolean>();
  const ui: ExtensionUi = { ...headlessUi, confirm: () => answer.promise };
  const { extensions, failures } = await assemble({
    asks: (pith) =>
      pith.on("session_before_switch", async (_, context) => ({
        cancel: !(await context.ui.confirm("Leave?", "Now?")),
      })),
    hears: (pith) => {
      for (const name of ["ui_prompt_start", "ui_prompt_end"] as const)
        pith.on(name, ({ type, method, title }) => void received.push(`${type} ${method} ${title}`));
    },
  });
  extensions.bind(recordActions([], ui));
  const results = extensions.dispatch({ type: "session_before_switch", reason: "new" });
  // Longer than the timeout of a handler.
  for (let at = 0; at < 5; at += 1) await quiet();
  assert.deepEqual(received, ["ui_prompt_start confirm Leave?"]);
  answer.resolve(false);
  assert.deepEqual(await results, [{ cancel: true }]);
  await quiet();
  assert.deepEqual(received[1], "ui_prompt_end confirm Leave?");
  assert.deepEqual(failures, []);
});

test("EXT10 a value that is not text is never shown", async () => {
  const shown: string[] = [];
  const ui: ExtensionUi = { ...headlessUi, notify: (message) => void shown.push(message) };
  const { extensions, failures } = await assemble({
    one: (pith) => {
      pith.on("session_start", (_, context) => context.ui.notify({} as never));
      pith.on("session_start", async (_, context) => void (await context.ui.select("Which?", [7] as never)));
      pith.on("session_start", (_, context) => context.ui.notify("fine"));
    },
  });
  extensions.bind(recordActions([], ui));
  await extensions.dispatch({ type: "session_start", reason: "startup" });
  assert.deepEqual(shown, ["fine"]);
  assert.deepEqual(
    failures.map(({ event, why }) => `${event}: ${why}`),
    ["session_start", "ui.select", "session_start"].map((event) => `${event}: text for the user must be a string`),
  );
});

test("EXT5 a stored context has no effect after the session has ended, and reports that", async () => {
  const done: string[] = [];
  let kept: ExtensionContext | undefined;
  const { extensions, failures } = await assemble({
    one: (pith) =>
      pith.on("session_start", (_, context) => {
        kept = context;
        context.abort();
      }),
  });
  extensions.bind(recordActions(done, { ...headlessUi, confirm: async () => true }));
  await extensions.dispatch({ type: "session_start", reason: "startup" });
  assert.deepEqual(done, ["abort"]);
  const { ui } = kept as ExtensionContext;
  assert.equal(await ui.confirm("Sure?", ""), true);
  await extensions.dispatch({ type: "session_shutdown", reason: "new" });
  const errors: string[] = [];
  kept?.abort();
  kept?.compact({ onError: ({ message }) => void errors.push(message) });
  ui.notify("hello");
  assert.equal(await ui.confirm("Sure?", ""), false);
  assert.deepEqual([kept?.hasUI, kept?.isIdle(), kept?.hasPendingMessages()], [false, true, false]);
  assert.equal(kept?.cwd, "/home/ada/app");
  assert.deepEqual(done, ["abort"]);
  assert.deepEqual(errors, ["this session has ended; the call had no effect"]);
  assert.deepEqual(
    failures.map(({ event, why }) => `${event}: ${why}`),
    ["abort", "compact", "ui.notify", "ui.confirm"].map(
      (what) => `${what}: this session has ended; the call had no effect`,
    ),
  );
});

test("EXT5 before the session starts a handler sees only the folder and the user interface", async () => {
  const events: unknown[] = [];
  const { extensions, failures } = await assemble({
    one: (pith) => {
      pith.on("project_trust", (_, { cwd, hasUI }) => void events.push(cwd, hasUI));
      pith.on("project_trust", (_, { session }) => void events.push(session));
    },
  });
  await extensions.dispatch({ type: "project_trust", cwd: "/home/ada/app", files: [] });
  assert.deepEqual(events, ["", false]);
  assert.match(failures[0]?.why ?? "", /in session_start or later/);
});

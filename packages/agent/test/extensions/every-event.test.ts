/** Tests every event with every fault of a handler: the fault is reported with the extension's name, and the next handler is called. */

import assert from "node:assert/strict";
import { type Hook, runHooks } from "@pith/context/host";
import { test } from "vitest";
import {
  type AgentEvent,
  type EventOf,
  type ExtensionApi,
  type ExtensionEventName,
  type Extensions,
  extensionEventTable,
  type HostEventName,
} from "../../src/index.ts";
import { assemble, hang, quiet, recordActions, testRuntime } from "../support/test-extensions.ts";

const events = Object.keys(extensionEventTable) as ExtensionEventName[];

const hostEvents: { readonly [Name in HostEventName]: EventOf<Name> & { readonly type: Name } } = {
  project_trust: { type: "project_trust", cwd: "/home/ada/app", files: [] },
  resources_discover: { type: "resources_discover", cwd: "/home/ada/app", reason: "startup" },
  session_start: { type: "session_start", reason: "startup" },
  session_before_switch: { type: "session_before_switch", reason: "new" },
  session_before_fork: { type: "session_before_fork", entryId: "e1", position: "at" },
  session_shutdown: { type: "session_shutdown", reason: "quit" },
  model_select: { type: "model_select", model: anyModel(), previousModel: anyModel() },
  thinking_level_select: { type: "thinking_level_select", level: "high", previousLevel: "off" },
  user_bash: { type: "user_bash", command: "ls", excludeFromContext: false, cwd: "/home/ada/app" },
  ui_prompt_start: { type: "ui_prompt_start", method: "confirm", title: "Sure?" },
  ui_prompt_end: { type: "ui_prompt_end", method: "confirm", title: "Sure?" },
};

const isHostEvent = (name: ExtensionEventName): name is HostEventName => Object.hasOwn(hostEvents, name);

function anyModel() {
  return { api: "any", provider: "any", model: "any" };
}

/** Sends an event as the host or the agent does, and returns the results. */
async function sendEvent(name: ExtensionEventName, extensions: Extensions): Promise<readonly unknown[]> {
  if (isHostEvent(name)) return await extensions.dispatch(hostEvents[name] as never);
  const hooks = (extensions.hooks as Readonly<Record<string, unknown>>)[name];
  const event = { type: name, signal: new AbortController().signal };
  if (Array.isArray(hooks)) {
    const listed = hooks as readonly Hook<typeof event, unknown>[];
    const hookOptions = { host: extensions.hooks, runtime: testRuntime, read: (result: unknown) => result ?? null };
    return (await runHooks(listed, () => event, hookOptions)).answers;
  }
  extensions.onEvent(event as unknown as AgentEvent);
  await quiet();
  return [];
}

const faults = { hangs: hang, throws: () => Promise.reject(new Error("no luck")) };

test.each(events.flatMap((name) => Object.entries(faults).map(([fault, act]) => [name, fault, act] as const)))(
  "EXT7 at %s a handler that %s is reported, and the next one is called",
  async (name, fault, act) => {
    const received: string[] = [];
    const { extensions, failures } = await assemble({
      bad: (pith) => pith.on(name, act as never),
      good: (pith) => pith.on(name, (({ type }: { readonly type: string }) => void received.push(type)) as never),
    });
    extensions.bind(recordActions([]));
    await sendEvent(name, extensions);
    // The timeout of a shutdown is shorter.
    const seconds = name === "session_shutdown" ? 5 : 30;
    const why = fault === "hangs" ? `no answer within ${seconds} s` : "no luck";
    assert.deepEqual(failures, [{ extension: "bad", event: name, why }]);
    assert.deepEqual(received, [name]);
  },
);

const invalidResults: readonly unknown[] = [
  7,
  "text",
  [],
  () => {},
  Symbol("odd"),
  { cancel: "yes", trusted: 1, result: 7 },
];
const eventsWithResult = ["project_trust", "session_before_switch", "session_before_fork", "user_bash"] as const;

test.each(eventsWithResult.flatMap((name) => invalidResults.map((answer) => [name, answer] as const)))(
  "EXT7 at %s an invalid result is reported and ignored",
  async (name, answer) => {
    const { example } = extensionEventTable[name];
    const { extensions, failures } = await assemble({
      bad: (pith) => pith.on(name, () => answer as never),
      good: (pith) => pith.on(name, () => example as never),
    });
    assert.deepEqual(await sendEvent(name, extensions), [example]);
    assert.equal(failures.length, 1);
    assert.equal(failures[0]?.extension, "bad");
  },
);

test.each([[{ skillPaths: ["skills"] }], [{ promptPaths: "/home/ada" }], [{ skillPaths: [7] }], ["/home/ada"]])(
  "EXT7 folders must be absolute paths, and %j is reported",
  async (answer) => {
    const { extensions, failures } = await assemble({
      bad: (pith) => pith.on("resources_discover", () => answer as never),
      good: (pith) => pith.on("resources_discover", () => ({ skillPaths: ["/home/ada/skills"] })),
    });
    assert.deepEqual(await sendEvent("resources_discover", extensions), [{ skillPaths: ["/home/ada/skills"] }]);
    assert.equal(failures.length, 1);
  },
);

test("EXT7 a handler that cancels or provides a result is the last one called", async () => {
  const calls: string[] = [];
  const cancels = (name: string) => (pith: ExtensionApi) => {
    for (const event of eventsWithResult)
      pith.on(event, () => {
        calls.push(`${name} ${event}`);
        return extensionEventTable[event].example as never;
      });
  };
  const { extensions } = await assemble({ one: cancels("one"), two: cancels("two") });
  for (const name of eventsWithResult) await sendEvent(name, extensions);
  const [trust, ...others] = eventsWithResult;
  assert.deepEqual(calls, [`one ${trust}`, `two ${trust}`, ...others.map((name) => `one ${name}`)]);
});

/** One value as a command, or what to write instead. */

import assert from "node:assert/strict";
import { test } from "vitest";
import { rpcTable } from "../../../src/modes/rpc/commands/commands.ts";
import { type CommandFields, parseCommand } from "../../../src/modes/rpc/parse-command.ts";

const read = (value: unknown) => parseCommand(value, rpcTable as CommandFields);
const mistake = (value: unknown): string => Object(read(value)).message;

test("RPC5 an invalid command is a mistake that says what to write", () => {
  assert.match(mistake({ type: "get_stat" }), /did you mean "get_state"/);
  assert.match(mistake({ type: "prompt" }), /prompt needs "message": a string/);
  assert.match(mistake({ type: "prompt", message: 1 }), /"message" in prompt must be a string/);
  assert.match(mistake({ type: "prompt", mesage: "hi", message: "hi" }), /no field "mesage"; did you mean "message"/);
  assert.match(mistake({ type: "set_steering_mode", mode: "some" }), /one of "all", "one-at-a-time"/);
  assert.match(mistake({ type: "get_state", id: 7 }), /"id" must be a string/);
  assert.match(mistake([]), /a command must be an object/);
  const endless = "x".repeat(5_000);
  assert.match(
    mistake({ type: "set_model", provider: endless, modelId: "x" }),
    /must be a non-empty string of at most 4096 characters/,
  );
  assert.match(
    mistake({ type: "prompt", message: "", images: [{ type: "image", data: "§", mimeType: "image/png" }] }),
    /images/,
  );
  for (const attachment of [
    { name: "a" },
    { name: "", text: "x" },
    { name: "a", text: "x\0" },
    { name: "a", text: "x", more: 1 },
  ])
    assert.match(
      mistake({ type: "prompt", message: "x", attachments: [attachment] }),
      /"attachments" in prompt must be a list/,
    );
});

test("RPC5 names of Object.prototype are neither commands nor fields", () => {
  for (const type of ["__proto__", "constructor", "toString"]) assert.match(mistake({ type }), /unknown command/);
  const line: unknown = JSON.parse('{"type":"get_state","__proto__":{"type":"bash"}}');
  assert.match(mistake(line), /no field "__proto__"/);
});

test("RPC5 every example in the table parses as its command", () => {
  for (const [name, { example }] of Object.entries(rpcTable)) {
    const command = read(JSON.parse(JSON.stringify(example)));
    assert.deepEqual([command.type, Object(command).name], ["command", name]);
  }
});

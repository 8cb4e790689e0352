/** Tests overflow/error-body.ts: messages of a body, without echoes of the request. */

import { expect, test } from "vitest";
import { readErrorParts } from "../../src/overflow/error-body.ts";

const textsIn = (text: string) =>
  [...readErrorParts(text)].flatMap((each) => ("text" in each && each.text.trim() !== "" ? each.text.trim() : []));

test.each([
  [{ error_msg: "too long" }],
  [{ base_resp: { status_code: 2013, status_msg: "too long" } }],
  [{ message: JSON.stringify({ external_model_error: { message: "too long" } }) }],
  [{ error: { innererror: { message: "too long" } } }],
  [{ result: { error: "too long" } }],
  [{ ERROR: { MESSAGE: "too long" } }],
])("OVF8 a message is found in the fields of any provider: %j", (body) => {
  expect(textsIn(JSON.stringify(body))).toEqual(["too long"]);
});

test("OVF8 a text in the field result is not a message", () => {
  expect(textsIn('{"result":"too long"}')).toEqual([]);
});

test.each(['"too long"', 'Error: 400 "too long"', "BadRequestError('too long')", "('too long',)", "Error: `too long`"])(
  "OVF8 a quotation that is the whole message is read as the message: %s",
  (text) => {
    expect(textsIn(text)[0]).toBe("too long");
  },
);

test.each(['Unknown value "too long"', '"a" is not "too long"', "Error: 'too long' in field x"])(
  "OVF8 a quotation inside a message stays part of it: %s",
  (text) => {
    expect(textsIn(text)).toEqual([text]);
  },
);

test('OVF8 JSON after "tool arguments" is ignored, and after "argument" it is read if it is an error', () => {
  expect(textsIn('Invalid tool arguments: {"error":"too long"}')).toEqual(["Invalid tool arguments:"]);
  expect(textsIn('Invalid argument: {"message":"too long"}')).toEqual(["Invalid argument:"]);
  expect(textsIn('Invalid argument: {"error":"too long"}')).toContain("too long");
  expect(textsIn('400 INVALID_ARGUMENT. {"message":"too long"}')).toContain("too long");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { caretAfter, codeOf, inGroups } from "../../../../static/lib/class_code.js";

test("a code is read however it is typed, and shown in two groups of four", () => {
  assert.equal(codeOf("kf7m-qr3t"), "KF7MQR3T");
  assert.equal(codeOf(" ＫＦ７Ｍ qr3t and more"), "KF7MQR3T");
  assert.equal(inGroups("KF7MQR3T"), "KF7M QR3T");
  assert.equal(inGroups("KF7M"), "KF7M");
  assert.equal(inGroups(""), "");
});

test("the caret stays behind the character that was typed", () => {
  assert.deepEqual([0, 3, 4, 5, 8].map(caretAfter), [0, 3, 4, 6, 9]);
});

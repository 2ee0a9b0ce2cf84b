// The webhook of a hosted session, from the last photo to a receiver that verifies it with the Standard Webhooks
// library.

import assert from "node:assert/strict";
import { after, test } from "node:test";

import { Webhook } from "standardwebhooks";

import { startBrowser } from "./harness/browser.js";
import { PORTUGUESE, arrival, openLink, press, take } from "./harness/hosted.js";
import { receive } from "./harness/receiver.js";
import { LocalService } from "./harness/service.js";

const browser = await startBrowser({ after });

test("the library verifies only intact messages", async (t) => {
  const service = await LocalService.start(t);
  const receiver = await receive(t);
  const token = await service.createHosted("demo", undefined, receiver.url);
  const phone = await openLink(t, browser, service, `?token=${token}`);
  const arrived = await arrival(phone.page);
  await press(phone.page, PORTUGUESE.begin);
  await take(phone);
  await arrived();

  const { headers, body } = await receiver.message(1);
  const secret = new Webhook(service.get("WEBHOOK_SECRET"));
  const read = /** @type {any} */ (secret.verify(body, headers));
  const { photos } = await service.hostedResults(token);
  assert.deepEqual(read.photos.map((/** @type {any} */ photo) => photo.session_id), [photos[0].session_id]);
  assert.equal(read.session_id, photos[0].session_id);
  assert.equal(headers["webhook-id"]?.startsWith("msg_"), true);
  assert.throws(() => secret.verify(body.replace("signed", "sigmed"), headers), "a changed byte");
  assert.throws(() => secret.verify(JSON.stringify(JSON.parse(body), null, 1), headers), "written again");
  const old = String(Math.floor(Date.now() / 1000) - 600);
  assert.throws(() => secret.verify(body, { ...headers, "webhook-timestamp": old }), "an old timestamp");

  // The operator rotates the secret and redelivers the message: both secrets verify it.
  const [client] = (await service.administer("client", "list")).clients.filter((/** @type {any} */ { name }) => name === "Lacre Development");
  const rotated = await service.administer("webhook-secret", "rotate", "--client", client.id, "--environment", "sand");
  const live = await service.administer("webhook-secret", "issue", "--client", client.id, "--environment", "live");
  await service.administer("webhook", "redeliver", "--client", client.id, String(headers["webhook-id"]));
  const again = await receiver.message(2);
  assert.deepEqual([again.headers["webhook-id"], again.body], [headers["webhook-id"], body]);
  for (const key of [service.get("WEBHOOK_SECRET"), rotated.webhook_secret]) {
    assert.ok(new Webhook(key).verify(again.body, again.headers));
  }
  assert.throws(() => new Webhook(live.webhook_secret).verify(again.body, again.headers), "another environment's");
  const { webhooks } = await service.administer("webhook", "list", "--client", client.id);
  assert.deepEqual(webhooks.map((/** @type {any} */ { state, attempt }) => [state, attempt]), [["delivered", 2], ["delivered", 1]]);
  assert.equal(receiver.messages.length, 2);
});

// The hosted page with a capture kit and a sender, as an operator puts them: from the link to the receipt, through the
// service.

import assert from "node:assert/strict";
import { after, test } from "node:test";

import { guideTextsFor } from "../hosted/guide-texts.js";
import { startBrowser } from "./harness/browser.js";
import { PORTUGUESE, arrival, inspect, openLink, press, shows, take } from "./harness/hosted.js";
import { equipped, says } from "./harness/hosting.js";

const browser = await startBrowser({ after });
const TEXTS = guideTextsFor("pt-BR");

const KIT = {
  name: "vistoria",
  steps: [
    { id: "frente", title: says("Frente"), instruction: says("Enquadre o veículo inteiro."), framing: "landscape",
      outline: [{ d: "M100 100H900V650H100Z" }] },
    { id: "estepe", title: says("Estepe"), instruction: says("Abra o porta-malas."), framing: "square", optional: true },
    { id: "painel", title: says("Painel"), instruction: says("Fotografe o painel."), framing: "portrait" },
    { id: "chassi", title: says("Chassi"), instruction: says("Chegue perto."), framing: "landscape" },
  ],
};

test("a kit ends with a receipt", async (t) => {
  const service = await equipped(t, KIT);
  const token = await service.createHosted("vistoria");
  const phone = await openLink(t, browser, service, `?token=${token}`);
  const { page } = phone;
  const arrived = await arrival(page);
  const loads = phone.requests("/web/sessions/");
  await shows(page, "Seguradora Exemplo pede 4 fotos");
  await page.getByText("Vamos pedir 4 fotos: Frente; Estepe; Painel; Chassi.").waitFor();
  assert.deepEqual(loads, []);
  await press(page, PORTUGUESE.begin);
  await phone.part("outline").waitFor();
  await take(phone, "Foto 1 de 4");
  await phone.part("label").getByText("Estepe · Foto 2 de 4", { exact: true }).waitFor();
  await phone.tap("pass");
  await phone.tap("leave");
  await phone.part("label").getByText("Painel · Foto 2 de 3", { exact: true }).waitFor();
  assert.equal(loads.length, 1);

  // A reload goes on with what is asked for now.
  await page.reload();
  await shows(page, PORTUGUESE.resume.title);
  await press(page, PORTUGUESE.goOn);
  await take(phone, "Foto 2 de 3");
  await phone.part("label").getByText("Chassi · Foto 3 de 3", { exact: true }).waitFor();
  assert.equal(loads.length, 2);

  // So does a second device.
  const second = await openLink(t, browser, service, `?token=${token}`);
  await second.page.getByText("Falta uma foto. Continue aqui ou no outro aparelho.").waitFor();
  await second.page.close();

  await take(phone, "Foto 3 de 3");
  await page.getByText(TEXTS.see).click();
  await inspect(page, "receipt");
  const receipt = await page.locator("pre").innerText();
  const { status, photos } = await service.hostedResults(token);
  assert.equal(status, "captured");
  assert.deepEqual(photos.map((/** @type {any} */ { step, label }) => [step, label]),
    [["frente", "Frente"], ["painel", "Painel"], ["chassi", "Chassi"]]);
  const expected = ["Seguradora Exemplo", "browser test", "Fotos puladas: Estepe", ...photos.map((/** @type {any} */ photo) => photo.frame_hash_hex)];
  for (const text of expected) assert.ok(receipt.includes(text), text);
  for (const secret of [token, ...photos.map((/** @type {any} */ photo) => photo.session_id)]) {
    assert.equal(receipt.includes(secret), false);
  }
  const { url } = await arrived();
  assert.ok(url.endsWith(`svc_session_token=${token}&svc_session_id=${photos[2].session_id}`));
});

test("a retake shows its note", async (t) => {
  const service = await equipped(t, KIT);
  const token = await service.createHosted("vistoria", undefined, undefined, [{ id: "painel", note: "O painel estava apagado." }]);
  const phone = await openLink(t, browser, service, `?token=${token}`);
  const { page } = phone;
  await arrival(page);
  await shows(page, "Seguradora Exemplo pede uma foto");
  await press(page, PORTUGUESE.begin);
  await phone.part("instruction").getByText("Recado de Seguradora Exemplo: O painel estava apagado.").waitFor();
  await phone.waitForState("live");
  assert.equal(await phone.part("label").innerText(), "Painel");
  assert.equal(await page.locator(".strip:visible").count(), 0);
  await take(phone);
  await shows(page, PORTUGUESE.redirecting.title);
  const { photos: [photo] } = await service.hostedResults(token);
  assert.deepEqual([photo.step, photo.label], ["painel", "Painel"]);
});

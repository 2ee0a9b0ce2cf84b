// The hosted flow: opens a link, and shows the session's results when the browser comes back.

import { createLink, readHostedResults, readWebhook } from "./backend.js";
import { find } from "../shared/elements.js";

/** How long to wait for the webhook, and the polling interval, in milliseconds. */
const WEBHOOK = { within: 40_000, every: 1_000 };

const form = find("#hosted", HTMLFormElement);
const status = find("#hosted-status", HTMLElement);

/** @param {(Node | string)[]} said */
function say(...said) {
  status.replaceChildren(...said);
}

/** @param {unknown} error */
function sayFailure(error) {
  say(error instanceof Error ? error.message : String(error));
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    location.assign(await createLink(String(new FormData(form).get("profile"))));
  } catch (error) {
    sayFailure(error);
  }
});

/** Shows the results. The redirect alone proves nothing, so they are read from the service. @param {string} token */
async function showResults(token) {
  const { status, captured_count, total_photos, photos } = await readHostedResults(token);
  const links = photos.map(({ order, authenticated_jpeg_url }) => {
    const link = document.createElement("a");
    link.textContent = `Foto ${order}`;
    if (authenticated_jpeg_url) link.href = authenticated_jpeg_url;
    return link;
  });
  const list = document.createElement("p");
  list.append(...links.flatMap((link) => [link, " "]));
  const webhook = document.createElement("p");
  say(`Sessão ${status}: ${captured_count} de ${total_photos} fotos`, list, webhook);
  if (status === "captured") await showWebhook(token, webhook);
}

/**
 * Shows the webhook message that this page's server received meanwhile.
 * @param {string} token
 * @param {HTMLElement} place
 */
async function showWebhook(token, place) {
  place.textContent = "Webhook: ainda não chegou";
  for (const until = Date.now() + WEBHOOK.within; Date.now() < until;) {
    const received = await readWebhook(token);
    if (received) {
      const { id, message: { photos, recapture_risk } } = received;
      place.textContent = `Webhook ${id}: assinatura conferida, ${photos.length} fotos, risco de recaptura ${recapture_risk}`;
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, WEBHOOK.every));
  }
  place.textContent = "Webhook: não chegou; valem os resultados da sessão";
}

const token = new URLSearchParams(location.search).get("svc_session_token");
if (token) {
  // The token gives access to the photos, so it is removed from the address bar.
  history.replaceState(null, "", location.pathname);
  showResults(token).catch(sayFailure);
}

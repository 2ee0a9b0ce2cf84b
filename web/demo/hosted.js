// The hosted flow: opens a link, and shows what the service says of the session when the browser comes back.

import { createLink, readHostedResults } from "./backend.js";
import { find } from "./elements.js";

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

/** A redirect proves nothing: the results do. @param {string} token */
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
  say(`Sessão ${status}: ${captured_count} de ${total_photos} fotos`, list);
}

const token = new URLSearchParams(location.search).get("svc_session_token");
if (token) {
  // It opens the photos, so it leaves the address bar.
  history.replaceState(null, "", location.pathname);
  showResults(token).catch(sayFailure);
}

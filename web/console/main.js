// Entry point of the console: removes the session token from the address, then shows the page that the address
// names.

import { button, element, find } from "../shared/elements.js";
import { Failure } from "./api.js";
import { closeDialogs } from "./dialog.js";
import { languageTag, phrase, startLanguage } from "./language.js";
import { alertsPage } from "./page-alerts.js";
import { auditPage, entryPage } from "./page-audit.js";
import { clientPage } from "./page-client.js";
import { clientsPage } from "./page-clients.js";
import { capturePage, evidencePage } from "./page-evidence.js";
import { kitPage } from "./page-kits.js";
import { licensePage } from "./page-license.js";
import { licensesPage } from "./page-licenses.js";
import { overviewPage } from "./page-overview.js";
import { signersPage } from "./page-signers.js";
import { webhooksPage } from "./page-webhooks.js";
import { Router } from "./router.js";
import { onNewSession, sessionToken, takeSession } from "./session.js";
import { readStack } from "./stack.js";
import { TEXTS } from "./texts.js";

/** @type {import("./router.js").Route[]} */
const ROUTES = [
  [/^$/, overviewPage, ""],
  [/^clients$/, clientsPage, "clients"],
  [/^clients\/([\w-]+)(?:\/(licenses|kits|webhooks|webhook-secrets|audit))?$/, clientPage, "clients"],
  [/^clients\/([\w-]+)\/kits\/([A-Z]+)\/([a-z][a-z0-9-]*)$/, kitPage, "clients"],
  [/^licenses$/, licensesPage, "licenses"],
  [/^licenses\/([\w-]+)$/, licensePage, "licenses"],
  [/^alerts$/, alertsPage, "alerts"],
  [/^webhooks$/, webhooksPage, "webhooks"],
  [/^evidence$/, evidencePage, "evidence"],
  [/^evidence\/([0-9a-f]{64})$/, capturePage, "evidence"],
  [/^signers$/, signersPage, "signers"],
  [/^audit$/, auditPage, "audit"],
  [/^audit\/([\w-]+)$/, entryPage, "audit"],
];

const router = new Router(ROUTES);
let hasEnded = false;

takeSession();
startLanguage(find("#languages", HTMLElement), redraw);
followMenu();
followSkip();
addEventListener("session-ended", end);
onNewSession(() => location.reload());
if (sessionToken()) start();
else end();

function start() {
  router.start();
  void describeStack();
}

/** Shows which deployment this is, so that the operator does not mistake it for another. */
async function describeStack() {
  const place = find("#stack", HTMLElement);
  try {
    const { stack, region, principal, version } = await readStack();
    router.entitle();
    place.replaceChildren(element("strong", {}, stack), ` ${region}`);
    const who = principal ? principal.slice(principal.lastIndexOf(":") + 1) : "";
    find("#principal", HTMLElement).replaceChildren(element("span", { title: principal ?? "" }, who));
    find("#version", HTMLElement).textContent = version;
  } catch (error) {
    if (error instanceof Failure && error.kind === "session") return;
    place.replaceChildren(button(phrase(TEXTS.retry), () => void describeStack()));
  }
}

function redraw() {
  if (hasEnded) end();
  else router.redraw();
}

/** Ends the console: only the reason is shown, because nothing can be read any more. */
function end() {
  hasEnded = true;
  closeDialogs();
  router.stop();
  document.documentElement.lang = languageTag();
  document.title = `${phrase(TEXTS.sessionEndedTitle)} · Lacre`;
  for (const part of document.querySelectorAll(".session")) part.toggleAttribute("hidden", true);
  const heading = element("h1", { tabindex: "-1" }, phrase(TEXTS.sessionEndedTitle));
  const command = element("pre", {}, element("code", {}, "lacre-admin console"));
  find("#page", HTMLElement).replaceChildren(heading, element("p", {}, phrase(TEXTS.sessionEnded)), command);
  heading.focus();
}

/** Handles the skip link in JavaScript, because the part of the address after `#` selects the page. */
function followSkip() {
  find("a.skip", HTMLAnchorElement).addEventListener("click", (event) => {
    event.preventDefault();
    find("#page h1", HTMLElement).focus();
  });
}

/** Opens and closes the navigation on narrow screens: by button, and on navigation. */
function followMenu() {
  const menu = find("#menu", HTMLButtonElement);
  const navigation = find("#navigation", HTMLElement);
  const open = (/** @type {boolean} */ isOpen) => {
    menu.setAttribute("aria-expanded", String(isOpen));
    navigation.toggleAttribute("data-open", isOpen);
  };
  menu.addEventListener("click", () => open(menu.getAttribute("aria-expanded") !== "true"));
  addEventListener("hashchange", () => open(false));
}

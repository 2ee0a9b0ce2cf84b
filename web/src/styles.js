// Styles of the dialog: dark and full-screen, with the controls below the picture, or beside it on wide screens.

import { FRAMINGS } from "./limits.js";

const FRAMED = Object.keys(FRAMINGS).map((framing) => `[data-framing="${framing}"]`);
const RATIOS = Object.values(FRAMINGS).map(([width, height], n) => `${FRAMED[n]} { --ratio: ${width} / ${height}; }`);

/** The style sheet. A page's Content-Security-Policy may need its hash: see `applyStyles`. */
export const CSS = `
:host { display: contents; }
dialog {
  /* What the page sets on elements around this one is inherited, and some of it would disable the buttons. */
  all: initial; direction: ltr; unicode-bidi: isolate;
  display: none; position: fixed; inset: 0;
  --accent: var(--svc-camera-accent, #ffd54a);
  --background: var(--svc-camera-background, #0b0d10);
  --color: var(--svc-camera-color, #fff);
  box-sizing: border-box;
  width: 100vw; max-width: none; height: 100vh; height: 100dvh; max-height: none;
  margin: 0; border: 0;
  padding: env(safe-area-inset-top) env(safe-area-inset-right) env(safe-area-inset-bottom) env(safe-area-inset-left);
  background: var(--background); color: var(--color); color-scheme: dark;
  font: medium/1.4 var(--svc-camera-font, system-ui, sans-serif);
  overflow: hidden;
}
dialog[open] { display: grid; grid-template: fit-content(42%) minmax(0, 1fr) fit-content(60%) / minmax(0, 1fr); }
dialog::backdrop { background: var(--background); }
header { display: flex; align-items: flex-start; gap: 1em; min-height: 3.5em; box-sizing: border-box; padding: .25em .5em .25em 1em; overflow-y: auto; }
.brief { flex: 1; min-width: 0; margin: auto 0; }
.label, .brief p { margin: .25em 0; overflow-wrap: anywhere; }
.label, .note { font-weight: 600; }
.instruction { font-size: .9375em; }
.note { border-left: 4px solid var(--accent); padding-left: .5em; }
.stage { position: relative; display: grid; min-height: 0; background: #000; }
video, img { position: absolute; inset: 0; width: 100%; height: 100%; object-fit: contain; }
${RATIOS.join("\n")}
:is(${FRAMED.join(", ")}) video {
  width: auto; height: auto; max-width: 100%; max-height: 100%; margin: auto;
  aspect-ratio: var(--ratio); object-fit: cover; outline: 2px dashed var(--accent); outline-offset: -2px;
}
.outline {
  position: absolute; inset: 0; width: auto; height: auto; max-width: 100%; max-height: 100%; margin: auto;
  fill: none; stroke-linecap: round; stroke-linejoin: round; pointer-events: none;
}
.outline path { vector-effect: non-scaling-stroke; stroke: #fff; stroke-width: 2.5px; }
.outline .halo { stroke: rgb(0 0 0 / .65); stroke-width: 7px; }
dialog:not([data-state="live"]) .outline { display: none; }
.hint {
  grid-area: 1 / 1; place-self: end center; z-index: 1; max-width: 90%; margin: .75em;
  background: rgb(0 0 0 / .8); color: #fff; border-radius: 1em; text-align: center; overflow-wrap: anywhere;
}
.hint:not(:empty) { padding: .5em 1em; outline: 1px solid var(--accent); }
.panel { grid-area: 1 / 1; place-self: center; z-index: 1; max-width: 26em; max-height: 100%; box-sizing: border-box; padding: 1.5em; overflow-y: auto; text-align: center; }
.panel h2 { margin: 0 0 .4em; font-size: 1.25em; }
.panel p { margin: 0; overflow-wrap: anywhere; }
footer {
  display: flex; flex-direction: column; align-items: center; justify-content: center; justify-content: safe center; gap: .75em;
  min-height: 144px; padding: .75em 1em; box-sizing: border-box; overflow-y: auto;
}
.message { margin: 0; text-align: center; }
.actions { display: flex; flex-wrap: wrap; justify-content: center; gap: .75em; }
button {
  min-height: 3em; padding: .5em 1.25em; border: 2px solid currentColor; border-radius: 1.5em;
  background: transparent; color: inherit; font: inherit; font-weight: 600; cursor: pointer; touch-action: manipulation;
}
.controls { display: flex; flex-wrap: wrap; justify-content: center; gap: .5em; margin-top: .75em; }
.controls button { min-height: 44px; padding: .25em .875em; font-size: .875em; }
.controls [aria-pressed="true"] { border-color: var(--accent); background: var(--accent); color: #14161a; }
button:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
[aria-disabled="true"] { opacity: .5; cursor: default; }
.primary { border-color: var(--accent); background: var(--accent); color: #14161a; }
.shutter { width: 72px; height: 72px; min-height: 0; padding: 0; border: 0; border-radius: 50%; background: var(--color); box-shadow: 0 0 0 4px var(--background), 0 0 0 7px var(--color); }
.shutter:active { background: var(--accent); }
.close { position: sticky; top: 0; flex: none; width: 2em; min-height: 2em; padding: 0; border-color: transparent; font-size: 1.5em; line-height: 1; }
progress { width: min(20em, 80%); height: .5em; accent-color: var(--accent); }
[hidden] { display: none !important; }
@media (orientation: landscape) and (max-height: 36rem) {
  dialog[open] { grid-template: fit-content(55%) minmax(0, 1fr) / minmax(0, 1fr) clamp(15rem, 36vw, 20rem); }
  header { grid-area: 1 / 2; }
  .stage { grid-area: 1 / 1 / 3 / 2; }
  footer { grid-area: 2 / 2; }
}
@media (prefers-reduced-motion: no-preference) { .shutter { transition: background .15s; } }
`;

/**
 * Constructed style sheets by document, because a sheet only works in the document in which it was constructed.
 * @type {WeakMap<Document, CSSStyleSheet>}
 */
const sheets = new WeakMap();

/**
 * Adds the styles to a shadow root. A constructed style sheet needs no exception in the page's
 * Content-Security-Policy. Safari before 16.4 does not support these and gets a `<style>` element, for which the
 * policy must allow 'unsafe-inline' or the hash of its text.
 * @param {ShadowRoot} root
 */
export function applyStyles(root) {
  const { ownerDocument } = root;
  if ("adoptedStyleSheets" in root) {
    const Sheet = ownerDocument.defaultView?.CSSStyleSheet ?? CSSStyleSheet;
    const sheet = sheets.get(ownerDocument) ?? new Sheet();
    if (!sheets.has(ownerDocument)) sheet.replaceSync(CSS);
    sheets.set(ownerDocument, sheet);
    root.adoptedStyleSheets = [sheet];
  } else if (!(/** @type {ShadowRoot} */ (root).querySelector("style"))) {
    const style = document.createElement("style");
    style.textContent = CSS;
    /** @type {ShadowRoot} */ (root).append(style);
  }
}

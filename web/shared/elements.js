// Creates elements from values, for the console, the demo and the verification page. Text always stays text: no page
// creates HTML from strings, except the output of the verification module, see `verify/result.js`.

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node | string} Content */

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, string>} [attributes]
 * @param {...Content} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, attributes = {}, ...children) {
  const created = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) created.setAttribute(attribute, value);
  created.append(...children);
  return created;
}

/**
 * Creates an SVG element. The Content-Security-Policy allows no inline styles, so sizes are attributes and colors
 * are classes.
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, string>} [attributes]
 * @param {...Content} children
 * @returns {SVGElementTagNameMap[Name]}
 */
export function svg(name, attributes = {}, ...children) {
  const created = document.createElementNS(SVG, name);
  for (const [attribute, value] of Object.entries(attributes)) created.setAttribute(attribute, value);
  created.append(...children);
  return created;
}

/**
 * A button with an action on this page.
 * @param {string} text
 * @param {() => void} act
 * @param {Record<string, string>} [attributes] `data-key` identifies the button after its region was redrawn
 */
export function button(text, act, attributes = {}) {
  const created = element("button", { type: "button", ...attributes }, text);
  created.addEventListener("click", act);
  return created;
}

/**
 * Finds an element of the page's HTML, and fails if it is missing or of another class.
 * @template {Element} Kind
 * @param {string} selector
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
export function find(selector, kind) {
  const found = document.querySelector(selector);
  if (!(found instanceof kind)) throw new Error(`the page has no ${selector}`);
  return found;
}

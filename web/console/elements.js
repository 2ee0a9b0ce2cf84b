// Elements from values. Text is always text: no page of the console makes HTML from strings.

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
 * An element of SVG. The policy allows no inline style, so sizes are attributes and colors are classes.
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
 * A button that does something on this page.
 * @param {string} text
 * @param {() => void} act
 * @param {Record<string, string>} [attributes] `data-key` names the button again after its region was drawn anew
 */
export function button(text, act, attributes = {}) {
  const created = element("button", { type: "button", ...attributes }, text);
  created.addEventListener("click", act);
  return created;
}

/**
 * An element that exists in the page's HTML.
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

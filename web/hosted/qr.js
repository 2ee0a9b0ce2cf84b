// Renders a text as a QR code. Loaded only if the link is to be opened on another device.

import { encode } from "uqr";

const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {string} text
 * @param {string} label description for screen readers
 * @returns {SVGElement}
 */
export function qrCode(text, label) {
  const { data, size } = encode(text, { border: 3 });
  const squares = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", squares.join(""));
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
  svg.setAttribute("shape-rendering", "crispEdges");
  svg.setAttribute("class", "qr");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  svg.append(path);
  return svg;
}

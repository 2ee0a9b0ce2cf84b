"use client";

// useSvcCamera: the camera in a React component, without markup of its own.

import { useCallback, useEffect, useRef } from "react";

import "./define.js";
import { isUserAgentSupported } from "./browser.js";

/** @typedef {import("./svc-camera.js").SvcCamera} SvcCamera */
/** @typedef {import("./svc-camera.js").OpenOptions} OpenOptions */
/** @typedef {import("./errors.js").SvcCameraError} SvcCameraError */

/**
 * @typedef {object} Options
 * @property {string} licenseKey
 * @property {string} [baseUrl]
 * @property {string} [licenseUrl]
 * @property {string} [lang]
 * @property {(result: { session_id: string, authenticated_jpeg_url: string | null }) => void} [onUploaded]
 * @property {(error: SvcCameraError) => void} [onError]
 * @property {(reason: import("./svc-camera.js").CloseReason) => void} [onClosed]
 */

/**
 * A camera that lives as long as the component that uses it. The functions that it returns stay the same ones.
 * @param {Options} options
 * @returns {{ open: (options: OpenOptions) => Promise<void>, close: () => void, isUserAgentSupported: () => boolean }}
 */
export function useSvcCamera(options) {
  const latest = useRef(options);
  /** @type {import("react").RefObject<SvcCamera | null>} */
  const camera = useRef(null);
  useEffect(() => {
    latest.current = options;
  });
  useEffect(() => {
    const element = /** @type {SvcCamera} */ (document.createElement("svc-camera"));
    const told = (/** @type {Event} */ event) => /** @type {CustomEvent} */ (event).detail;
    element.addEventListener("uploaded", (event) => latest.current.onUploaded?.(told(event)));
    element.addEventListener("error", (event) => latest.current.onError?.(told(event).error));
    element.addEventListener("closed", (event) => latest.current.onClosed?.(told(event).reason));
    document.body.append(element);
    camera.current = element;
    return () => element.remove();
  }, []);
  const open = useCallback(async (/** @type {OpenOptions} */ asked) => {
    const element = camera.current;
    if (!element) return;
    const { licenseKey, baseUrl = "", licenseUrl = "", lang = "" } = latest.current;
    element.baseUrl = baseUrl;
    element.licenseUrl = licenseUrl;
    element.lang = lang;
    await element.open({ licenseKey, ...asked });
  }, []);
  const close = useCallback(() => camera.current?.close(), []);
  return { open, close, isUserAgentSupported };
}

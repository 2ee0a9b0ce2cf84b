"use client";

// useSvcCamera: the camera as a React hook, without markup.

import { useCallback, useEffect, useRef, useState } from "react";

import "./define.js";
import { isUserAgentSupported } from "./browser.js";
import { notShown } from "./refusal.js";

/** @typedef {import("./svc-camera.js").SvcCamera} SvcCamera */
/** @typedef {import("./svc-camera.js").OpenOptions} OpenOptions */
/** @typedef {import("./errors.js").SvcCameraError} SvcCameraError */

/**
 * @typedef {object} Options
 * @property {string} licenseKey
 * @property {string} [baseUrl]
 * @property {string} [licenseUrl]
 * @property {string} [lang]
 * @property {string} [framing]
 * @property {string} [instruction]
 * @property {{ d: string }[]} [outline]
 * @property {(result: { session_id: string, authenticated_jpeg_url: string | null }) => void} [onUploaded]
 * @property {(error: SvcCameraError) => void} [onError]
 * @property {(reason: import("./svc-camera.js").CloseReason) => void} [onClosed]
 */

/**
 * @typedef {object} Hook
 * @property {(options: OpenOptions) => Promise<void>} open
 * @property {() => void} close
 * @property {() => boolean} isUserAgentSupported
 * @property {Blob | null} signedPhoto the signed photo, from `uploaded` until the next `open`; `null` otherwise
 */

/**
 * Provides a camera for the lifetime of the calling component. The returned functions keep their identity between
 * renders.
 * @param {Options} options
 * @returns {Hook}
 */
export function useSvcCamera(options) {
  const latest = useRef(options);
  /** @type {import("react").RefObject<SvcCamera | null>} */
  const camera = useRef(null);
  const [signedPhoto, setSignedPhoto] = useState(/** @type {Blob | null} */ (null));
  useEffect(() => {
    latest.current = options;
  });
  useEffect(() => {
    const element = /** @type {SvcCamera} */ (document.createElement("svc-camera"));
    const detailOf = (/** @type {Event} */ event) => /** @type {CustomEvent} */ (event).detail;
    element.addEventListener("uploaded", (event) => {
      setSignedPhoto(element.signedPhoto);
      latest.current.onUploaded?.(detailOf(event));
    });
    element.addEventListener("error", (event) => latest.current.onError?.(detailOf(event).error));
    element.addEventListener("closed", (event) => latest.current.onClosed?.(detailOf(event).reason));
    document.body.append(element);
    camera.current = element;
    return () => element.remove();
  }, []);
  const open = useCallback(async (/** @type {OpenOptions} */ asked) => {
    const element = camera.current;
    // The element is created in the first effect, so opening earlier (in a layout effect or a child's effect)
    // fails.
    if (!element) return latest.current.onError?.(notShown());
    const { licenseKey, baseUrl = "", licenseUrl = "", lang = "", framing = "", instruction = "", outline = [] } = latest.current;
    element.baseUrl = baseUrl;
    element.licenseUrl = licenseUrl;
    element.lang = lang;
    element.framing = framing;
    element.instruction = instruction;
    element.outline = outline;
    const opened = element.open({ ...asked, licenseKey: asked?.licenseKey ?? licenseKey });
    setSignedPhoto(element.signedPhoto);
    await opened;
  }, []);
  const close = useCallback(() => camera.current?.close(), []);
  return { open, close, isUserAgentSupported, signedPhoto };
}

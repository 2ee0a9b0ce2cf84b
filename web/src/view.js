// The dialog: shows the state of a capture and reports pressed buttons. It has no knowledge of cameras and
// networks.

/** @typedef {import("./texts.js").Texts} Texts */
/** @typedef {"loading" | "compass" | "position" | "live" | "passing" | "review" | "sending" | "failed"} State */
/** @typedef {"allow" | "skip" | "locate" | "pass" | "stay" | "leave" | "shutter" | "retake" | "confirm" | "again" | "dismiss"} Action */
/** Controls of the live camera. @typedef {"torch" | "zoom" | "lens" | "reopen"} Control */

/** Actions offered in each state. The last one gets the focus. @type {Record<State, Action[]>} */
const ACTIONS = {
  loading: [],
  compass: ["skip", "allow"],
  position: ["locate"],
  live: ["shutter"],
  passing: ["leave", "stay"],
  review: ["retake", "confirm"],
  sending: [],
  failed: ["dismiss"],
};

/**
 * Interval for checking whether the dialog is rendered, in milliseconds. A dialog that the page hides would only
 * block the page.
 */
const HIDDEN_LOOK = 500;

export class View {
  #dialog = element("dialog", { part: "dialog" });
  #header = element("header", {});
  #label = element("p", { part: "label", class: "label" });
  #instruction = element("div", { part: "instruction", class: "instruction", role: "status" });
  #close = element("button", { part: "close", class: "close", type: "button" }, "✕");
  #video = element("video", { part: "video", playsinline: "", autoplay: "", muted: "" });
  #review = element("img", { part: "review" });
  #heading = element("h2", {});
  #detail = element("p", { part: "detail" });
  #panel = element("div", { part: "panel", class: "panel" }, this.#heading, this.#detail);
  #hint = element("p", { part: "hint", class: "hint", role: "status" });
  #message = element("p", { part: "message", class: "message", role: "status" });
  #progress = element("progress", { part: "progress" });
  #buttons = {
    skip: element("button", { part: "compass-skip", type: "button" }),
    allow: element("button", { part: "compass-allow", class: "primary", type: "button" }),
    locate: element("button", { part: "position-allow", class: "primary", type: "button" }),
    pass: element("button", { part: "pass", type: "button" }),
    leave: element("button", { part: "leave", type: "button" }),
    stay: element("button", { part: "stay", class: "primary", type: "button" }),
    shutter: element("button", { part: "shutter", class: "shutter", type: "button" }),
    retake: element("button", { part: "retake", type: "button" }),
    confirm: element("button", { part: "confirm", class: "primary", type: "button" }),
    again: element("button", { part: "again", class: "primary", type: "button" }),
    dismiss: element("button", { part: "dismiss", class: "primary", type: "button" }),
  };
  /** @type {Record<Control, HTMLButtonElement>} */
  #controls = {
    reopen: element("button", { part: "reopen", class: "primary", type: "button" }),
    torch: element("button", { part: "torch", type: "button" }),
    zoom: element("button", { part: "zoom", type: "button" }, "2×"),
    lens: element("button", { part: "lens", type: "button" }),
  };
  #controlRow = element("div", { class: "controls" }, this.#buttons.pass, ...Object.values(this.#controls));
  /** The outline over the camera's picture. @type {SVGElement | undefined} */
  #outline;
  /** Whether the photo may be left out. */
  #isOptional = false;
  /** Called when the person uses a camera control. @type {(control: Control) => void} */
  onControl = () => {};
  #closable = true;
  #onHidden;
  /**
   * Elements around the dialog that a library of the page had hidden from screen readers, as it hides everything
   * but its own dialogs.
   */
  #unhidden = /** @type {Element[]} */ ([]);
  /** Removes the event listeners, because events after the dialog's removal do not come from the person. */
  #removed = new AbortController();
  /** @type {Texts} */
  #texts;

  /**
   * @param {ShadowRoot} root
   * @param {Texts} texts
   * @param {() => void} onClose called when the person closes the dialog: by button, Escape, or Android's back gesture
   * @param {() => void} onHidden called when the page hides the open dialog
   */
  constructor(root, texts, onClose, onHidden) {
    this.#texts = texts;
    this.#onHidden = onHidden;
    // The `muted` attribute alone does not mute a video that a script created.
    this.#video.muted = true;
    const stage = element("div", { class: "stage" }, this.#video, this.#review, this.#panel, this.#hint);
    const { pass, ...others } = this.#buttons;
    const actions = element("div", { class: "actions" }, ...Object.values(others));
    const brief = element("div", { class: "brief" }, this.#label, element("slot", {}), this.#instruction);
    const footer = element("footer", {}, this.#message, this.#progress, actions, this.#controlRow);
    this.#header.append(brief, this.#close);
    this.#dialog.append(this.#header, stage, footer);
    root.append(this.#dialog);
    const { signal } = this.#removed;
    const close = () => this.#closable && onClose();
    this.#close.addEventListener("click", close, { signal });
    this.#buttons.dismiss.addEventListener("click", close, { signal });
    for (const [control, button] of Object.entries(this.#controls)) {
      button.addEventListener("click", () => this.onControl(/** @type {Control} */ (control)), { signal });
    }
    this.#dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      close();
    }, { signal });
    // Browsers may close a dialog without a `cancel` event when Escape is pressed again.
    this.#dialog.addEventListener("close", () => (this.#closable ? onClose() : this.#dialog.showModal()), { signal });
  }

  /** The video element of the camera's picture. */
  get video() {
    return this.#video;
  }

  /** The document that contains the dialog. */
  get document() {
    return this.#dialog.ownerDocument;
  }

  /**
   * Opens the dialog. If the page does not render it, removes it again, because it would only block the page.
   * @param {string} label
   * @returns {boolean} whether the dialog is open
   */
  open(label) {
    const texts = this.#texts;
    this.#dialog.lang = texts.language;
    this.#dialog.setAttribute("aria-label", label || texts.camera);
    this.#progress.setAttribute("aria-label", texts.progress);
    this.#label.textContent = label;
    this.#close.setAttribute("aria-label", texts.close);
    this.#video.setAttribute("aria-label", texts.live);
    this.#review.alt = texts.photo;
    const { skip, allow, locate, pass, leave, stay, shutter, retake, confirm, again, dismiss } = this.#buttons;
    skip.textContent = texts.skip;
    allow.textContent = texts.allowCompass;
    locate.textContent = texts.allowPosition;
    pass.textContent = texts.pass;
    leave.textContent = texts.pass;
    stay.textContent = texts.stay;
    shutter.setAttribute("aria-label", texts.shutter);
    retake.textContent = texts.retake;
    confirm.textContent = texts.confirm;
    again.textContent = texts.again;
    dismiss.textContent = texts.close;
    this.#controls.reopen.textContent = texts.reopen;
    this.#controls.torch.textContent = texts.torch;
    this.#controls.zoom.setAttribute("aria-label", texts.zoom);
    this.#controls.lens.textContent = texts.otherLens;
    this.setReady(false);
    this.show("loading", texts.loading);
    if (this.#dialog.isConnected) this.#showModal();
    if (!this.#isRendered()) {
      this.remove();
      return false;
    }
    this.#look();
    return true;
  }

  /** Outlines the part of the camera's picture that the photo will keep. @param {string} framing */
  frame(framing) {
    this.#dialog.dataset["framing"] = framing;
  }

  get framing() {
    return this.#dialog.dataset["framing"];
  }

  /**
   * Shows the label, and which of several photos is being taken.
   * @param {string} label
   * @param {string} step
   */
  label(label, step) {
    this.#label.textContent = [label, step].filter(Boolean).join(" · ");
    this.#dialog.setAttribute("aria-label", this.#label.textContent);
  }

  /**
   * Says what to photograph. It is announced once, because the texts stay until the next photo.
   * @param {{ instruction: string, tip?: string | undefined, note?: string | undefined, isOptional?: boolean | undefined }} brief
   */
  instruct({ instruction, tip = "", note = "", isOptional = false }) {
    this.#isOptional = isOptional;
    const paragraphs = [element("p", { class: "note" }, note), element("p", {}, [instruction, tip].filter(Boolean).join(" "))];
    const shown = paragraphs.filter(({ textContent }) => textContent);
    // Setting the same texts again would make screen readers repeat them.
    if (shown.map(({ textContent }) => textContent).join("") === this.#instruction.textContent) return;
    this.#instruction.replaceChildren(...shown);
    // A person may have scrolled a long text.
    this.#header.scrollTop = 0;
  }

  /** Shows an outline over the camera's picture, instead of the one before. @param {SVGElement} [outline] */
  draw(outline) {
    this.#outline?.remove();
    this.#outline = outline;
    if (outline) this.#video.after(outline);
  }

  /**
   * Shows the dialog again after the element was moved in the document, which removes it from the top layer and
   * pauses its video.
   */
  raise() {
    this.#dialog.removeAttribute("open");
    this.#showModal();
    if (this.#video.srcObject) this.#video.play().catch(() => {});
  }

  /** Removes the dialog and restores the focus. */
  remove() {
    this.#removed.abort();
    this.#forgetPhoto();
    this.#hideAgain();
    this.#dialog.close();
    this.#dialog.remove();
  }

  /**
   * @param {State} state
   * @param {string} message also announced by screen readers
   * @param {Action[]} [offered] overrides the actions of the state
   */
  show(state, message, offered = ACTIONS[state]) {
    this.#dialog.dataset["state"] = state;
    this.#message.textContent = message;
    this.hint("");
    // A video that is not rendered reports no frames, so it is shown before the first one.
    this.#video.hidden = state !== "live" && state !== "loading";
    this.#setClosable(true);
    this.#review.hidden = state !== "review" && state !== "sending";
    this.#panel.hidden = !["failed", "compass", "position", "passing"].includes(state);
    this.#instruction.hidden = !this.#panel.hidden;
    this.#progress.hidden = state !== "sending" && state !== "loading";
    this.#progress.removeAttribute("value");
    this.#controlRow.hidden = state !== "live" && state !== "loading";
    for (const [action, button] of Object.entries(this.#buttons)) {
      button.hidden = !offered.includes(/** @type {Action} */ (action));
    }
    this.#buttons.pass.hidden = state !== "live" || !this.#isOptional;
    const last = offered.at(-1);
    (last ? this.#buttons[last] : this.#close).focus();
    if (state !== "review" && state !== "sending") this.#forgetPhoto();
  }

  /**
   * Explains a permission that the browser will ask for, or what a decision means.
   * @param {"compass" | "position" | "passing"} state
   * @param {string} detail
   */
  ask(state, detail) {
    this.#heading.hidden = true;
    this.#detail.textContent = detail;
    this.show(state, "");
  }

  /** @param {Blob} photo */
  showReview(photo) {
    this.#review.src = URL.createObjectURL(photo);
    this.show("review", this.#texts.review);
  }

  /** @param {Blob} photo */
  showSending(photo) {
    if (!this.#review.src) this.#review.src = URL.createObjectURL(photo);
    this.show("sending", this.#texts.uploading);
  }

  /**
   * @param {{ text: string, language: string }} explanation what the person can do, or the service's reason
   * @param {Action[]} [offered] actions to offer
   * @param {string} [heading]
   */
  showFailure({ text, language }, offered = ACTIONS.failed, heading = this.#texts.failed) {
    this.#panel.setAttribute("role", "alert");
    this.#heading.hidden = false;
    this.#heading.textContent = heading;
    this.#detail.textContent = text;
    this.#detail.lang = language;
    this.show("failed", "", offered);
  }

  /** Shows a hint until the state changes; an empty text hides it. @param {string} hint */
  hint(hint) {
    // Setting the same text again would make screen readers repeat it.
    if (this.#hint.textContent !== hint) this.#hint.textContent = hint;
  }

  /**
   * Enables or disables the shutter and controls. Without a picture there is nothing to photograph or adjust.
   * @param {boolean} ready
   */
  setReady(ready) {
    this.#buttons.shutter.setAttribute("aria-disabled", String(!ready));
    if (ready) return;
    this.offer({});
    this.hint("");
  }

  /**
   * Offers the controls of the camera.
   * @param {Partial<Record<Control, boolean | undefined>>} controls whether each control is on or available; absent
   *   ones are hidden
   */
  offer(controls) {
    for (const control of /** @type {Control[]} */ (Object.keys(this.#controls))) {
      const [button, value] = [this.#controls[control], controls[control]];
      const canBeOn = control === "torch" || control === "zoom";
      button.hidden = canBeOn ? value === undefined : !value;
      if (canBeOn) button.setAttribute("aria-pressed", String(value ?? false));
    }
  }

  /** Shows the progress of the upload. @param {number} part fraction, 0 to 1 */
  showProgress(part) {
    this.#progress.value = part;
  }

  /**
   * Shows that the service is signing. There is no progress to report, and the request cannot be cancelled, so the
   * dialog cannot be closed.
   */
  showSigning() {
    this.#progress.removeAttribute("value");
    this.#message.textContent = this.#texts.signing;
    this.#setClosable(false);
  }

  /**
   * Waits until one of the offered buttons is pressed.
   * @param {AbortSignal} signal
   * @returns {Promise<Action>}
   */
  pressed(signal) {
    return new Promise((resolve, reject) => {
      const waiting = new AbortController();
      const aborted = () => {
        waiting.abort();
        reject(signal.reason);
      };
      if (signal.aborted) return aborted();
      signal.addEventListener("abort", aborted, { signal: waiting.signal });
      for (const [action, button] of Object.entries(this.#buttons)) {
        button.addEventListener("click", () => {
          if (button.getAttribute("aria-disabled") === "true") return;
          waiting.abort();
          resolve(/** @type {Action} */ (action));
        }, { signal: waiting.signal });
      }
    });
  }

  /** @param {string} message */
  say(message) {
    this.#message.textContent = message;
  }

  /** Enables or disables closing. The button stays in place, so that it can keep the focus. @param {boolean} closable */
  #setClosable(closable) {
    this.#closable = closable;
    this.#close.setAttribute("aria-disabled", String(!closable));
  }

  #showModal() {
    this.#hideAgain();
    for (let outer = around(this.#dialog); outer; outer = around(outer)) {
      if (outer.getAttribute("aria-hidden") === "true") this.#unhidden.push(outer);
    }
    for (const element of this.#unhidden) element.setAttribute("aria-hidden", "false");
    this.#dialog.showModal();
  }

  /** Hides the surrounding elements again, except those whose owner has removed the attribute meanwhile. */
  #hideAgain() {
    for (const element of this.#unhidden) {
      if (element.getAttribute("aria-hidden") === "false") element.setAttribute("aria-hidden", "true");
    }
    this.#unhidden = [];
  }

  /** Checks at intervals whether the dialog is rendered, until it is removed. */
  #look() {
    setTimeout(() => {
      if (this.#removed.signal.aborted) return undefined;
      return this.#isRendered() ? this.#look() : this.#onHidden();
    }, HIDDEN_LOOK);
  }

  #isRendered() {
    return this.#dialog.checkVisibility?.() ?? this.#dialog.getClientRects().length > 0;
  }

  #forgetPhoto() {
    URL.revokeObjectURL(this.#review.src);
    this.#review.removeAttribute("src");
  }
}

/** The parent of an element, also across a shadow root. @param {Element} element @returns {Element | null} */
function around(element) {
  const root = /** @type {Partial<ShadowRoot>} */ (element.getRootNode());
  return element.assignedSlot ?? element.parentElement ?? root.host ?? null;
}

/**
 * Creates an element with attributes and children. It uses no HTML, so that text cannot become markup.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, string>} attributes
 * @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

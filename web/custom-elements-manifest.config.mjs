// The manifest lists what pages may use. So this removes private members and the events that the analyzer names after a
// variable, and states the superclass as HTMLElement.

export default {
  globs: ["src/*.js"],
  exclude: ["src/react.js"],
  plugins: [{
    name: "public-only",
    /** @param {{ customElementsManifest: import("custom-elements-manifest").Package }} context */
    packageLinkPhase({ customElementsManifest }) {
      for (const { declarations } of customElementsManifest.modules) {
        for (const declaration of declarations ?? []) {
          if (!("members" in declaration)) continue;
          declaration.members = declaration.members?.filter(({ name }) => !name.startsWith("#"));
          if ("customElement" in declaration) declaration.superclass = { name: "HTMLElement" };
          if ("events" in declaration) declaration.events = declaration.events?.filter(({ name }) => name !== "type");
        }
      }
    },
  }],
};

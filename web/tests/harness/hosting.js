// What operators keep for a client's hosted sessions: kits and the sender.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { ARTIFACTS } from "./places.js";
import { LocalService } from "./service.js";

/** A text in Portuguese alone. @param {string} text */
export const says = (text) => ({ "pt-BR": text });

const SENDER = {
  name: "Seguradora Exemplo",
  purpose: says("Vistoria prévia do seguro."),
  duration: says("Cinco anos."),
  controller: "Seguradora Exemplo S.A.",
  contact: "privacidade@seguradora.example",
  sharing: says("Com a resseguradora."),
  responsibilities: says("A seguradora decide."),
};

/**
 * A service whose client has this kit and a sender.
 * @param {import("node:test").TestContext} t
 * @param {object} kit
 */
export async function equipped(t, kit) {
  const service = await LocalService.start(t);
  const { clients } = await service.administer("client", "list");
  const { id } = clients.find((/** @type {any} */ { name }) => name === "Lacre Development");
  for (const [command, value] of /** @type {[string[], object][]} */ ([[["kit", "put"], kit], [["sender", "set"], SENDER]])) {
    await service.administer(...command, "--client", id, "--environment", "sand", await fileOf(command.join("-"), value));
  }
  return service;
}

/**
 * A file with this value as JSON.
 * @param {string} name
 * @param {object} value
 */
export async function fileOf(name, value) {
  const file = join(ARTIFACTS, `${name}-${process.pid}.json`);
  await writeFile(file, JSON.stringify(value));
  return file;
}

/** The server ended while it carried out a command. */
export class ServerLost extends Error {
  constructor() {
    super("the ghosttape server ended meanwhile, and is started again.");
  }
}

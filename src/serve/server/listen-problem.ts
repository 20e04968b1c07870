import { SobreError } from "../../core/errors/sobre-error.ts";

/** The code of a system error. */
export const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined);

/** The error of a port that cannot be listened on. */
export function listenProblem(error: unknown, where: string, option: "port" | "httpPort"): unknown {
  const at = { path: `$.${option}`, cause: error };
  switch (codeOf(error)) {
    case "EADDRINUSE": {
      const port = where.slice(where.lastIndexOf(":") + 1);
      const what = `The port ${port} is in use. Choose another, or stop the program that listens on it.`;
      return new SobreError("InvalidOperation", what, at);
    }
    case "EACCES":
      return new SobreError(
        "InvalidOperation",
        `Permission denied listening on ${where}. Choose a port from 1024 up.`,
        at,
      );
    case "EAI_AGAIN":
    case "ENOTFOUND":
    case "EADDRNOTAVAIL":
      return new SobreError("InvalidArgument", `${where} is not an address of this machine.`, {
        ...at,
        path: "$.host",
      });
    default:
      return error;
  }
}

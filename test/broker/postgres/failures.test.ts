import { describe, expect, it } from "vitest";
import { databaseFailure } from "../../../src/broker/postgres/failures.ts";
import { quoted } from "../../../src/broker/postgres/identifier.ts";
import { SobreError } from "../../../src/core/errors/index.ts";

/** An error as the driver makes it for what the server says. */
const said = (code: string): Error => Object.assign(new Error("the server's text"), { code, severity: "ERROR" });

/** An error as a socket makes it. */
const ofSocket = (code: string): Error => Object.assign(new Error(`connect ${code}`), { code });

const codeOf = (error: unknown): unknown => SobreError.from(databaseFailure(error)).code;

describe("a failure of PostgreSQL", () => {
  it("has the code of what is to be done about it, and the driver's error as its cause", () => {
    const codes = ["28P01", "42501", "42P01", "40001", "57014", "53300", "53100", "57P01", "08006", "XX000"].map(
      (state) => codeOf(said(state)),
    );
    expect(codes).toEqual([
      "UnauthorizedAccess",
      "UnauthorizedAccess",
      "InvalidOperation",
      "ServiceBusy",
      "ServiceTimeout",
      "ServiceBusy",
      "ServiceBusy",
      "ServiceCommunicationProblem",
      "ServiceCommunicationProblem",
      "GeneralError",
    ]);
    const cause = said("40001");
    expect(databaseFailure(cause)).toMatchObject({ cause, retryable: true });
  });

  it.each([
    ["server login has been failing, try again later (server_login_retry)", "ServiceCommunicationProblem"],
    ["server login has been failing, cached error: the database system is starting up", "ServiceCommunicationProblem"],
    ["query_wait_timeout", "ServiceCommunicationProblem"],
    ["no more connections allowed (max_client_conn)", "ServiceCommunicationProblem"],
    ["pgbouncer cannot connect to server", "ServiceCommunicationProblem"],
    ["unsupported startup parameter: statement_timeout", "InvalidOperation"],
    ["unsupported startup parameter in options: jit", "InvalidOperation"],
    ["no such database: shop", "InvalidOperation"],
    ["no such user: app", "UnauthorizedAccess"],
    ["password authentication failed", "UnauthorizedAccess"],
    ['server login has been failing, cached error: role "app" does not exist', "UnauthorizedAccess"],
  ])("by PgBouncer that says %j is %s", (text, code) => {
    const error = databaseFailure(Object.assign(new Error(text), { code: "08P01", severity: "FATAL" }));

    const isAway = code === "ServiceCommunicationProblem";
    expect(error).toMatchObject(isAway ? { code, retryable: true, outcome: "unknown" } : { code });
  });

  it.each([
    ["57P01", "unknown"],
    ["57P02", "unknown"],
    ["57P03", "unknown"],
    ["08006", "unknown"],
    ["53300", undefined],
    ["53400", undefined],
    ["25006", undefined],
  ])("of an outage, %s, is worth another attempt", (state, outcomeOfIt) => {
    expect(databaseFailure(said(state))).toMatchObject({ retryable: true, outcome: outcomeOfIt });
  });

  it("is a lost connection when it comes from the socket, whatever form its code has", () => {
    for (const code of ["EPIPE", "ECONNRESET", "ECONNREFUSED", "ENOENT"])
      expect(codeOf(ofSocket(code))).toBe("ServiceCommunicationProblem");
    expect(codeOf(new Error("Connection terminated unexpectedly"))).toBe("ServiceCommunicationProblem");
  });

  it("leaves errors of others as they are", () => {
    const own = new SobreError("MessageLockLost", "The lock is lost.");
    const bug = new TypeError("undefined is not a function");
    expect([databaseFailure(own), databaseFailure(bug), databaseFailure("text")]).toEqual([own, bug, "text"]);
  });
});

describe("the name of a schema", () => {
  it("is a plain identifier, since it is the only text that gets into a statement", () => {
    expect(quoted("schema", "shop_1")).toBe('"shop_1"');
    for (const schema of ["", "Shop", "1shop", 'a"b', "a b", "a;drop", "pg_temp", "x".repeat(64), "é"])
      expect(() => quoted("schema", schema)).toThrow("schema must have");
  });
});

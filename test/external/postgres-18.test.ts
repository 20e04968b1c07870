import { testSuiteOn } from "./postgres-suite.support.ts";

testSuiteOn(18);

export { compileJsonSchema, type ValidationProblem } from "./ajv.ts";

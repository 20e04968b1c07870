export {
  compileJsonSchema,
  compileJudge,
  type JudgeOptions,
  metaSchema,
  type Refusal,
  type ValidationProblem,
} from "./ajv.ts";

export {
  type CheckedBody,
  compileBodySchema,
  compileJsonSchema,
  compileJudge,
  type JudgeOptions,
  metaSchema,
  type Refusal,
  type ValidationProblem,
} from "./ajv.ts";
export { jsonFormOf, type NativeKind, nativeKindOf, nativeOf } from "./native-form.ts";

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
export { checkOptionNames, type OptionNames, type OptionOwner } from "./option-names.ts";
export { jsonFormOf, type NativeKind, nativeKindOf, nativeOf } from "./native-form.ts";

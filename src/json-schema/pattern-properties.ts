import { _, Name, type Ajv, type KeywordCxt } from "ajv";

/**
 * Mends `patternProperties` of an instance of ajv.
 *
 * ajv (8.20) keeps the members evaluated so far in a variable that is still unset when no branch of an `anyOf` or `oneOf`
 * evaluated any, and `patternProperties` writes into it: the validator throws a TypeError for a valid value.
 */
export function mendPatternProperties(ajv: Ajv): void {
  const rule = ajv.RULES.all["patternProperties"];
  if (typeof rule !== "object" || !("code" in rule.definition)) return;
  const { code } = rule.definition;
  rule.definition = {
    ...rule.definition,
    code(context: KeywordCxt, ruleType) {
      const { gen, it } = context;
      if (it.opts.unevaluated === true && it.props instanceof Name) gen.assign(it.props, _`${it.props} || {}`);
      code(context, ruleType);
    },
  };
}

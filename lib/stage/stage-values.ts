import * as v from 'valibot'

/** Values of stage files, whose faults show what was written. */

/** A value as it is shown in a fault. */
export const shown = (value: unknown): string => JSON.stringify(value) ?? 'nothing'

/** `must be <rule>, not <value>` */
const mustBe =
  (rule: string) =>
  ({ input }: { readonly input: unknown }) =>
    `must be ${rule}, not ${shown(input)}`

/** A whole number from `least` to `most`. */
export function numberIn(least: number, most: number) {
  const message = mustBe(`a whole number from ${least} to ${most}`)
  return v.pipe(v.number(message), v.integer(message), v.minValue(least, message), v.maxValue(most, message))
}

/** A field that may be left out, with what an editor says of it. */
export const optional = <const Schema extends v.GenericSchema>(schema: Schema, about: string) =>
  v.exactOptional(v.pipe(schema, v.description(about)))

/** A field that may be left out, with what an editor says of it, and what it then is. */
export const withDefault = <const Schema extends v.GenericSchema, const Initial extends v.InferInput<Schema>>(
  schema: Schema,
  about: string,
  initial: Initial,
) => v.optional(v.pipe(schema, v.description(about)), initial)

/** A text of a form that `rule` describes. */
export const text = (pattern: RegExp, rule: string) => v.pipe(v.string(mustBe(rule)), v.regex(pattern, mustBe(rule)))

/** IAM does not follow an alias to its key: rights on one allow nothing. */
export const keyArn = text(/^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/[\w-]+$/, 'the ARN of a KMS key, arn:aws:kms:…:key/…')

const kinds: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  string: 'a text',
  strict_object: 'an object',
}

/** The fault of a value whose schema has no message of its own. */
export function describeFault(issue: v.BaseIssue<unknown>): string {
  const { type, expected, received, input } = issue
  if (type === 'strict_object' && expected === 'never') return 'is not a field here'
  if (received === 'undefined') return 'is required'
  const choices = expected?.replace(/^\(|\)$/g, '').replaceAll(' | ', ' or ')
  return mustBe(kinds[type] ?? choices ?? 'something else')({ input })
}

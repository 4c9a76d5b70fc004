import * as v from 'valibot'

/** Values of stage files. Their faults quote the value in the file. */

/** Returns a value as a fault quotes it. */
export const showValue = (value: unknown): string => JSON.stringify(value) ?? 'nothing'

/** `must be <rule>, not <value>` */
const mustBe =
  (rule: string) =>
  ({ input }: { readonly input: unknown }) =>
    `must be ${rule}, not ${showValue(input)}`

/** A whole number from `least` to `most`. */
export function numberIn(least: number, most: number) {
  const message = mustBe(`a whole number from ${least} to ${most}`)
  return v.pipe(v.number(message), v.integer(message), v.minValue(least, message), v.maxValue(most, message))
}

/** An optional field, with the description that editors show. */
export const optional = <const Schema extends v.GenericSchema>(schema: Schema, description: string) =>
  v.exactOptional(v.pipe(schema, v.description(description)))

/** An optional field with a default, and with the description that editors show. */
export const withDefault = <const Schema extends v.GenericSchema, const Initial extends v.InferInput<Schema>>(
  schema: Schema,
  description: string,
  initial: Initial,
) => v.optional(v.pipe(schema, v.description(description)), initial)

/** A text that matches a pattern; `rule` describes the pattern in faults. */
export const text = (pattern: RegExp, rule: string) => v.pipe(v.string(mustBe(rule)), v.regex(pattern, mustBe(rule)))

/** ARN of a KMS key. An alias is refused: IAM does not follow it to its key, so rights on an alias allow nothing. */
export const keyArn = text(/^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/[\w-]+$/, 'the ARN of a KMS key, arn:aws:kms:…:key/…')

/** Tag whose value is the name of a stage. Its name is specific, because other services may have stages as well. */
export const stageTag = 'rate-search-stage'

/** Maximum number of an operator's tags: a resource has at most 50, and the CDK and the stage add some. */
const maxTags = 40

/** Tags of resources. Source: Tagging AWS Resources user guide, "Tag naming limits and requirements". */
export const resourceTags = v.pipe(
  v.record(
    text(
      /^(?!aws:)[\w .:/=+@-]{1,128}$/i,
      'a tag of 1 to 128 letters, digits, spaces and _.:/=+-@, without aws: before it',
    ),
    text(/^[\w .:/=+@-]{0,256}$/, 'a text of up to 256 letters, digits, spaces and _.:/=+-@'),
  ),
  v.check(
    (tags) => Object.keys(tags).length <= maxTags,
    ({ input }) => `must have at most ${maxTags} tags, not ${Object.keys(input).length}`,
  ),
  // IAM tells the keys of a role's tags apart without regard to case. Source: IAM user guide, "Tags for IAM resources".
  v.check(
    (tags) => new Set(Object.keys(tags).map((key) => key.toLowerCase())).size === Object.keys(tags).length,
    'must have keys that differ in more than their case, because IAM takes those for one',
  ),
  v.check(
    (tags) => !Object.keys(tags).some((key) => key.toLowerCase() === stageTag),
    `cannot set ${stageTag}, by which the stage and its budget are found`,
  ),
)

const kinds: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  string: 'a text',
  strict_object: 'an object',
  record: 'an object',
}

/** Describes the fault of a value whose schema has no message. */
export function describeFault(issue: v.BaseIssue<unknown>): string {
  const { type, expected, received, input } = issue
  if (type === 'strict_object' && expected === 'never') return 'is not a field here'
  if (received === 'undefined') return 'is required'
  const choices = expected?.replace(/^\(|\)$/g, '').replaceAll(' | ', ' or ')
  return mustBe(kinds[type] ?? choices ?? 'something else')({ input })
}

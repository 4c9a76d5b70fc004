import * as v from 'valibot'
import { OddValue, printable, showValue } from '../../texts/show-value.ts'

/**
 * The schemas of requests: those of valibot that stop at the first fault or name none, made to find each fault of a
 * request once, with a message for people.
 */

/** Writes the message of an issue. */
export type Message = (issue: v.BaseIssue<unknown>) => string

/** Returns the message of a rule, with the value that breaks it. */
export const got =
  (rule: string): Message =>
  ({ input }) =>
    `${rule}; got ${showValue(input)}`

/** Returns the message of a value that should be of another type. */
export const isNot =
  (rule: string): Message =>
  ({ input }) =>
    `${rule}, not ${showValue(input)}`

/** Lets a function decide whether a value fits a schema, and refuses it with one message. The schema is documented. */
export function decidedBy<const Schema extends v.GenericSchema>(
  schema: Schema,
  isValid: (value: unknown) => boolean,
  message: Message,
): Schema {
  const refusing = { ...schema, message }
  const run = (dataset: v.UnknownDataset, config: v.Config<v.BaseIssue<unknown>>) => {
    if (isValid(dataset.value)) return { typed: true, value: dataset.value }
    v._addIssue(refusing, 'type', dataset, config)
    return dataset
  }
  // A value that the function accepts is of the schema's type.
  return { ...schema, '~run': run as Schema['~run'] }
}

/** Refuses a value with one message, whichever of the rules of a schema it breaks. */
export const withMessage = <const Schema extends v.GenericSchema>(schema: Schema, message: Message): Schema =>
  decidedBy(schema, (value) => v.is(schema, value), message)

/**
 * A text that a function decides, because the rule is about its normal form. Documents get a pattern that is close to
 * it from `v.metadata`.
 *
 * @param findFault returns the rule that a text breaks; undefined if it is valid
 */
export function ruledText(notText: string, findFault: (text: string) => string | undefined) {
  const faultOf = (value: unknown) => (typeof value === 'string' ? findFault(value) : notText)
  return decidedBy(
    v.string(),
    (value) => faultOf(value) === undefined,
    ({ input }) => `${faultOf(input)}; got ${showValue(input)}`,
  )
}

/** A list of 1 to `limit` items. The items of a longer one are not looked at. */
export function listOf<const Item extends v.GenericSchema>(item: Item, limit: number, adviceIfEmpty: string) {
  return v.pipe(cutOff(item, limit), v.minLength(1, `must not be empty: ${adviceIfEmpty}`), atMost(limit))
}

/** A list of up to `limit` items. */
export const shortListOf = <const Item extends v.GenericSchema>(item: Item, limit: number) =>
  v.pipe(cutOff(item, limit), atMost(limit))

const atMost = <Item>(limit: number) =>
  v.maxLength<Item[], number, Message>(limit, ({ received }) => `must have at most ${limit} items, not ${received}`)

function cutOff<const Item extends v.GenericSchema>(item: Item, limit: number) {
  const list = v.array(item, isNot('must be an array'))
  const run: (typeof list)['~run'] = (dataset, config) =>
    Array.isArray(dataset.value) && dataset.value.length > limit
      ? { typed: true, value: dataset.value }
      : list['~run'](dataset, config)
  return { ...list, '~run': run }
}

interface ObjectRules {
  /** Message for a value that is no object, or an empty one if that is refused. */
  readonly message: Message
  /** Refuses an object without any field. */
  readonly mustHaveField?: boolean
  /** Message for a field that is required. @default 'is required' */
  readonly missing?: string
  /** The fields that may be meant by an unknown one. @default - those of the object */
  readonly known?: readonly string[]
  /** Refuses all unknown fields with one message at a field, in place of one for each of them. */
  readonly others?: { readonly field: string; readonly refuse: (names: readonly string[]) => string }
}

/** An object without other fields. Each unknown one is a fault: a misspelt filter must not widen a search. */
export function closedObject<const Entries extends v.ObjectEntries>(
  entries: Entries,
  rules: ObjectRules,
): v.StrictObjectSchema<Entries, Message> {
  const { message, mustHaveField = false, missing = 'is required', known = Object.keys(entries), others } = rules
  // Only an unknown field may be meant as one of these.
  const schema = { ...v.strictObject(entries, message), ...(!others && { requirement: known }) }
  const fields = v.object(entries, missing)
  const run = (dataset: v.UnknownDataset, config: v.Config<v.BaseIssue<unknown>>) => {
    const { value } = dataset
    if (!isRecord(value) || (mustHaveField && Object.keys(value).length === 0)) {
      v._addIssue(schema, 'type', dataset, config)
      return dataset
    }
    const refuse = (key: string, refusal: string) =>
      v._addIssue(schema, 'key', dataset, config, {
        input: key,
        expected: 'never',
        message: refusal,
        path: [{ type: 'object', origin: 'key', input: value, key, value: value[key] }],
      })
    const unknown = Object.keys(value).filter((name) => !Object.hasOwn(entries, name))
    if (others && unknown.length > 0) refuse(others.field, others.refuse(unknown.map((name) => printable(name))))
    if (!others) for (const name of unknown) refuse(name, `unknown field \`${printable(name)}\``)
    return fields['~run'](dataset, config)
  }
  // The issues of the two kinds of objects differ in the name of their type alone.
  return { ...schema, '~run': run as (typeof schema)['~run'] }
}

/** True for an object of a request. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof OddValue)

/** One of two schemas, whichever a value is meant to fit, so that its faults are those of that one. */
export function either<const One extends v.GenericSchema, const Other extends v.GenericSchema>(
  one: One,
  other: Other,
  isOther: (value: unknown) => boolean,
) {
  const schema = v.union([one, other])
  const run: (typeof schema)['~run'] = (dataset, config) =>
    (isOther(dataset.value) ? other : one)['~run'](dataset, config)
  return { ...schema, '~run': run }
}

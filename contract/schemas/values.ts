import * as v from 'valibot'
import {
  maxBillingCodeLength,
  maxNameLength,
  maxPlanIdLength,
  maxWaitSeconds,
  type PageLimits,
  writeLimit,
  writtenPlanId,
} from '../limits.ts'
import { findNameFault, findSearchedPlanIdFault } from '../texts/names.ts'
import { findBillingCodeFault } from '../texts/written-code.ts'
import { got, ruledText, withMessage } from './requests/request-schemas.ts'

/** Values that several bodies share. Regular expressions have no flags, because JSON Schema has none. */

/** The address of the service in examples: `npm start` on one machine. A deployment replaces it with its own. */
export const exampleBaseUrl = 'http://127.0.0.1:3000'

/** Adds a description for the reference page (meaning, unit, range) and an example to a schema. */
export function describeValue<const Schema extends v.GenericSchema>(
  schema: Schema,
  description: string,
  example: v.InferOutput<Schema>,
) {
  return v.pipe(schema, v.description(description), v.examples([example]))
}

/** The rules for words in lists, for descriptions of their filters. */
export const wordRules =
  'in any order, case and accents; the beginning of a word is enough, and a wrong letter is forgiven in a word that nothing has'

/** An object of an answer, with its description; new fields may be added. */
export const describeObject = <const Entries extends v.ObjectEntries>(description: string, entries: Entries) =>
  v.pipe(v.object(entries), v.description(description))

export const jobIdValue = v.pipe(v.string(), v.uuid())

/** UTC with milliseconds and a numeric offset. */
export const timestamp = v.pipe(
  v.string(),
  v.regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}\+00:00$/),
  v.metadata({ format: 'date-time' }),
)

export const address = v.pipe(v.string(), v.url())

/** A non-negative integer. */
export const count = v.pipe(v.number(), v.integer(), v.minValue(0))

/** A positive integer. */
export const ordinal = v.pipe(v.number(), v.integer(), v.minValue(1))

/** A whole number of a request, from 1 to `most`. */
export const wholeNumber = (most: number) =>
  withMessage(v.pipe(ordinal, v.maxValue(most)), got(`must be an integer from 1 to ${writeLimit(most)}`))

/** Number of items of a page, from 1 to `max`. */
export const pageSize = ({ max, default: usual }: PageLimits) =>
  v.pipe(ordinal, v.maxValue(max), v.metadata({ default: usual }))

export const jobId = describeValue(
  jobIdValue,
  'Identifier of the search, a UUIDv4.',
  '2a39443a-064f-4d78-b562-c11683209ccf',
)

export const createdAt = describeValue(
  timestamp,
  'When the search was created: ISO 8601 in UTC, with milliseconds and a numeric offset.',
  '2026-11-20T19:45:08.974+00:00',
)

export const completedAt = describeValue(
  timestamp,
  'When the search completed: ISO 8601 in UTC, with milliseconds and a numeric offset.',
  '2026-11-20T19:45:09.431+00:00',
)

export const expiresAt = describeValue(
  timestamp,
  'When every URL of this answer stops working, about an hour after the answer. Ask again for fresh URLs.',
  '2026-11-20T20:45:11.000+00:00',
)

export const failureText = describeValue(
  v.pipe(v.string(), v.regex(/^[a-z]+(_[a-z]+)*: \S/)),
  'The reason why the search failed: a word that programs can branch on, a colon, and a sentence for people. The words are listed under "Reasons why a search fails".',
  'unsupported_fee_schedule: This fee schedule is not supported: payer "Blue Harbor Health" has no plan "Harbor PPO Golden", nearest is "Harbor PPO Gold".',
)

/**
 * Characters below U+10000 that names and codes must not contain: control characters (C0, C1), the replacement
 * character that results from invalid UTF-8, and invisible characters (Unicode's Default_Ignorable_Code_Point, for
 * which JSON Schema has no class).
 */
const unprintable = [
  String.raw`\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200c-\u200f`,
  String.raw`\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8\ufffd`,
].join('')

/** Only printable characters and white space, which is folded; at least one of them not white space. */
export const printableText = new RegExp(`^[^${unprintable}]*[^\\s\\u0085\\u200b${unprintable}][^${unprintable}]*$`)

export const mustBeText = 'must be a string (leading zeros carry meaning)'

export const nameText = v.pipe(
  ruledText('must be a string', findNameFault),
  v.metadata({ maxLength: maxNameLength, pattern: printableText.source }),
)

export const planIdText = v.pipe(
  ruledText(mustBeText, findSearchedPlanIdFault),
  v.metadata({ maxLength: maxPlanIdLength, pattern: writtenPlanId.source }),
)

export const billingCodeText = v.pipe(
  ruledText(mustBeText, findBillingCodeFault),
  v.metadata({ maxLength: maxBillingCodeLength, pattern: printableText.source }),
)

export const nextCursor = describeValue(
  v.nullable(v.string()),
  'The value of `cursor` for the next page; null on the last one. Opaque, and bound to the filter that it was given for.',
  'Qmx1ZSBIYXJib3IgSGVhbHRo.Qmx1ZSBIYXJib3IgSGVhbHRo.SGFyYm9yIEhNTyBTaWx2ZXI.AYxwLe4D',
)

export const cursorParameter = describeValue(
  v.pipe(v.string(), v.minLength(1)),
  'The `next_cursor` of the page before, with the same filter; left out for the first page.',
  'Qmx1ZSBIYXJib3IgSGVhbHRo.Qmx1ZSBIYXJib3IgSGVhbHRo.SGFyYm9yIEhNTyBTaWx2ZXI.AYxwLe4D',
)

export const waitSeconds = describeValue(
  v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(maxWaitSeconds), v.metadata({ default: 0 })),
  `Seconds to wait for the end of the search, 0 to ${maxWaitSeconds}. A call that waits may still answer earlier with a search that has not ended: ask again.`,
  maxWaitSeconds,
)

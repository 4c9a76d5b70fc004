import * as v from 'valibot'
import { type FilterName, filterOf, type ProviderList } from '../../filters.ts'
import {
  maxBillingCodeLength,
  maxFeeSchedules,
  maxMaxBytes,
  maxNameLength,
  maxResultRows,
  maxStatementBytes,
  writeLimit,
} from '../../limits.ts'
import { isNpi, npiRange, writtenTin } from '../../provider-ids.ts'
import { findTextFault } from '../../texts/names.ts'
import { showValue } from '../../texts/show-value.ts'
import { requestedPlans } from '../fee-schedules.ts'
import { summary } from '../summaries.ts'
import { billingCodeText, describeObject, describeValue, mustBeText, printableText, wholeNumber } from '../values.ts'
import { checkTogether } from './check-together.ts'
import { closedObject, decidedBy, got, isNot, listOf, ruledText, withMessage } from './request-schemas.ts'

/** The NPI of a provider. */
export const providerNpi = v.pipe(v.number(), v.integer(), v.minValue(npiRange.least), v.maxValue(npiRange.greatest))

/** An NPI as a search names it; 0 matches rates agreed for a whole TIN. */
export const npi = v.union([v.literal(0), providerNpi])

const requestedNpi = decidedBy(
  npi,
  (value) => typeof value === 'number' && isNpi(value),
  ({ input }) => `must be an NPI, an integer of ten digits, or 0 for rates of a whole TIN; not ${showValue(input)}`,
)

/** A list of a request that may be left out. */
const optionalList = <const Item extends v.GenericSchema>(
  item: Item,
  filter: FilterName,
  describe: (limit: string) => string,
  example: v.InferOutput<Item>[],
) => {
  const { limit } = filterOf(filter)
  const list = listOf(item, limit, 'leave the field out to mean all')
  return v.exactOptional(describeValue(list, describe(writeLimit(limit)), example))
}

/** A text of a form that documents can state, refused with the words of its filter. */
const written = (filter: FilterName) => {
  const { written: form, rule } = filterOf(filter)
  return withMessage(v.pipe(v.string(), v.regex(form)), got(`must be ${rule}, as a string`))
}

/** TINs are compared as their digits. */
const tin = v.pipe(
  v.string(got(mustBeText)),
  v.regex(writtenTin, got('must be a TIN of 2 to 20 digits and hyphens (leading zeros carry meaning)')),
)

/** Names of networks are compared as they are published. */
const networkName = v.pipe(
  ruledText('must be a string', (text) => {
    const textFault = findTextFault(text)
    if (textFault !== undefined) return textFault
    const isName = text.trim() !== '' && Array.from(text).length <= maxNameLength
    return isName ? undefined : `must be ${filterOf('networks').rule}, of 1 to ${maxNameLength} characters`
  }),
  v.metadata({ maxLength: maxNameLength, pattern: printableText.source }),
)

/** A list of `providers`. */
const providerList = (filter: ProviderList['name'], example: string) =>
  optionalList(
    written(filter),
    filter,
    (limit) => `1 to ${limit} strings, each ${filterOf(filter).rule}. Left out: all.`,
    [example],
  )

const listsOfProviders = {
  states: providerList('states', 'TX'),
  zips: providerList('zips', '77030'),
  taxonomies: providerList('taxonomies', '207R00000X'),
} satisfies Readonly<Record<ProviderList['name'], v.GenericSchema>>

const noProviders = `must be an object with ${Object.keys(listsOfProviders).join(', ')}, at least one of them`

export const providers = v.pipe(
  closedObject(listsOfProviders, { message: () => noProviders, mustHaveField: true }),
  v.metadata({ minProperties: 1 }),
  v.description(
    'Providers by where their practice is, and by their primary specialty, as NPPES has them; upper and lower case are the same. A provider must match every list. Rates agreed for a whole TIN (NPI 0) and NPIs that NPPES does not have never match. Refused with 400 before the operator has loaded NPPES.',
  ),
)

/** Allows unknown lists, as answers do. */
export const askedProviders = describeObject('The lists of providers of a search.', listsOfProviders)

/** The filters of a request itself; those left out mean all. */
const ownFilters = {
  npis: optionalList(
    requestedNpi,
    'npis',
    (limit) =>
      `Providers by NPI: 1 to ${limit} integers of ten digits, written without fraction or exponent. 0 means rates agreed with a whole TIN. Left out: all providers.`,
    [1000100002, 1000100010],
  ),
  tins: optionalList(
    tin,
    'tins',
    (limit) =>
      `Providers by TIN: 1 to ${limit} strings of digits, since leading zeros carry meaning; hyphens are ignored. With \`tins\` and without \`npis\`, rates agreed for a whole TIN are found too; with \`npis\` only if 0 is among them. Left out: all TINs.`,
    ['12-3456789'],
  ),
  billing_codes: optionalList(
    v.pipe(
      billingCodeText,
      v.description(
        `A billing code as text, without its type (\`99213\`, not \`CPT 99213\`). 1 to ${maxBillingCodeLength} characters once trimmed and in upper case, without control characters and characters that nobody sees.`,
      ),
    ),
    'billing_codes',
    (limit) =>
      `Billing codes (CPT, HCPCS, MS-DRG, revenue codes and others): 1 to ${limit} strings, since leading zeros carry meaning. Upper and lower case are the same. Left out: all codes.`,
    ['99213', '27447', '73721'],
  ),
  networks: optionalList(
    networkName,
    'networks',
    (limit) =>
      `Networks, as rows name them. 1 to ${limit} names, exactly as they are. Rates that name no network never match. Rows keep the names of all of their networks. Left out: all rates.`,
    ['Harbor Select'],
  ),
} satisfies Readonly<Record<Exclude<FilterName, ProviderList['name']>, v.GenericSchema>>

const feeSchedulesAdvice = `name 1 to ${maxFeeSchedules} pairs of payer and plan, or plan ids (GET /v1/fee-schedules lists them)`

/** True for a day of the calendar. */
const isDay = (text: string) => /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(text).toJSON()?.startsWith(text) === true

/** A day of the calendar, `YYYY-MM-DD`. */
export const day = decidedBy(
  v.pipe(v.string(), v.isoDate()),
  (value) => typeof value === 'string' && isDay(value),
  got('must be a day, YYYY-MM-DD'),
)

/** The rows that a search asks for: by filters, fee schedules and day. */
export const searchFilters = {
  ...ownFilters,
  providers: v.exactOptional(providers),
  fee_schedules: describeValue(
    listOf(requestedPlans, maxFeeSchedules, feeSchedulesAdvice),
    `The fee schedules to search: pairs of payer and plan, or plan ids. 1 to ${maxFeeSchedules} of them, and at most ${maxFeeSchedules} fee schedules altogether.`,
    [{ payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold' }],
  ),
  as_of: v.exactOptional(
    describeValue(
      day,
      'A day, `YYYY-MM-DD`, of today or before: reads what searches read at its end in UTC. Left out, or today: what is active when the search begins. `changed_on` of `GET /v1/fee-schedules` says what there is; a search of a day that is not kept fails with `not_kept`.',
      '2026-11-20',
    ),
  ),
}

/** More names than there are columns are allowed, because repetition makes no difference. */
export const maxNamedColumns = 100

const columnList = <const Column extends v.GenericSchema>(column: Column) =>
  listOf(column, maxNamedColumns, 'leave the field out to mean all columns')

/** The parts of a result that a search asks for; a summary takes none of them. */
export const resultParts = {
  columns: v.exactOptional(
    describeValue(
      columnList(v.pipe(v.string(), v.regex(/^[a-z_]+$/))),
      'Names of the columns that the result has, in any order; its files have them in the order of the whole result. Columns leave out values, not rows: rows that are then alike stay apart. Left out: all columns. Refused with `summary`.',
      ['plan', 'billing_code', 'negotiated_rate'],
    ),
  ),
  limit: v.exactOptional(
    describeValue(
      wholeNumber(maxResultRows),
      `The most rows that the result has, 1 to ${writeLimit(maxResultRows)}. They are any of the rows, in no order, and another search may have others; \`truncated\` says if there were more. Left out: all rows. Refused with \`summary\`.`,
      10,
    ),
  ),
}

/** The most that a search may read. */
export const readingLimit = {
  max_bytes: v.exactOptional(
    describeValue(
      wholeNumber(maxMaxBytes),
      'The most bytes that the search may read. It is refused with 400, which names the figure, if by its estimate it would read more, or if that is not known. Left out: what the operator allows.',
      1_000_000_000,
    ),
  ),
}

/** The fields of a request that hold its filters, as texts name them. */
const namedFilters = `${Object.keys(ownFilters)
  .map((name) => `\`${name}\``)
  .join(', ')} and \`providers\``

/** The fields of a search. */
const searchFields = { ...searchFilters, ...resultParts, ...readingLimit, summary: v.exactOptional(summary) }

const bodyOf = <const Columns extends v.GenericSchema>(columns: Columns) =>
  closedObject(
    { ...searchFields, columns: v.exactOptional(columns) },
    { message: isNot('the body must be a JSON object'), missing: `is required: ${feeSchedulesAdvice}` },
  )

/** The body of a search, with the names of columns that it may ask for. */
export const searchRequestOf = <const Column extends v.GenericSchema>(column: Column) =>
  v.pipe(
    bodyOf(columnList(column)),
    v.rawCheck(({ dataset, addIssue }) => checkTogether(dataset.value, addIssue)),
  )

/** `minProperties` means "at least one filter". Client generators drop a model with `anyOf` at its root. */
export const searchRequest = v.pipe(
  bodyOf(searchFields.columns.wrapped),
  v.metadata({ minProperties: 2 }),
  v.description(
    `The rates to search for. At least one of ${namedFilters} is required; those left out mean all, and a rate must match all that are named. The whole request has at most 1 MiB, no field twice in an object, and no other field: a misspelt filter must not widen a search. Lists that are together too long for a query (${writeLimit(maxStatementBytes)} bytes) are refused with 400, naming the one to shorten.`,
  ),
)

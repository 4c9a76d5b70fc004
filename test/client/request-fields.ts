import type { FeeSchedule, PlansOfId, SearchRequest, Summary } from '../../client/api.ts'

/** A field of a request, in a list of values that mean something else each, and another spelling of the first. */
interface FieldValues<Value> {
  readonly values: readonly [Value, Value]
  readonly spelling?: Value
}

type FieldTable<Fields> = { readonly [Field in keyof Required<Fields>]: FieldValues<NonNullable<Fields[Field]>> }

type Providers = NonNullable<SearchRequest['providers']>

const [gold, silver]: readonly [FeeSchedule, FeeSchedule] = [
  { payer: 'Acme', plan: 'Gold' },
  { payer: 'Acme', plan: 'Silver' },
]
const [one, other]: readonly [PlansOfId, PlansOfId] = [{ plan_id: '041234567' }, { plan_id: '051234567' }]

/** Has to name every list of `providers` to compile. */
const providerFields: FieldTable<Providers> = {
  states: { values: [['OK', 'TX'], ['TX']], spelling: ['tx', 'OK', 'TX'] },
  zips: { values: [['77030', '77031'], ['77031']], spelling: ['77031', '77030', '77030'] },
  taxonomies: { values: [['207R00000X', '208D00000X'], ['208D00000X']], spelling: ['208d00000x', '207R00000X'] },
}

/** Has to name every option of a summary to compile. */
const summaryFields: FieldTable<Summary> = {
  weight: { values: ['npis', 'prices'] },
  by: { values: [['state', 'network'], ['state']], spelling: ['network', 'state', 'state'] },
  include_doubtful: { values: [true, false] },
  count_providers: { values: [true, false] },
  order: { values: ['highest', 'lowest'] },
  limit: { values: [10, 20] },
}

/** Fields of a summary that are given together, with a value of each. */
const firstRows = { order: 'highest', limit: 30 } as const

/** Has to name every field of a request to compile. Those of objects have tables of their own. */
const requestFields: FieldTable<Omit<SearchRequest, 'providers' | 'summary'>> = {
  npis: { values: [[0, 1000100002], [0]], spelling: [1000100002, 0, 0] },
  tins: { values: [['123456789', '23'], ['23']], spelling: ['2-3', '12-3456789', '23'] },
  billing_codes: { values: [['99213', 'J1885'], ['J1885']], spelling: [' j1885', '99213 ', 'J1885'] },
  networks: { values: [['Select', 'Open Access'], ['Select']], spelling: ['Open Access', 'Select', 'Select'] },
  fee_schedules: {
    values: [
      [gold, silver, one],
      [gold, other],
    ],
    spelling: [{ plan_id: '04-1234567' }, { payer: ' Acme', plan: 'Silver ' }, gold, gold],
  },
  as_of: { values: ['2026-10-31', '2026-11-20'] },
  columns: { values: [['plan', 'npi'], ['plan']], spelling: ['npi', 'plan', 'npi'] },
  limit: { values: [10, 20] },
  max_bytes: { values: [1_000, 2_000] },
}

/** A request with a value of one field, one with another value, and the first one spelled in another way. */
export interface FieldCase {
  /** The path of the field, such as `providers.states`. */
  readonly field: string
  readonly request: SearchRequest
  readonly other: SearchRequest
  readonly spelling: SearchRequest | undefined
}

const base: SearchRequest = { npis: [1000100010], fee_schedules: [gold] }

const casesOf = (
  fields: Readonly<Record<string, FieldValues<unknown>>>,
  prefix: string,
  put: (part: Readonly<Record<string, unknown>>) => SearchRequest,
): readonly FieldCase[] =>
  Object.entries(fields).map(([name, { values, spelling }]) => ({
    field: `${prefix}${name}`,
    request: put({ [name]: values[0] }),
    other: put({ [name]: values[1] }),
    spelling: spelling === undefined ? undefined : put({ [name]: spelling }),
  }))

/** One case for each field of a request, those of `providers` and `summary` included. */
export const fieldCases: readonly FieldCase[] = [
  ...casesOf(requestFields, '', (part) => ({ ...base, ...part })),
  ...casesOf(providerFields, 'providers.', (part) => ({ ...base, providers: part })),
  ...casesOf(summaryFields, 'summary.', (part) => ({
    ...base,
    summary: 'order' in part || 'limit' in part ? { ...firstRows, ...part } : part,
  })),
]

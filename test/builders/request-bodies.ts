import fc from 'fast-check'
import type { Fault, SearchRequestBody } from '../../contract/search-api.ts'
import { findNameFault, findTextFault } from '../../contract/texts/names.ts'
import { InvalidRequest } from '../../core/errors.ts'
import { parseSearchRequest } from '../../core/search/parse-search-request.ts'
import type { SearchRequest } from '../../core/search/search-request.ts'

/** Arbitrary search bodies for property tests. */

const text = fc.oneof(
  fc.stringMatching(/^[a-zA-Z0-9.' -]{1,12}$/),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
)

/** Valid names with arbitrary white space. */
export const anyName = text.filter((name) => findNameFault(name) === undefined)

/** Valid codes, including quotes, letters of any script, and codes that their type normalizes. */
export const anyCode = fc
  .oneof(
    fc.stringMatching(/^\d{1,5}$/),
    fc.stringMatching(/^[A-Z0-9]{2}\.[A-Z0-9]{1,2}$/),
    fc.stringMatching(/^\d{5}-\d{3}-\d{2}$/),
    text,
  )
  .filter((code) => findTextFault(code) === undefined && code.trim() !== '')
  // A word before the code may be its type (`RC 450`), which is refused.
  .filter((code) => !/^\s*[a-z]+(-?[a-z0-9]+)*[\s:#-]/i.test(code))

const anyNpi = fc.oneof(fc.constant(0), fc.integer({ min: 1_000_000_000, max: 9_999_999_999 }))
/** TINs of few digits, so that two bodies often have some in common; hyphens and leading zeros included. */
export const anyTin = fc.oneof(fc.stringMatching(/^0?[01]-?[01]$/), fc.stringMatching(/^\d{2}-?\d{7}$/))
/** Two values of each list, so that two bodies often have some in common. */
export const someProviders = {
  states: ['TX', 'PR'],
  zips: ['00501', '77030'],
  taxonomies: ['207R00000X', '2085R0202X'],
} as const
const list = <Item>(item: fc.Arbitrary<Item>) => fc.array(item, { minLength: 1, maxLength: 6 })
const anyPlanId = fc.stringMatching(/^(?:(?:ein|HIOS)\|)?[0-9]{2}[0-9A-Z]{1,9}$/)
const anyProviders = fc
  .record(
    {
      states: list(fc.constantFrom(...someProviders.states)),
      zips: list(fc.constantFrom(...someProviders.zips)),
      taxonomies: list(fc.constantFrom(...someProviders.taxonomies)),
    },
    { requiredKeys: [], noNullPrototype: true },
  )
  .filter((providers) => Object.keys(providers).length > 0)
const anyPair = fc.record({ payer: anyName, plan: anyName })

const anyBodyOf = (
  feeSchedule: fc.Arbitrary<SearchRequestBody['fee_schedules'][number]>,
): fc.Arbitrary<SearchRequestBody> =>
  fc
    .record(
      {
        npis: list(anyNpi),
        tins: list(anyTin),
        billing_codes: list(anyCode),
        providers: anyProviders,
        fee_schedules: list(feeSchedule),
      },
      { requiredKeys: ['fee_schedules'] },
    )
    .filter((body) => Object.keys(body).length > 1)

/** Any valid search body that names each fee schedule, as statements are written for. */
export const anyBody = anyBodyOf(anyPair)

/** Returns the list in another order, with some items duplicated. */
const respelled = <Item>(items: readonly Item[], respell: (item: Item) => Item) =>
  fc.tuple(fc.subarray([...items]), fc.infiniteStream(fc.nat())).map(([duplicates, order]) =>
    [...items, ...duplicates]
      .map((item) => ({ item: respell(item), position: order.next().value ?? 0 }))
      .sort((a, b) => a.position - b.position)
      .map(({ item }) => item),
  )

const loosen = (name: string) => `\u00a0 ${name.replaceAll(' ', '  ')} `

const loosenPlanId = (id: string) => ` ${id.toUpperCase().slice(0, -1)}-${id.slice(-1).toLowerCase()} `

type Providers = NonNullable<SearchRequestBody['providers']>

const respellProviders = (providers: Providers): Providers =>
  Object.fromEntries(
    Object.entries(providers)
      .toReversed()
      .map(([name, values]) => [name, [...values, ...values].toReversed().map((value) => value.toLowerCase())]),
  )

/** Two equivalent bodies. */
export const anySpelling: fc.Arbitrary<readonly [SearchRequestBody, SearchRequestBody]> = anyBodyOf(
  fc.oneof({ arbitrary: anyPair, weight: 4 }, fc.record({ plan_id: anyPlanId })),
).chain((body) =>
  fc
    .record({
      npis: respelled(body.npis ?? [], (npi) => npi),
      tins: respelled(body.tins ?? [], (tin) =>
        tin.includes('-') ? tin.replaceAll('-', '') : `${tin.slice(0, 1)}-${tin.slice(1)}`,
      ),
      billing_codes: respelled(
        body.billing_codes ?? [],
        (code) => ` ${/^[ -~]*$/.test(code) ? code.toLowerCase() : code}`,
      ),
      fee_schedules: respelled(body.fee_schedules, (feeSchedule) =>
        'plan_id' in feeSchedule
          ? { plan_id: loosenPlanId(feeSchedule.plan_id) }
          : { payer: loosen(feeSchedule.payer), plan: loosen(feeSchedule.plan) },
      ),
    })
    .map(({ npis, tins, billing_codes, fee_schedules }) => [
      body,
      {
        fee_schedules,
        ...(body.billing_codes && { billing_codes }),
        ...(body.tins && { tins }),
        ...(body.npis && { npis }),
        ...(body.providers && { providers: respellProviders(body.providers) }),
      },
    ]),
)

/** The body of a canonical request. */
export const bodyOf = ({
  npis,
  tins,
  billingCodes,
  providers,
  feeSchedules,
  planIds = [],
}: SearchRequest): SearchRequestBody => ({
  ...(npis && { npis }),
  ...(tins && { tins }),
  ...(billingCodes && { billing_codes: billingCodes }),
  ...(providers && { providers }),
  fee_schedules: [...feeSchedules, ...planIds.map((plan_id) => ({ plan_id }))],
})

/** Returns the faults of a body; empty if it is a valid search. Rethrows any other error. */
export function faultsOf(body: unknown, now?: Date): readonly Fault[] {
  try {
    parseSearchRequest(body, [], now)
    return []
  } catch (error) {
    if (error instanceof InvalidRequest) return error.details
    throw error
  }
}

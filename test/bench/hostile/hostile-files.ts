import { textsOfOneFnvHash } from '../../loader/hostile/collisions.ts'
import { createRandom, type Random } from '../loader/random.ts'

/** A file that costs more than its size, and one of about the same size that is honest. */
export interface HostileKind {
  readonly what: string
  /** Number of parts in a file of the smaller of two sizes; the larger has twice as many. */
  readonly parts: number
  /** `--toc`: a table of contents, of which no file is there. */
  readonly role: 'load' | 'list'
  write(parts: number, isHostile: boolean): Iterable<string>
}

const root = {
  reporting_entity_name: 'Blue Harbor Services',
  reporting_entity_type: 'health insurance issuer',
  plan_name: 'Harbor PPO Gold',
  last_updated_on: '2026-11-01',
  version: '1.0.0',
}

const item = {
  negotiation_arrangement: 'ffs',
  name: 'Visit',
  billing_code_type: 'CPT',
  billing_code_type_version: '2026',
  billing_code: '99213',
  description: 'Visit',
}

const price = {
  negotiated_type: 'negotiated',
  negotiated_rate: 100.5,
  expiration_date: '9999-12-31',
  service_code: ['11'],
  billing_class: 'professional',
}

const open = (value: object) => JSON.stringify(value).slice(0, -1)

function* join(texts: Iterable<string>): Generator<string> {
  let separator = ''
  for (const text of texts) {
    yield separator + text
    separator = ','
  }
}

function* writeRates(rates: Iterable<object>): Generator<string> {
  yield `${open(root)},"in_network":[${open(item)},"negotiated_rates":[`
  yield* join(Iterator.from(rates).map((rate) => JSON.stringify({ ...rate, negotiated_prices: [price] })))
  yield ']}]}'
}

/** Factor of a hash without a seed, and its inverse: with it, pairs of NPIs can be chosen that share one hash. */
const [factor, inverse] = [0x85_eb_ca_6b, invert(0x85_eb_ca_6b)]

/** The inverse of an odd number modulo 2^32, by Newton's method. */
function invert(odd: number): number {
  let inverse = odd
  for (let step = 0; step < 5; step++) inverse = Math.imul(inverse, 2 - Math.imul(odd, inverse))
  return inverse
}

const mix = (hash: number, value: number) => Math.imul(hash ^ value, factor) ^ (hash >>> 13)

function* groupsOfOneHash(count: number, isHostile: boolean): Generator<object> {
  const random = createRandom(1)
  for (let number = 0; number < count; ) {
    const first = 1_000_000_000 + random.below(2 ** 30)
    // The hash begins with the numbers of the texts and the number of members.
    const hash = mix(mix(mix(0, 1), 2), first)
    const second = (hash ^ Math.imul(hash >>> 13, inverse)) >>> 0
    const npi = isHostile ? second + (second < 2 ** 31 ? 2 ** 32 : 0) : 1_000_000_000 + random.below(2 ** 32)
    if (npi <= first) continue
    number++
    yield { provider_groups: [{ npi: [first, npi], tin: { type: 'ein', value: '123456789' } }] }
  }
}

function* referencesOf(ids: readonly string[]): Generator<string> {
  yield `${open(root)},"provider_references":[`
  const group = { npi: [1_000_000_000], tin: { type: 'ein', value: '123456789' } }
  yield* join(ids.map((id) => JSON.stringify({ provider_group_id: id, provider_groups: [group] })))
  yield `],"in_network":[${open(item)},"negotiated_rates":[`
  yield JSON.stringify({ provider_references: ids.slice(0, 1), negotiated_prices: [price] })
  yield ']}]}'
}

const anyText = (length: number, random: Random) => Array.from({ length }, () => random.below(36).toString(36)).join('')

function writeIds(count: number, isHostile: boolean): Iterable<string> {
  const random = createRandom(2)
  const exponent = Math.log2(count)
  return referencesOf(
    isHostile ? textsOfOneFnvHash(exponent) : Array.from({ length: count }, () => anyText(5 * exponent, random)),
  )
}

/** Megabytes in a part that nothing is read from: one text, or many. */
function* writeSkipped(megabytes: number, isHostile: boolean): Generator<string> {
  yield `${open(root)},"zz":["`
  for (let part = 0; part < megabytes; part++)
    for (let text = 0; text < 10; text++) yield 'a'.repeat(1e5) + (isHostile ? '' : '","')
  yield `"],"in_network":[${JSON.stringify({ ...item, negotiated_rates: [] })}]}`
}

/** Items without anything in them, or items without rates. */
function* writeItems(count: number, isHostile: boolean): Generator<string> {
  yield `${open(root)},"in_network":[`
  const text = isHostile ? '{}' : JSON.stringify({ ...item, negotiated_rates: [] })
  yield* join(Array.from({ length: isHostile ? count : count / 60 }, () => text))
  yield ']}'
}

/** As many plans as files: each plan in an entry of its own with one file, or all in one with all files. */
function* writeContents(count: number, isHostile: boolean): Generator<string> {
  yield `${open({ reporting_entity_name: 'Blue Harbor Services', version: '1.0.0' })},"reporting_structure":[`
  const plan = (number: number) => ({ plan_name: `Plan ${number}`, plan_id_type: 'hios', plan_id: String(number) })
  const file = (number: number) => ({ description: 'rates', location: `https://files.example/${number}.json.gz` })
  const numbers = Array.from({ length: count }, (_, number) => number)
  const entry = (of: readonly number[]) =>
    JSON.stringify({ reporting_plans: of.map(plan), in_network_files: of.map(file) })
  yield* join(isHostile ? [entry(numbers)] : numbers.map((number) => entry([number])))
  yield ']}'
}

export const hostileKinds: readonly HostileKind[] = [
  {
    what: 'provider groups of one hash',
    parts: 20_000,
    role: 'load',
    write: (count, isHostile) => writeRates(groupsOfOneHash(count, isHostile)),
  },
  { what: 'ids of one hash', parts: 2 ** 14, role: 'load', write: writeIds },
  { what: 'a long text that is skipped', parts: 50, role: 'load', write: writeSkipped },
  { what: 'items without anything', parts: 600_000, role: 'load', write: writeItems },
  { what: 'plans that miss the same files', parts: 1000, role: 'list', write: writeContents },
]
